//! Checkpoints of balances, which are derived from the journal.

use super::body::types::{Account, Bytes, Currency, Id, Time};
use super::declare::tables;

tables! {
    /// How far the checkpoints of a balance reach.
    struct CoverageRow in balance_coverage(account_id, budget_id, currency) owned by account_id {
        account_id: Account,
        budget_id: Id,
        currency: Currency,
        /// The epoch of the account in which the checkpoints were created. They are void in another epoch.
        epoch: i64,
        /// Increases with each change of the checkpoints.
        version: i64,
        /// The number of journal transactions that `balances.movements` does not count, because they were stored by a
        /// version of Florin that did not increment it. Usually 0.
        uncounted: i64,
        /// The id from which a read of the journal transactions after the last checkpoint starts. None of them has a
        /// lower id, unless it was committed late.
        tail_from: Id,
    }

    /// A checkpoint of a balance: the sum of its oldest journal transactions, in the order of time, then of ids.
    struct CheckpointRow in balance_checkpoints(account_id, budget_id, currency, covered) owned by account_id {
        account_id: Account,
        budget_id: Id,
        currency: Currency,
        /// The number of journal transactions that it covers.
        covered: i64,
        /// The time of the last of these journal transactions.
        last_at: Time,
        /// The id of the last of these journal transactions.
        last_id: Id,
        /// The id from which a read of the journal transactions after this checkpoint starts: their least id when the
        /// checkpoint was created.
        tail_from: Id,
        /// The sums by kind, as JSON.
        sums: String,
        /// The ids of the journal transactions since the previous checkpoint, in order, of 16 bytes each.
        journals: Bytes,
    }
}
