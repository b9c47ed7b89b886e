//! The double-entry journal, and the balances that follow from it.

mod balances;
mod hash_chain;
mod journal;
mod range;

pub use balances::Balances;
pub use hash_chain::{HashChain, JournalLine, LegSide, Link, LinkHash, StoredPool};
pub use journal::{JournalKind, JournalTransaction, Leg, Pool, Posting};
pub use range::AmountOutOfRange;
