//! Logs go to stderr, as text or as one JSON object a line.

use crate::settings::{LogFormat, Settings};
use anyhow::{Context, anyhow};
use std::io::{self, IsTerminal};
use std::panic;
use tracing_subscriber::EnvFilter;

/// A server tells what it does, but not what its own server library does.
const SERVING: &str = "info,actix_server=warn";
/// A command tells only what is wrong.
const OTHERWISE: &str = "warn";

/// Starts logging.
pub(crate) fn start(settings: &Settings, serving: bool) -> anyhow::Result<()> {
    let default = if serving { SERVING } else { OTHERWISE };
    let filter = EnvFilter::try_new(settings.log.as_deref().unwrap_or(default)).context("the log filter is wrong")?;
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr);
    let started = match settings.log_format {
        LogFormat::Json => {
            // A panic is a line of JSON too.
            panic::set_hook(Box::new(|info| tracing::error!(panic = %info, "a thread panicked")));
            log.json().flatten_event(true).try_init()
        }
        LogFormat::Text => log.with_ansi(io::stderr().is_terminal()).try_init(),
    };
    started.map_err(|error| anyhow!("logging can't be started: {error}"))
}
