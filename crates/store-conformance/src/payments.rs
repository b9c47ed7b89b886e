//! Commands on payment batches. Uploads use a custom rule without the domain's validation, because a store does not see
//! the validation. All other commands use the domain's rules.

use crate::check::Failure;
use crate::commands::ids_from;
use crate::expect::{expect_new, expect_some};
use crate::factory::Handle;
use crate::seed_data::{Who, gbp, noon, uuid};
use chrono::{DateTime, TimeDelta, Utc};
use florin_domain::batch::{
    Alert, AlertCode, AlertKind, BatchContent, BatchInput, BatchState, BatchSummary, BatchTransition, CancelSituation,
    ConfirmSituation, CreateDecision, FundingBudgets, InputFormat, InputStatus, Payment, PaymentBatch,
    PaymentBatchStatus, PaymentFilter, PaymentInput, PaymentNetwork, PaymentOrder, PaymentOutcome, PaymentReport,
    PaymentState, PaymentStatus, PaymentTerms, RecipientInput, Reported, SettleSituation, StartPaymentsSituation,
    UploadDecision, UploadRefusal, UploadSituation, decide_cancel, decide_confirm, decide_settle, decide_start,
    decide_start_payments,
};
use florin_domain::event::{BatchEvent, Event, EventBody, EventKind};
use florin_domain::ids::{LeaseId, OrderId, PaymentBatchId, PaymentId};
use florin_domain::money::Minor;
use florin_domain::stamp::Stamp;
use florin_ports::{
    CancelBatchCommand, ClaimCommand, ConfirmCommand, CreateBatchCommand, EditBatchCommand, Lease, Mode, RecordCommand,
    StartCommand, StartPaymentsCommand, UploadCommand,
};
use std::sync::Arc;

/// Returns the id of batch `number`.
pub(crate) const fn batch_id(number: u128) -> PaymentBatchId {
    PaymentBatchId(uuid(51, number))
}

/// Returns the id of payment `number`.
pub(crate) const fn payment_id(number: u128) -> PaymentId {
    PaymentId(uuid(52, number))
}

/// Returns the id of lease `number`.
pub(crate) const fn lease_id(number: u128) -> LeaseId {
    LeaseId(uuid(53, number))
}

/// Returns the time `seconds` after noon.
pub(crate) fn after(seconds: i64) -> DateTime<Utc> {
    noon() + TimeDelta::seconds(seconds)
}

/// Payments to upload to a batch. Every third payment has a fee.
#[derive(Clone, Debug)]
pub(crate) struct NewPayments {
    /// Number of the first payment.
    pub(crate) first: u128,
    pub(crate) inputs: Vec<PaymentInput>,
    /// Indexes of the payments with an Error alert.
    pub(crate) faulty: Vec<u32>,
    pub(crate) alerts: Vec<Alert>,
    pub(crate) at: DateTime<Utc>,
}

impl NewPayments {
    /// Creates `count` payments of 1.00 and more, alternating between both budgets. Two of three have the default
    /// reference of their recipient.
    pub(crate) fn of(first: u128, count: u32) -> Self {
        let input = |number: u32| PaymentInput {
            amount: Some("1.00".into()),
            reference: match number % 3 {
                0 => Some(format!("payment {number}")),
                1 => None,
                _ => Some(" ".into()),
            },
            recipient: RecipientInput {
                default_reference: Some(format!("recipient {number}")),
                ..RecipientInput::default()
            },
            ..PaymentInput::default()
        };
        Self { first, inputs: (0..count).map(input).collect(), faulty: vec![], alerts: vec![], at: noon() }
    }

    /// Adds an Error alert and a Warning alert to each of these payments.
    pub(crate) fn with_faults(mut self, indexes: &[u32]) -> Self {
        self.faulty = indexes.to_vec();
        self.alerts.extend(indexes.iter().flat_map(|index| {
            let found = [(AlertCode::AmountInvalid, "Write a decimal."), (AlertCode::DuplicatePayment, "Look twice.")];
            found.map(|(code, message)| Alert {
                at: self.at,
                kind: code.kind(),
                code,
                index: Some(*index),
                message: message.into(),
            })
        }));
        self
    }

