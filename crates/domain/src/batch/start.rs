//! Starting a confirmed batch, and starting its payments before they are sent.

use super::{BatchState, BatchTransition, IllegalBatchTransition, Payment, PaymentBatch, PaymentState, StartedTerms};
use crate::event::{Event, EventKind};
use crate::stamp::Stamp;
use chrono::{DateTime, Utc};

/// The result of starting a batch. An adapter stores it atomically.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StartDecision {
    /// The batch after the decision.
    pub batch: PaymentBatch,
    /// The events.
    pub events: Vec<Event>,
}

/// Decides the start of a confirmed batch. A batch in another state is refused.
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
pub fn decide_start(batch: &PaymentBatch, stamp: &Stamp<'_>) -> Result<StartDecision, IllegalBatchTransition> {
    let state = batch.state.after(BatchTransition::Start { at: stamp.now })?;
    let batch = PaymentBatch { state, updated_at: stamp.now, ..batch.clone() };
    let events = vec![batch.event(EventKind::PaymentBatchProcessing, None, None)];
    Ok(StartDecision { batch, events })
}

/// The situation for the start of payments. An adapter loads it under the lock of the batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StartPaymentsSituation {
    /// The batch.
    pub batch: PaymentBatch,
    /// Its next confirmed payments, by input index.
    pub payments: Vec<Payment>,
}

/// The result of starting payments. An adapter stores it atomically before the payments are sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StartPaymentsDecision {
    /// The started payments.
    pub payments: Vec<Payment>,
    /// The events.
    pub events: Vec<Event>,
}

/// Starts the confirmed payments of a started batch, which can then be sent. Skips all other payments. If the batch is
/// not started, the decision is empty.
///
/// `ask_at` is the time at which the bank is queried if no report has arrived by then, because a worker may stop
/// between this decision and the sending.
///
/// ```
/// use florin_domain::batch::{PaymentStatus, decide_start_payments};
/// use florin_domain::test_support::{BatchScenario, a_budget, a_payment};
///
/// let mut scenario = BatchScenario::of(a_budget().with("100.00 GBP"));
/// scenario.upload([a_payment("60.00 GBP")]).unwrap();
/// scenario.confirm().unwrap();
/// scenario.start().unwrap();
/// let started = decide_start_payments(&scenario.batch, &scenario.payments, scenario.now, &scenario.stamp());
/// assert_eq!(started.payments[0].status(), PaymentStatus::Started);
/// ```
pub fn decide_start_payments(
    batch: &PaymentBatch,
    payments: &[Payment],
    ask_at: DateTime<Utc>,
    stamp: &Stamp<'_>,
) -> StartPaymentsDecision {
    let mut decision = StartPaymentsDecision { payments: Vec::new(), events: Vec::new() };
    if !matches!(batch.state, BatchState::Started(_)) {
        return decision;
    }
    for payment in payments {
        let PaymentState::Confirmed(terms) = payment.state else { continue };
        let state = PaymentState::Started { sent: StartedTerms { terms, started_at: stamp.now }, ask_at };
        let payment = Payment { state, updated_at: stamp.now, ..payment.clone() };
        decision.events.push(payment.event(EventKind::PaymentCreated, stamp.now));
        decision.payments.push(payment);
    }
    decision
}
