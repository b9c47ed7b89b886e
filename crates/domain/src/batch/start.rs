//! Starting a confirmed batch, and selecting its payments for sending.

use super::{BatchMove, BatchState, IllegalMove, Payment, PaymentBatch, PaymentState, Sent};
use crate::event::{Event, EventKind};
use crate::stamp::Stamp;
use chrono::{DateTime, Utc};

/// What an adapter stores atomically after a start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StartDecision {
    /// The batch after the decision.
    pub batch: PaymentBatch,
    /// The events.
    pub events: Vec<Event>,
}

/// Decides the start of a confirmed batch.
///
/// ```
/// use florin_domain::batch::{PaymentBatchStatus, decide_start};
/// use florin_domain::test_support::{BatchScenario, a_budget, a_payment};
///
/// let mut scenario = BatchScenario::of(a_budget().with("100.00 GBP"));
/// scenario.upload([a_payment("60.00 GBP")]).unwrap();
/// scenario.confirm().unwrap();
/// let started = decide_start(&scenario.batch, &scenario.stamp()).unwrap();
/// assert_eq!(started.batch.status(), PaymentBatchStatus::Started);
/// ```
pub fn decide_start(batch: &PaymentBatch, stamp: &Stamp<'_>) -> Result<StartDecision, IllegalMove> {
    let state = batch.state.after(BatchMove::Start { at: stamp.now })?;
    let batch = PaymentBatch { state, updated_at: stamp.now, ..batch.clone() };
    let events = vec![batch.event(EventKind::PaymentBatchProcessing, None, None)];
    Ok(StartDecision { batch, events })
}

/// What a rule sees under the lock before payments are started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TakeSituation {
    /// The batch.
    pub batch: PaymentBatch,
    /// Its next confirmed payments, by input index.
    pub payments: Vec<Payment>,
}

/// What an adapter stores atomically before payments are sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TakeDecision {
    /// The payments after the decision.
    pub payments: Vec<Payment>,
    /// The events.
    pub events: Vec<Event>,
}

/// Decides which payments of a started batch are sent. Payments already started or final stay unchanged.
///
/// `ask_at` is when to query the bank if no report has arrived by then, because a worker may stop between this decision
/// and the sending.
///
/// ```
/// use florin_domain::batch::{PaymentStatus, decide_take};
/// use florin_domain::test_support::{BatchScenario, a_budget, a_payment};
///
/// let mut scenario = BatchScenario::of(a_budget().with("100.00 GBP"));
/// scenario.upload([a_payment("60.00 GBP")]).unwrap();
/// scenario.confirm().unwrap();
/// scenario.start().unwrap();
/// let taken = decide_take(&scenario.batch, &scenario.payments, scenario.now, &scenario.stamp());
/// assert_eq!(taken.payments[0].status(), PaymentStatus::Started);
/// ```
pub fn decide_take(
    batch: &PaymentBatch,
    payments: &[Payment],
    ask_at: DateTime<Utc>,
    stamp: &Stamp<'_>,
) -> TakeDecision {
    let mut decision = TakeDecision { payments: Vec::new(), events: Vec::new() };
    if !matches!(batch.state, BatchState::Started(_)) {
        return decision;
    }
    for payment in payments {
        let PaymentState::Confirmed(terms) = payment.state else { continue };
        let state = PaymentState::Started { sent: Sent { terms, started_at: stamp.now }, ask_at };
        let payment = Payment { state, updated_at: stamp.now, ..payment.clone() };
        decision.events.push(payment.event(EventKind::PaymentCreated, stamp.now));
        decision.payments.push(payment);
    }
    decision
}
