//! Random runs of payers, merchants, clocks, banks and crashes, compared with a model of the contract after each
//! step.
//!
//! A number, the seed, decides everything that happens on one server. Ten runs share the server, and their steps are
//! interleaved at random. `FLORIN_TEST_SEED` is the first seed, `FLORIN_CHECKOUT_SEEDS` is the number of seeds.

mod act;
mod agree;
mod model;
mod run;
mod steps;

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use fastrand::Rng;
use run::{PUBLIC_URL, Run};

use crate::support::load::check_journal;
use crate::support::seeds::each_seed;
use crate::support::setting::setting;
use crate::support::store::is_sqlite;
use crate::support::{Home, Server};

/// Number of runs on one server.
const SIDE_BY_SIDE: usize = 10;

#[test]
fn random_runs_go_as_the_contract_says() {
    each_seed(setting("FLORIN_CHECKOUT_SEEDS", if is_sqlite() { 20 } else { 2 }), run_or_report);
}

/// Runs a seed, and prints how to run it again if it fails.
#[allow(clippy::print_stderr, reason = "the test runner shows it with the failure")]
fn run_or_report(seed: u64) {
    let mut log = Vec::new();
    if let Err(panic) = catch_unwind(AssertUnwindSafe(|| play_seed(seed, &mut log))) {
        let last = log.len().saturating_sub(400);
        eprintln!("{}", log[last..].join("\n"));
        eprintln!("run it again with FLORIN_TEST_SEED={seed} FLORIN_CHECKOUT_SEEDS=1");
        resume_unwind(panic);
    }
    eprintln!("seed {seed}: {} steps", log.len());
}

/// Plays all runs of a seed, and adds their steps to `log`.
fn play_seed(seed: u64, log: &mut Vec<String>) {
    let mut rng = Rng::with_seed(seed);
    let mut server = Server::on(Home::demo().set("FLORIN_PUBLIC_URL", PUBLIC_URL));
    let mut runs: Vec<_> = (0..SIDE_BY_SIDE).map(|_| Run::begin(&server, rng.usize(8..26))).collect();
    loop {
        let going: Vec<_> = (0..SIDE_BY_SIDE).filter(|run| runs[*run].left > 0).collect();
        let Some(number) = rng.choice(going) else { break };
        let run = &mut runs[number];
        run.left -= 1;
        let step = steps::next(&mut rng, &run.sessions);
        log.push(format!("seed {seed}, run {number}, minute {}: {step:?}", run.now));
        run.perform(step);
        if rng.u8(..100) < 2 {
            log.push(format!("seed {seed}: crash"));
            server = Server::on(server.kill());
            for run in &mut runs {
                run.continue_on(&server);
                run.agree_everywhere();
            }
        }
    }
    runs.iter().for_each(Run::agree_at_the_end);
    assert!(!server.home().log().contains("panicked at"), "{}", server.home().log());
    check_journal(&server.kill());
}
