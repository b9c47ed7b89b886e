//! Starts the process that converts an image.

use crate::convert::CONVERT_LOGO;
use async_trait::async_trait;
use florin_domain::merchant::{LogoFormat, LogoRefusal, check_logo_file};
use florin_ports::{LogoImageError, LogoImages};
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;

/// Maximum number of images in progress.
const MAX_CONCURRENT_IMAGES: usize = 1;
/// Maximum time that an image waits for other images.
const MAX_WAIT: Duration = Duration::from_secs(15);

/// Converts images with another process of this program, whose `main` calls [`crate::convert_stdin`] for the argument
/// [`CONVERT_LOGO`].
#[derive(Debug)]
pub struct LogoProcess {
    program: PathBuf,
    permits: Arc<Semaphore>,
}

impl LogoProcess {
    /// Creates the adapter. All uploads of a process share one adapter. Fails if the path of the program is unknown.
    pub fn new() -> io::Result<Self> {
        // On Linux this path leads to the running program even after an upgrade has replaced its file.
        let running = PathBuf::from("/proc/self/exe");
        let program = if running.exists() { running } else { std::env::current_exe()? };
        Ok(Self { program, permits: Arc::new(Semaphore::new(MAX_CONCURRENT_IMAGES)) })
    }
}

#[async_trait]
impl LogoImages for LogoProcess {
    async fn convert(&self, file: Vec<u8>) -> Result<Vec<u8>, LogoImageError> {
        check_logo_file(&file)?;
        let permit = tokio::time::timeout(MAX_WAIT, Arc::clone(&self.permits).acquire_owned()).await;
        let Ok(Ok(permit)) = permit else { return Err(LogoImageError::Overloaded) };
        let program = self.program.clone();
        let work = tokio::task::spawn_blocking(move || {
            // The conversion continues if the client disconnects, so it keeps its permit.
            let _permit = permit;
            run(program, &file)
        });
        let unavailable = |error: io::Error| LogoImageError::Unavailable(error.to_string());
        work.await.map_err(io::Error::other).and_then(|result| result).map_err(unavailable)?
    }
}

/// Starts the process, sends it the file, and reads its output. The process ends soon, because its processor time is
/// limited.
fn run(program: PathBuf, file: &[u8]) -> io::Result<Result<Vec<u8>, LogoImageError>> {
    let mut child = Command::new(program)
        .arg(CONVERT_LOGO)
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    // If the process ended early, writing fails; its exit code below shows why. The pipe is closed here, which ends the
    // file.
    let _sent = child.stdin.take().map(|mut input| input.write_all(file));
    let output = child.wait_with_output()?;
    if !output.status.success() {
        return Ok(Err(LogoRefusal::TooExpensive.into()));
    }
    if LogoFormat::of(&output.stdout) == Some(LogoFormat::Png) {
        return Ok(Ok(output.stdout));
    }
    let refusal: LogoRefusal = serde_json::from_slice(&output.stdout)?;
    Ok(Err(refusal.into()))
}
