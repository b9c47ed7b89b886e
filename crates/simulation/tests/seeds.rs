//! Runs the simulation: `make test` runs 10,000 seeds.
#![expect(clippy::print_stdout, reason = "it reports what it ran")]

use florin_simulation::{Mutant, run, run_all};

/// The seeds of every test run.
const SEEDS: u64 = 10_000;
/// The number of seeds within which every mutant is found.
const MUTANT_SEEDS: u64 = 100;

#[test]
fn ten_thousand_seeds_lose_nothing() {
    match run_all(0..SEEDS, None) {
        Ok(totals) => {
            println!("{totals}");
            // The runs contain enough power cuts, kills and acknowledged requests to prove something.
            assert!(totals.cuts > SEEDS && totals.kills > SEEDS / 10 && totals.acknowledged > SEEDS, "{totals}");
        }
        Err(violation) => panic!("{violation}"),
    }
}

#[test]
fn every_mutant_is_found() {
    for mutant in Mutant::ALL {
        let found = run_all(0..MUTANT_SEEDS, Some(mutant));
        assert!(found.is_err(), "{mutant:?} is not found in {MUTANT_SEEDS} seeds");
    }
}

#[test]
fn a_seed_replays_to_the_same_step() {
    for seed in 0..20 {
        assert_eq!(run(seed, None, None).unwrap(), run(seed, None, None).unwrap(), "seed {seed}");
    }
    let first = run_all(0..MUTANT_SEEDS, Some(Mutant::NoFence)).unwrap_err();
    let again = run(first.seed, first.mutant, None).unwrap_err();
    assert_eq!((&first.what, &first.run), (&again.what, &again.run));
}
