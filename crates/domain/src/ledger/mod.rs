//! The double-entry journal, and the balances that follow from it.

mod balances;
mod journal;

pub use balances::{AmountOverflow, Balances};
pub use journal::{JournalKind, JournalTransaction, Pool, Posting, Unbalanced};
