//! Random operations on an account, compared with a model of budgets and cards after each one.
//!
//! The model is written from the documentation alone: the tables of what each message does, the rules that decline
//! messages, the limits, the holds and the disputes. A number, the seed, decides all operations of a run.
//! `FLORIN_TEST_SEED` is the first seed, `FLORIN_MODEL_SEEDS` is the number of seeds, and `FLORIN_MODEL_OPERATIONS` is
//! the number of operations per seed.

mod agree;
mod chain;
mod choices;
mod controls;
mod disputes;
mod first;
mod follow;
mod limits;
mod manage;
mod model;
mod money;
mod perform;
mod run;
mod steps;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Mutex;

use fastrand::Rng;
use run::Run;

use crate::support::load::check_journal;
use crate::support::seeds::each_seed;
use crate::support::setting::setting;
use crate::support::store::is_sqlite;
use crate::support::{Server, Workspace};

type Counts = BTreeMap<(String, String), usize>;

#[test]
#[allow(clippy::print_stderr, reason = "the test runner shows it with the failure")]
fn random_operations_agree_with_a_model_of_the_documents() {
    let seeds = setting("FLORIN_MODEL_SEEDS", if is_sqlite() { 4 } else { 2 });
    let operations = setting("FLORIN_MODEL_OPERATIONS", 300);
    let counts = Mutex::new(Counts::new());
    each_seed(seeds, |seed| {
        let played = run_or_report(seed, operations);
        let mut counts = counts.lock().unwrap();
        for (name, count) in played {
            *counts.entry(name).or_default() += count;
        }
    });
    for ((operation, result), count) in counts.into_inner().unwrap() {
        eprintln!("{count:7} {operation} {result}");
    }
}

/// Runs a seed. If an operation fails, prints the operation, and how to run the seed again.
#[allow(clippy::print_stderr, reason = "the test runner shows it with the failure")]
fn run_or_report(seed: u64, operations: u64) -> Counts {
    let mut log = Vec::new();
    catch_unwind(AssertUnwindSafe(|| run(seed, operations, &mut log))).unwrap_or_else(|panic| {
        let last = log.len().saturating_sub(10);
        eprintln!("the last operations, of which the last one failed:\n{}", log[last..].join("\n"));
        eprintln!(
            "run it again with FLORIN_TEST_SEED={seed} FLORIN_MODEL_SEEDS=1 FLORIN_MODEL_OPERATIONS={operations}"
        );
        resume_unwind(panic)
    })
}

/// Runs the operations of a seed in a separate world, and records them in `log`.
fn run(seed: u64, operations: u64, log: &mut Vec<String>) -> Counts {
    let mut rng = Rng::with_seed(seed);
    let server = Server::on(Workspace::demo());
    let mut run = Run::begin(&server, seed);
    for number in 1..=operations {
        let step = steps::next(&mut rng, &run.model, run.writes.len());
        log.push(format!("seed {seed}, operation {number}: {step:?}"));
        run.perform(&step);
    }
    log.push(format!("seed {seed}: everything is compared at the end"));
    run.agree_at_the_end();
    let counts = std::mem::take(&mut run.counts);
    check_journal(&server.kill());
    counts
}