    fn decide(&self, who: Who, batch: &PaymentBatch) -> Result<UploadDecision, UploadRefusal> {
        let mut batch = batch.clone();
        let has_errors = !self.faulty.is_empty();
        batch.state = batch.state.after(BatchTransition::Upload { has_errors })?;
        if batch.locked {
            return Err(UploadRefusal::Locked);
        }
        batch.orders = Vec::new();
        let mut payments = Vec::new();
        for (index, input) in (0..).zip(&self.inputs) {
            let terms = if self.faulty.contains(&index) { None } else { self.terms(who, index, &mut batch) };
            payments.push(Payment {
                id: payment_id(self.first + u128::from(index)),
                account: batch.account.clone(),
                batch: batch.id,
                index,
                state: terms.map_or(PaymentState::Created, PaymentState::Validated),
                input: input.clone(),
                created_at: self.at,
                updated_at: self.at,
            });
        }
        batch.input = Some(BatchInput {
            format: InputFormat::Csv,
            status: if has_errors { InputStatus::Failed } else { InputStatus::Validated },
            default_budget: Some(who.budget()),
            created_at: batch.input.map_or(self.at, |input| input.created_at),
            updated_at: self.at,
        });
        batch.updated_at = self.at;
        let is_ready = batch.status() == PaymentBatchStatus::Validated;
        let events = is_ready.then(|| event(EventKind::PaymentBatchCreated, &batch)).into_iter().collect();
        Ok(UploadDecision { batch, payments, alerts: self.alerts.clone(), events })
    }

    /// Returns the terms of a payment and adds its amount and fee to the order of its budget.
    fn terms(&self, who: Who, index: u32, batch: &mut PaymentBatch) -> Option<PaymentTerms> {
        let currency = gbp().ok()?;
        let budget = if index.is_multiple_of(2) { who.budget() } else { who.second_budget() };
        let (amount, fee) = (Minor(100 + i64::from(index % 7)), Minor(if index.is_multiple_of(3) { 5 } else { 0 }));
        let network = if index.is_multiple_of(3) { PaymentNetwork::Swift } else { PaymentNetwork::FasterPayments };
        let id = OrderId(uuid(54 + u128::from(index % 2), self.first));
        if batch.orders.iter().all(|order| order.id != id) {
            batch.orders.push(PaymentOrder {
                id,
                budget,
                currency,
                total: Minor::ZERO,
                fees: Minor::ZERO,
                payments: 0,
            });
        }
        let order = batch.orders.iter_mut().find(|order| order.id == id)?;
        order.total = order.total.plus(amount)?;
        order.fees = order.fees.plus(fee)?;
        order.payments += 1;
        Some(PaymentTerms { order: id, budget, currency, amount, fee, network })
    }
}

/// Creates a batch without payments at the given time.
pub(crate) fn empty(who: Who, number: u128, at: DateTime<Utc>) -> Result<PaymentBatch, Failure> {
    let batch = crate::seed_data::batch(who, batch_id(number), BatchState::Draft)?;
    Ok(PaymentBatch { orders: vec![], created_at: at, updated_at: at, name: format!("batch {number}"), ..batch })
}

/// Creates an event about a batch.
fn event(kind: EventKind, batch: &PaymentBatch) -> Event {
    let (name, status) = (batch.name.clone(), batch.status());
    let body = EventBody::Batch(Box::new(BatchEvent { batch: batch.id, name, status, order: None, result: None }));
    Event { account: batch.account.clone(), kind, at: batch.updated_at, body }
}

/// Builds a command that creates a batch, with or without payments.
pub(crate) fn create(
    who: Who,
    batch: PaymentBatch,
    new_payments: Option<NewPayments>,
) -> Result<CreateBatchCommand, Failure> {
    let decide = Arc::new(move |_: &FundingBudgets| {
        let Some(new_payments) = &new_payments else {
            return Ok(CreateDecision { batch: batch.clone(), payments: vec![], alerts: vec![], events: vec![] });
        };
        let UploadDecision { batch, payments, alerts, events } = new_payments.decide(who, &batch)?;
        Ok(CreateDecision { batch, payments, alerts, events })
    });
    Ok(CreateBatchCommand { account: who.account()?, decide, claim: None })
}

/// Builds a command that uploads payments to a batch.
pub(crate) fn upload(who: Who, batch: PaymentBatchId, new_payments: NewPayments) -> Result<UploadCommand, Failure> {
    let decide = Arc::new(move |situation: &UploadSituation| new_payments.decide(who, &situation.batch));
    Ok(UploadCommand { account: who.account()?, batch, decide, claim: None })
}

/// Builds a command that renames a batch.
pub(crate) fn rename(
    who: Who,
    batch: PaymentBatchId,
    name: &str,
    at: DateTime<Utc>,
) -> Result<EditBatchCommand, Failure> {
    let name = name.to_owned();
    let decide =
        Arc::new(move |batch: &PaymentBatch| PaymentBatch { name: name.clone(), updated_at: at, ..batch.clone() });
    Ok(EditBatchCommand { account: who.account()?, batch, decide, claim: None })
}

/// Builds a command that cancels a batch; ids of new records start at `ids`.
pub(crate) fn cancel(who: Who, batch: PaymentBatchId, ids: u128) -> Result<CancelBatchCommand, Failure> {
    let decide = Arc::new(move |situation: &CancelSituation| {
        let ids = ids_from(ids);
        decide_cancel(situation, &Stamp { now: after(60), ids: &ids })
    });
    Ok(CancelBatchCommand { account: who.account()?, batch, decide, claim: None })
}

