//! The process that converts an image. It reads the file from its standard input, and writes the result to its standard
//! output.

use crate::{decode, limits, resize};
use florin_domain::merchant::{LogoRefusal, MAX_LOGO_BYTES, check_logo_file};
use std::io::{Read, Write, stdin, stdout};
use std::panic::catch_unwind;
use std::process::ExitCode;

/// The argument with which the program starts itself to convert an image. It is the only argument.
pub const CONVERT_LOGO: &str = "__convert-logo";

/// Converts the image on the standard input, under limits of memory and processor time. Writes the PNG of the logo, or
/// the refusal as JSON, both with exit code 0. Any other failure has another exit code.
pub fn convert_stdin() -> ExitCode {
    if !limits::limit_this_process() {
        return ExitCode::FAILURE;
    }
    let mut file = Vec::new();
    let limit = u64::try_from(MAX_LOGO_BYTES).unwrap_or(u64::MAX).saturating_add(1);
    if stdin().lock().take(limit).read_to_end(&mut file).is_err() {
        return ExitCode::FAILURE;
    }
    let result = match convert(&file) {
        Ok(png) => png,
        Err(refusal) => match serde_json::to_vec(&refusal) {
            Ok(json) => json,
            Err(_) => return ExitCode::FAILURE,
        },
    };
    if stdout().lock().write_all(&result).is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Converts the file of an image into the PNG of a logo.
pub(crate) fn convert(file: &[u8]) -> Result<Vec<u8>, LogoRefusal> {
    let format = check_logo_file(file)?;
    // A panic of a decoder is reported as a damaged file.
    catch_unwind(|| resize::encode(decode::decode(file, format)?)).unwrap_or(Err(LogoRefusal::Unreadable))
}
