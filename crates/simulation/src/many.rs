//! Many runs, on all processors.

use crate::{Mutant, Run, Violation, run};
use std::fmt;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// The totals of many runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// The number of runs.
    pub runs: u64,
    /// The number of events.
    pub events: u64,
    /// The number of power cuts.
    pub cuts: u64,
    /// The number of killed instances.
    pub kills: u64,
    /// The number of acknowledged requests.
    pub acknowledged: u64,
}

impl Totals {
    fn add(&mut self, run: &Run) {
        self.runs += 1;
        self.events += run.events.len() as u64;
        self.cuts += u64::from(run.cuts);
        self.kills += u64::from(run.kills);
        self.acknowledged += run.acknowledged as u64;
    }
}

impl fmt::Display for Totals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { runs, events, cuts, kills, acknowledged } = self;
        write!(
            f,
            "{runs} seeds: {events} events, {cuts} power cuts, {kills} kills, {acknowledged} acknowledged requests; \
             nothing is wrong"
        )
    }
}

/// Runs seeds on all processors until a run ends in a violation. Of several violations, returns the one with the
/// smallest seed.
pub fn run_all(seeds: Range<u64>, mutant: Option<Mutant>) -> Result<Totals, Box<Violation>> {
    let next = AtomicU64::new(seeds.start);
    let totals = Mutex::new(Totals::default());
    let first: Mutex<Option<Box<Violation>>> = Mutex::default();
    let work = || {
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= seeds.end {
                return;
            }
            match run(seed, mutant, None) {
                Ok(run) => totals.lock().unwrap_or_else(PoisonError::into_inner).add(&run),
                Err(violation) => {
                    // No thread starts another seed.
                    next.store(seeds.end, Ordering::Relaxed);
                    let mut first = first.lock().unwrap_or_else(PoisonError::into_inner);
                    if first.as_ref().is_none_or(|known| violation.seed < known.seed) {
                        *first = Some(violation);
                    }
                }
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
    match first.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(violation) => Err(violation),
        None => Ok(totals.into_inner().unwrap_or_else(PoisonError::into_inner)),
    }
}