/// Builds a command that confirms a batch without authentication; ids of new records start at `ids`.
pub(crate) fn confirm(who: Who, batch: PaymentBatchId, ids: u128) -> Result<ConfirmCommand, Failure> {
    let decide = Arc::new(move |situation: &ConfirmSituation| {
        let ids = ids_from(ids);
        let situation = ConfirmSituation { mfa_required: false, ..situation.clone() };
        decide_confirm(&situation, None, who.client(), &Stamp { now: after(30), ids: &ids })
    });
    Ok(ConfirmCommand { account: who.account()?, batch, session: None, decide, mode: Mode::Commit, claim: None })
}

/// Creates and confirms batch `number` with `count` payments.
pub(crate) async fn add_confirmed_batch(
    handle: &Handle,
    who: Who,
    number: u128,
    count: u32,
) -> Result<PaymentBatch, Failure> {
    let new_payments = NewPayments::of(number * 100_000, count);
    expect_new(handle.management.create(create(who, empty(who, number, noon())?, Some(new_payments))?).await)?;
    expect_new(handle.batches.confirm(confirm(who, batch_id(number), number * 100_000)?).await)
}

/// Builds a command that claims up to `max` batches for one minute.
pub(crate) fn claim(number: u128, now: DateTime<Utc>, max: u32) -> ClaimCommand {
    ClaimCommand { lease: lease_id(number), now, until: now + TimeDelta::seconds(60), max }
}

/// Claims batches and expects exactly one lease.
pub(crate) async fn claim_one(handle: &Handle, number: u128, now: DateTime<Utc>) -> Result<Lease, Failure> {
    let mut leases = handle.processing.claim(claim(number, now, 10)).await?;
    crate::expect::same("leases", leases.len(), 1)?;
    expect_some("a lease", leases.pop())
}

/// Builds a command that starts processing a batch; ids of new records start at `ids`.
pub(crate) fn start(lease: &Lease, ids: u128) -> StartCommand {
    let decide = Arc::new(move |batch: &PaymentBatch| {
        let ids = ids_from(ids);
        decide_start(batch, &Stamp { now: after(90), ids: &ids })
    });
    StartCommand { lease: lease.clone(), decide }
}

/// Builds a command that starts payments of a batch. Their result is due 120 seconds after noon.
pub(crate) fn start_payments(lease: &Lease, max: u32, ids: u128) -> StartPaymentsCommand {
    let decide = Arc::new(move |StartPaymentsSituation { batch, payments }: &StartPaymentsSituation| {
        let ids = ids_from(ids);
        decide_start_payments(batch, payments, after(120), &Stamp { now: after(91), ids: &ids })
    });
    StartPaymentsCommand { lease: lease.clone(), max, decide }
}

/// Builds a command that records one outcome for several payments; ids of new records start at `ids`.
pub(crate) fn record(
    lease: &Lease,
    payments: &[PaymentId],
    outcome: PaymentOutcome,
    ask_again_at: Option<DateTime<Utc>>,
    ids: u128,
) -> RecordCommand {
    let report = PaymentReport { outcome, ask_again_at };
    let reports: Vec<_> = payments.iter().map(|payment| Reported { payment: *payment, report }).collect();
    let decide = Arc::new(move |situation: &SettleSituation| {
        let ids = ids_from(ids);
        decide_settle(situation, &reports, &Stamp { now: after(100), ids: &ids })
    });
    RecordCommand { lease: lease.clone(), payments: payments.to_vec(), decide }
}

/// Returns the whole content of a batch.
pub(crate) async fn content(handle: &Handle, who: Who, batch: PaymentBatchId) -> Result<BatchContent, Failure> {
    let found = handle.reading.content(&who.account()?, batch, PaymentFilter::default()).await?;
    expect_some("the batch", found)
}

/// Returns a batch with its first alerts.
pub(crate) async fn summary(handle: &Handle, who: Who, batch: PaymentBatchId) -> Result<BatchSummary, Failure> {
    expect_some("the batch", handle.reading.find(&who.account()?, batch).await?)
}

/// Counts the payments of each status that occurs.
pub(crate) fn statuses(payments: &[Payment]) -> Vec<(PaymentStatus, usize)> {
    let count = |status| payments.iter().filter(|payment| payment.status() == status).count();
    let all = PaymentStatus::ALL.into_iter().map(|status| (status, count(status)));
    all.filter(|(_, count)| *count > 0).collect()
}

/// Creates an alert of a batch or of one of its payments.
pub(crate) fn alert(code: AlertCode, index: Option<u32>, at: DateTime<Utc>, message: &str) -> Alert {
    let kind = if code == AlertCode::DuplicatePayment { AlertKind::Warning } else { AlertKind::Error };
    Alert { at, kind, code, index, message: message.into() }
}
