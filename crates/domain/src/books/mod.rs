//! The books of an account: explanations of balances, and checks that all sums agree.
//!
//! A store computes sums, and this module compares them. Sums have 128 bits, so that even wrong stored values fit.

mod counter_example;
mod disputes;
mod explain;
mod hash_chains;
mod invariants;
mod limits;
mod merchant;
mod pools;

pub use disputes::DisputeBooks;
pub use explain::{
    BalanceExplanation, Booking, ExplanationParts, KindSum, MAX_LISTED, OpenHold, OpenItems, Proof, ProofName,
    Reservation, RunningBalance, explain,
};
pub use hash_chains::{BrokenLink, BrokenLinkReason, ChainBooks, ChainsOfAccounts, verify_link};
pub use invariants::{
    AccountBooks, BudgetBooks, CounterExample, Disagreement, Invariant, InvariantReport, InvariantResult, check_books,
};
pub use limits::{LimitBooks, LimitTally};
pub use merchant::{MerchantBooks, MiscountedSession, RefundedPayment, SettlementBooks};
pub use pools::{BudgetPool, PoolSums, budget_postings};
