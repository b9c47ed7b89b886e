//! A deterministic simulation of Florin on SQLite: crashes, power cuts, failing disks, one or two instances, and a
//! network to the bank that loses, delays and repeats messages.
//!
//! A run is determined by its seed. The real store, worker and sweeper run on one thread, on a simulated disk, with a
//! simulated clock, and the seed decides what happens next. At the end the books are checked, and the store is compared
//! with the answers to its clients. `docs/adr/0014-a-simulation-decides-what-happens-next.md` explains the design.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a simulation stops where its own set-up is wrong")]

mod bank;
mod check;
mod clients;
mod disk;
mod events;
mod initial_state;
mod instance;
mod leases;
mod many;
mod plan;
mod simulation;
mod task;

pub use many::{Totals, run_all};
pub use simulation::{Run, Violation, run};

/// A deliberate bug, to prove that the simulation finds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mutant {
    /// Commits are not synced.
    NoSync,
    /// A request is answered before its effect is committed.
    EarlyAnswer,
    /// A batch is leased although another lease still runs.
    LostLease,
    /// A worker whose lease was taken over can still write.
    NoFence,
}

impl Mutant {
    /// All mutants.
    pub const ALL: [Self; 4] = [Self::NoSync, Self::EarlyAnswer, Self::LostLease, Self::NoFence];

    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::NoSync => "no-sync",
            Self::EarlyAnswer => "early-answer",
            Self::LostLease => "lost-lease",
            Self::NoFence => "no-fence",
        }
    }
}
