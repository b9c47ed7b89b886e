//! Logs go to stderr, as text or as one JSON object a line.
//!
//! Each request has a line. A separate thread writes these lines in batches: a write for each would cost a tenth of a small
//! request. All other lines are written before the program continues.

use crate::settings::{LogFormat, Settings};
use anyhow::{Context, anyhow};
use florin_http_actix::REQUESTS;
use std::io::{self, BufWriter, IsTerminal};
use std::panic;
use tracing_appender::non_blocking::{NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::writer::MakeWriterExt;

/// The default of a server: what it does, but not what its server library does.
const SERVING: &str = "info,actix_server=warn";
/// The default of other commands: problems only.
const OTHERWISE: &str = "warn";

/// Maximum number of waiting lines. No line is lost: beyond this number, requests wait.
const LINES_WAITING: usize = 16 * 1024;
/// Size of the write buffer.
const BYTES_AT_ONCE: usize = 64 * 1024;

/// Starts logging. Waiting lines are written when the guard is dropped.
pub(crate) fn start(settings: &Settings, serving: bool) -> anyhow::Result<WorkerGuard> {
    let default = if serving { SERVING } else { OTHERWISE };
    let filter = EnvFilter::try_new(settings.log.as_deref().unwrap_or(default)).context("invalid log filter")?;
    let lines = NonBlockingBuilder::default().lossy(false).buffered_lines_limit(LINES_WAITING).thread_name("log");
    let (requests, guard) = lines.finish(BufWriter::with_capacity(BYTES_AT_ONCE, io::stderr()));
    let writer = io::stderr.with_filter(|event| event.target() != REQUESTS).or_else(requests);
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(writer);
    let started = match settings.log_format {
        LogFormat::Json => {
            // A panic is a line of JSON, too.
            panic::set_hook(Box::new(|info| tracing::error!(panic = %info, "a thread panicked")));
            log.json().flatten_event(true).try_init()
        }
        LogFormat::Text => log.with_ansi(io::stderr().is_terminal()).try_init(),
    };
    started.map_err(|error| anyhow!("cannot start logging: {error}"))?;
    Ok(guard)
}
