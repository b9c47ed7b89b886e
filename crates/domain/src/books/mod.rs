//! The books of an account, seen from outside: what a balance is made of, and whether all of it agrees.
//!
//! A store adds up, here is judged. Sums are wider than amounts, because what is to be proved may be wrong.

mod explain;
mod invariants;
mod limits;
mod pools;

pub use explain::{
    Booking, Explanation, ExplanationParts, Held, KindSum, MAX_TOLD, OpenHold, Proof, ProofName, Reservation, Running,
    explain,
};
pub use invariants::{
    AccountBooks, BudgetBooks, CounterExample, Disagreement, Invariant, InvariantReport, Proven, judge,
};
pub use limits::{LimitBooks, LimitTally};
pub use pools::{Pool, Pools};
