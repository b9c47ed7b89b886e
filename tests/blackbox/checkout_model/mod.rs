//! Random steps of payers, merchants, clocks and banks, and crashes, compared with a model of the contract after each
//! step.
//!
//! A number, the seed, decides everything that happens on one server. Ten merchants share the server, and their steps
//! are interleaved at random. `FLORIN_TEST_SEED` is the first seed, `FLORIN_CHECKOUT_SEEDS` is the number of seeds.

mod agree;
mod merchant;
mod model;
mod perform;
mod steps;

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use fastrand::Rng;
use merchant::{Merchant, PUBLIC_URL};

use crate::support::load::check_journal;
use crate::support::seeds::each_seed;
use crate::support::setting::setting;
use crate::support::store::is_sqlite;
use crate::support::{Server, Workspace};

/// Number of merchants on one server.
const MERCHANTS: usize = 10;

#[test]
fn random_steps_agree_with_a_model_of_the_contract() {
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

/// Plays the steps of all merchants of a seed, and adds them to `log`.
fn play_seed(seed: u64, log: &mut Vec<String>) {
    let mut rng = Rng::with_seed(seed);
    let mut server = Server::on(Workspace::demo().set("FLORIN_PUBLIC_URL", PUBLIC_URL));
    let mut merchants: Vec<_> = (0..MERCHANTS).map(|_| Merchant::open(&server, rng.usize(8..26))).collect();
    loop {
        let unfinished: Vec<_> = (0..MERCHANTS).filter(|number| merchants[*number].steps_left > 0).collect();
        let Some(number) = rng.choice(unfinished) else { break };
        let merchant = &mut merchants[number];
        merchant.steps_left -= 1;
        let step = steps::next(&mut rng, &merchant.sessions);
        log.push(format!("seed {seed}, merchant {number}, minute {}: {step:?}", merchant.now));
        merchant.perform(step);
        if rng.u8(..100) < 2 {
            log.push(format!("seed {seed}: crash"));
            server = Server::on(server.kill());
            for merchant in &mut merchants {
                merchant.continue_on(&server);
                merchant.agree_everywhere();
            }
        }
    }
    merchants.iter().for_each(Merchant::agree_at_the_end);
    assert!(!server.workspace().log().contains("panicked at"), "{}", server.workspace().log());
    check_journal(&server.kill());
}
