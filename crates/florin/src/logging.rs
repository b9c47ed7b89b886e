//! Writes logs to stderr, as text or as one JSON object per line.
//!
//! Each request writes one line. A separate thread writes these lines in batches, because one write per line would add
//! a tenth to the cost of a small request. All other lines are written synchronously.

use crate::settings::{LogFormat, Settings};
use anyhow::{Context, anyhow};
use florin_http_actix::REQUESTS;
use std::io::{self, BufWriter, IsTerminal};
use std::panic;
use tracing_appender::non_blocking::{NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::writer::MakeWriterExt;

/// The default filter of `serve`: info, but only warnings and errors of the server library.
const SERVING: &str = "info,actix_server=warn";
/// The default filter of all other commands: warnings and errors.
const OTHERWISE: &str = "warn";

/// Maximum number of queued lines. When the queue is full, requests block, so that no line is lost.
const LINES_WAITING: usize = 16 * 1024;
/// Size of the write buffer.
const BYTES_AT_ONCE: usize = 64 * 1024;

/// Starts logging. Dropping the guard writes the queued lines.
pub(crate) fn start(settings: &Settings, serving: bool) -> anyhow::Result<WorkerGuard> {
    let default = if serving { SERVING } else { OTHERWISE };
    let filter = EnvFilter::try_new(settings.log.as_deref().unwrap_or(default)).context("invalid log filter")?;
    let lines = NonBlockingBuilder::default().lossy(false).buffered_lines_limit(LINES_WAITING).thread_name("log");
    let (requests, guard) = lines.finish(BufWriter::with_capacity(BYTES_AT_ONCE, io::stderr()));
    let writer = io::stderr.with_filter(|event| event.target() != REQUESTS).or_else(requests);
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(writer);
    // If a line can't be written, as on a full disk, the attempt to report that on stderr would panic.
    let log = log.log_internal_errors(false);
    let started = match settings.log_format {
        LogFormat::Json => {
            // Log a panic as a line of JSON, too.
            panic::set_hook(Box::new(|info| tracing::error!(panic = %info, "a thread panicked")));
            log.json().flatten_event(true).try_init()
        }
        LogFormat::Text => log.with_ansi(io::stderr().is_terminal()).try_init(),
    };
    started.map_err(|error| anyhow!("cannot start logging: {error}"))?;
    Ok(guard)
}
