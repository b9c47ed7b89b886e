//! `florin openapi`

use crate::output;
use std::process::ExitCode;

pub(super) fn run() -> anyhow::Result<ExitCode> {
    output::line(florin_http_actix::openapi_json().trim_end())?;
    Ok(ExitCode::SUCCESS)
}
