//! Logs go to stderr, as text or as one JSON object a line.
//!
//! There is a line for each request. A thread of its own writes those, as many as have come meanwhile at once: a write for each
//! would cost a tenth of a small request. Whatever else is logged is written before the program goes on.

use crate::settings::{LogFormat, Settings};
use anyhow::{Context, anyhow};
use florin_http_actix::REQUESTS;
use std::io::{self, BufWriter, IsTerminal};
use std::panic;
use tracing_appender::non_blocking::{NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::writer::MakeWriterExt;

/// A server tells what it does, but not what its own server library does.
const SERVING: &str = "info,actix_server=warn";
/// A command tells only what is wrong.
const OTHERWISE: &str = "warn";

/// So many lines of requests wait to be written. No line is lost: when there are more, requests wait.
const LINES_WAITING: usize = 16 * 1024;
/// So many bytes of them are written at once.
const BYTES_AT_ONCE: usize = 64 * 1024;

/// Starts logging. What waits is written when the guard goes.
pub(crate) fn start(settings: &Settings, serving: bool) -> anyhow::Result<WorkerGuard> {
    let default = if serving { SERVING } else { OTHERWISE };
    let filter = EnvFilter::try_new(settings.log.as_deref().unwrap_or(default)).context("the log filter is wrong")?;
    let lines = NonBlockingBuilder::default().lossy(false).buffered_lines_limit(LINES_WAITING).thread_name("log");
    let (requests, guard) = lines.finish(BufWriter::with_capacity(BYTES_AT_ONCE, io::stderr()));
    let writer = io::stderr.with_filter(|event| event.target() != REQUESTS).or_else(requests);
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(writer);
    let started = match settings.log_format {
        LogFormat::Json => {
            // A panic is a line of JSON too.
            panic::set_hook(Box::new(|info| tracing::error!(panic = %info, "a thread panicked")));
            log.json().flatten_event(true).try_init()
        }
        LogFormat::Text => log.with_ansi(io::stderr().is_terminal()).try_init(),
    };
    started.map_err(|error| anyhow!("logging can't be started: {error}"))?;
    Ok(guard)
}
