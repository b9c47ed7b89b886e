//! Cancelling a payment batch before it starts.

use super::{BatchBalances, BatchMove, IllegalMove, PaymentBatch, PaymentBatchStatus, PaymentStatus, Stamp};
use crate::event::{Event, EventKind};
use crate::ids::JournalId;
use crate::ledger::{AmountOverflow, JournalKind, JournalTransaction, LedgerAccount, Posting, Unbalanced};

/// What an adapter loads, under the lock.
#[derive(Clone, Debug)]
pub struct CancelSituation {
    /// The batch with its orders.
    pub batch: PaymentBatch,
    /// What the funding budgets of the orders hold, per currency.
    pub balances: BatchBalances,
}

/// What is to be stored, whole or not at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CancelDecision {
    /// The batch as it is now.
    pub batch: PaymentBatch,
    /// The status that every payment of the batch takes, at `batch.updated_at`.
    pub payments: PaymentStatus,
    /// The release of what was reserved.
    pub journal: Vec<JournalTransaction>,
    /// The balances of the funding budgets afterwards.
    pub balances: BatchBalances,
    /// What happened.
    pub events: Vec<Event>,
}

/// Why a batch is not cancelled. Nothing changes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CancelRefusal {
    /// It has started, or ended.
    #[error(transparent)]
    State(#[from] IllegalMove),
    /// What was reserved for it is not there: a bug.
    #[error(transparent)]
    AmountOverflow(#[from] AmountOverflow),
    /// A rule made postings that do not balance: a bug.
    #[error(transparent)]
    Unbalanced(#[from] Unbalanced),
}

/// Decides a cancellation: what was reserved for the batch can be spent again.
pub fn decide_cancel(situation: &CancelSituation, stamp: &Stamp<'_>) -> Result<CancelDecision, CancelRefusal> {
    let was_reserved = situation.batch.status == PaymentBatchStatus::Confirmed;
    let mut batch = situation.batch.clone();
    batch.status = batch.status.after(BatchMove::Cancel)?;
    batch.updated_at = stamp.now;
    let (mut journal, mut balances) = (Vec::new(), BatchBalances::new());
    if was_reserved {
        for ((budget, currency), cost) in batch.costs()? {
            let postings = [
                Posting { account: LedgerAccount::Reserved(budget), amount: cost.negated().ok_or(AmountOverflow)? },
                Posting { account: LedgerAccount::Available(budget), amount: cost },
            ];
            let before = situation.balances.get(&(budget, currency)).copied().unwrap_or_default();
            balances.insert((budget, currency), before.after(budget, &postings)?);
            let (id, cause) = (JournalId(stamp.id()), (JournalKind::BatchRelease, batch.id.0));
            journal.push(JournalTransaction::new(id, batch.account.clone(), cause, currency, stamp.now, postings)?);
        }
    }
    let events = vec![stamp.event(EventKind::PaymentBatchCancelled, (&batch.account, batch.id), None, None)];
    Ok(CancelDecision { batch, payments: PaymentStatus::Cancelled, journal, balances, events })
}
