//! The double-entry journal, and the balances that follow from it.

mod balances;
mod journal;
mod overflow;

pub use balances::Balances;
pub use journal::{JournalKind, JournalTransaction, Leg, Pool, Posting};
pub use overflow::AmountOverflow;
