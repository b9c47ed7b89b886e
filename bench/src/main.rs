//! Measures Florin. Compares it with plain SQL for the same work, and with fixed values such as a memory limit.
//! `docs/BENCHMARKS.md` explains the results.
//!
//! - A *workload* is a kind of request.
//! - A *contender* runs a workload: a server (Florin or a peer) or a pgbench script. Contenders take turns in *rounds*
//!   of some seconds each.
//! - A *peer* is a server of another stack that handles the requests of some workloads, on the same database.
//! - A *baseline* is what Florin is compared with: usually plain SQL that does the work of the workload, run by pgbench
//!   or, on SQLite, by a loop in this process.
//! - A *requirement* is a bound on the ratio of Florin's measurement to that of the baseline. The *target* of a
//!   requirement is the better ratio that the project aims for. A missed requirement fails the run if
//!   `FLORIN_BENCH_STRICT` is 1. A missed target never does.
#![allow(clippy::float_arithmetic, reason = "no money here: rates, times and ratios")]
#![allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "the table goes to stdout, the progress to stderr")]

mod api;
mod books;
mod cells;
mod compare;
mod database;
mod decisions;
mod figures;
mod growth;
mod guard;
mod http;
mod lists;
mod machine;
mod merchant;
mod overload;
mod peers;
mod pgbench;
mod report;
mod requests;
mod runner;
mod sandbox;
mod server;
mod settings;
mod sqlite;
mod standard;
mod webhooks;
mod workloads;
mod wrk;

use settings::Settings;
use std::process::ExitCode;

fn main() -> ExitCode {
    let command = std::env::args().nth(1).unwrap_or_default();
    match run(&command) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("florin-bench: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Runs the benchmark. Returns `false` if a requirement was missed and `FLORIN_BENCH_STRICT` is 1.
fn run(command: &str) -> anyhow::Result<bool> {
    let settings = Settings::read()?;
    guard::watch()?;
    let folder = guard::folder()?;
    let report = match command {
        "standard" => standard::run(&settings, folder.path())?,
        "overload" => overload::run(&settings, folder.path())?,
        "merchant" => merchant::run(&settings, folder.path())?,
        "growth" => growth::run(&settings, folder.path())?,
        "peers" => peers::run(&settings, folder.path())?,
        "cells" => cells::run(&settings, folder.path())?,
        "sandbox" => sandbox::run(&settings, folder.path())?,
        "decisions" => decisions::run(&settings, folder.path())?,
        "webhooks" => webhooks::run(&settings, folder.path())?,
        "wrk" => wrk::run(&settings, folder.path())?,
        other => {
            anyhow::bail!(
                "{other:?} is none of: standard, merchant, sandbox, cells, overload, growth, peers, decisions, \
                webhooks, wrk"
            )
        }
    };
    println!("{}", report.markdown());
    Ok(report.missed() == 0 || !settings.strict)
}

/// Reports progress on stderr.
fn progress(text: &str) {
    eprintln!("bench: {text}");
}
