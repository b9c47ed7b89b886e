//! Processing picks a batch up, and takes its payments to be sent.

use super::{BatchMove, IllegalMove, Payment, PaymentBatch, PaymentBatchStatus, PaymentStatus, Stamp};
use crate::event::{Event, EventKind};
use chrono::{DateTime, Utc};

/// What is to be stored, whole or not at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StartDecision {
    /// The batch as it is now.
    pub batch: PaymentBatch,
    /// What happened.
    pub events: Vec<Event>,
}

/// Decides that a confirmed batch starts.
pub fn decide_start(batch: &PaymentBatch, stamp: &Stamp<'_>) -> Result<StartDecision, IllegalMove> {
    let mut batch = batch.clone();
    batch.status = batch.status.after(BatchMove::Start)?;
    batch.orders_sent_at = Some(stamp.now);
    batch.updated_at = stamp.now;
    let events = vec![stamp.event(EventKind::PaymentBatchProcessing, (&batch.account, batch.id), None, None)];
    Ok(StartDecision { batch, events })
}

/// What a rule sees before payments are taken for sending, under the lock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TakeSituation {
    /// The batch.
    pub batch: PaymentBatch,
    /// Its next confirmed payments, by input index.
    pub payments: Vec<Payment>,
}

/// What is to be stored, whole or not at all, before a payment is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TakeDecision {
    /// The payments as they are now.
    pub payments: Vec<Payment>,
    /// What happened.
    pub events: Vec<Event>,
}

/// Decides that payments of a started batch are sent. Those that were taken before, or are final, are left alone.
///
/// `ask_at` is when the bank is asked what became of them if nothing was heard by then: a worker may end between this and
/// sending them, and nobody else knows.
pub fn decide_take(
    batch: &PaymentBatch,
    payments: &[Payment],
    ask_at: DateTime<Utc>,
    stamp: &Stamp<'_>,
) -> TakeDecision {
    let mut decision = TakeDecision { payments: Vec::new(), events: Vec::new() };
    if batch.status != PaymentBatchStatus::Started {
        return decision;
    }
    for payment in payments.iter().filter(|payment| payment.status == PaymentStatus::Confirmed) {
        let order = payment.terms.as_ref().map(|terms| terms.order);
        let (now, of_batch) = (Some(stamp.now), (&batch.account, batch.id));
        decision.payments.push(Payment {
            status: PaymentStatus::Started,
            updated_at: stamp.now,
            started_at: now,
            ask_at: Some(ask_at),
            ..payment.clone()
        });
        decision.events.push(stamp.event(EventKind::PaymentCreated, of_batch, order, Some(payment.id)));
    }
    decision
}
