//! Cancelling a payment batch before it starts.

use super::{BatchBalances, BatchState, BatchTransition, BulkStatus, IllegalBatchTransition, PaymentBatch};
use crate::event::{Event, EventKind};
use crate::ids::JournalId;
use crate::ledger::{AmountOutOfRange, JournalKind, JournalTransaction, Leg, Pool};
use crate::stamp::Stamp;

/// The situation for a cancellation. An adapter loads it under the locks of the batch and of the budgets that
/// fund it.
#[derive(Clone, Debug)]
pub struct CancelSituation {
    /// The batch with its orders.
    pub batch: PaymentBatch,
    /// Balances of the budgets that fund the orders, by budget and currency.
    pub balances: BatchBalances,
}

/// The result of a cancellation. An adapter stores it atomically.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CancelDecision {
    /// The batch after the decision.
    pub batch: PaymentBatch,
    /// The change of every payment of the batch, as of `batch.updated_at`.
    pub payments: BulkStatus,
    /// The journal transactions that release the reserved money.
    pub journal: Vec<JournalTransaction>,
    /// The balances of the funding budgets afterwards.
    pub balances: BatchBalances,
    /// The events of the cancellation.
    pub events: Vec<Event>,
}

/// Reasons to refuse a cancellation. Nothing changes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CancelRefusal {
    /// The batch has started or ended.
    #[error(transparent)]
    State(#[from] IllegalBatchTransition),
    /// A balance would leave its range: for example, less is reserved than the batch costs. This is a bug.
    #[error(transparent)]
    AmountOutOfRange(#[from] AmountOutOfRange),
}

/// Decides a cancellation, which releases the money that was reserved for the batch.
///
/// ```
/// use florin_domain::batch::{CancelSituation, PaymentBatchStatus, decide_cancel};
/// use florin_domain::test_support::{BatchScenario, a_budget, a_payment};
///
/// let mut scenario = BatchScenario::of(a_budget().with("100.00 GBP"));
/// scenario.upload([a_payment("60.00 GBP")]).unwrap();
/// scenario.confirm().unwrap();
/// let situation = CancelSituation { batch: scenario.batch.clone(), balances: scenario.balances.clone() };
/// let cancelled = decide_cancel(&situation, &scenario.stamp()).unwrap();
/// assert_eq!(cancelled.batch.status(), PaymentBatchStatus::Cancelled);
/// ```
pub fn decide_cancel(situation: &CancelSituation, stamp: &Stamp<'_>) -> Result<CancelDecision, CancelRefusal> {
    let was_reserved = matches!(situation.batch.state, BatchState::Confirmed(_));
    let mut batch = situation.batch.clone();
    batch.state = batch.state.after(BatchTransition::Cancel)?;
    batch.updated_at = stamp.now;
    let (mut journal, mut balances) = (Vec::new(), BatchBalances::new());
    if was_reserved {
        for ((budget, currency), cost) in batch.costs()? {
            let leg = Leg::new(Pool::Reserved(budget), Pool::Available(budget), cost)?;
            let (id, cause) = (JournalId(stamp.id()), (JournalKind::BatchRelease, batch.id.0));
            let booked = JournalTransaction::new(id, batch.account.clone(), cause, currency, stamp.now, leg)?;
            let before = situation.balances.get(&(budget, currency)).copied().unwrap_or_default();
            balances.insert((budget, currency), before.after(budget, booked.legs())?);
            journal.push(booked);
        }
    }
    let mut events = Vec::new();
    if was_reserved {
        events.extend(batch.order_events(EventKind::PaymentBatchOrderCancelled));
    }
    events.push(batch.event(EventKind::PaymentBatchCancelled, None, None));
    Ok(CancelDecision { batch, payments: BulkStatus::Cancelled, journal, balances, events })
}
