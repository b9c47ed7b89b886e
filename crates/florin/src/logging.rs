//! Writes logs to stderr, as text or as one JSON object per line.
//!
//! Each request writes one line. A separate thread writes these lines in batches, because one write per line would add
//! a tenth to the cost of a small request. All other lines are written synchronously.

use crate::settings::{LogFormat, Settings};
use anyhow::anyhow;
use florin_http_actix::REQUEST_LOG_TARGET;
use std::io::{self, BufWriter, IsTerminal};
use std::panic;
use tracing_appender::non_blocking::{NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::writer::MakeWriterExt;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// Maximum number of queued lines. When the queue is full, requests block, so that no line is lost.
const LINES_WAITING: usize = 16 * 1024;
/// Size of the write buffer.
const BYTES_AT_ONCE: usize = 64 * 1024;

/// Starts logging. Dropping the guard writes the queued lines.
pub(crate) fn start(settings: &Settings, serving: bool) -> anyhow::Result<WorkerGuard> {
    let filter = settings.log.clone().unwrap_or_else(|| default_filter(serving));
    let queue = NonBlockingBuilder::default().lossy(false).buffered_lines_limit(LINES_WAITING).thread_name("log");
    let (requests, guard) = queue.finish(BufWriter::with_capacity(BYTES_AT_ONCE, io::stderr()));
    let writer = io::stderr.with_filter(|event| event.target() != REQUEST_LOG_TARGET).or_else(requests);
    // If a line can't be written, as on a full disk, the attempt to report that on stderr would panic.
    let lines = tracing_subscriber::fmt::layer().with_writer(writer).log_internal_errors(false);
    let log = tracing_subscriber::registry().with(filter);
    let started = match settings.log_format {
        LogFormat::Json => {
            // Log a panic as a line of JSON, too.
            panic::set_hook(Box::new(|info| tracing::error!(panic = %info, "a thread panicked")));
            log.with(lines.json().flatten_event(true)).try_init()
        }
        LogFormat::Text => log.with(lines.with_ansi(io::stderr().is_terminal())).try_init(),
    };
    started.map_err(|error| anyhow!("cannot start logging: {error}"))?;
    Ok(guard)
}

/// Returns the default filter. `serve` logs from level info on, but only warnings and errors of the server library. All
/// other commands log only warnings and errors.
fn default_filter(serving: bool) -> Targets {
    if serving {
        Targets::new().with_default(LevelFilter::INFO).with_target("actix_server", LevelFilter::WARN)
    } else {
        Targets::new().with_default(LevelFilter::WARN)
    }
}
