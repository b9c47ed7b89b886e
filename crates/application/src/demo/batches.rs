//! Payment batches in every status, with their payments and the journal transactions that each status requires.

use super::DemoFault;
use super::budgets::{BudgetBuilder, Movement};
use super::ids::{Kind, id};
use super::recipients::{Recipient, row};
use chrono::{DateTime, TimeDelta, Utc};
use florin_domain::access::Account;
use florin_domain::batch::{
    BatchState, BulkStatus, CheckBasis, Confirmation, CreateRequest, FailureReason, FundingBudgets, InputFormat,
    ModulusTable, Payment, PaymentBatch, PaymentBatchStatus, PaymentState, Processing, StartedTerms, UploadRequest,
    UploadSituation, check_rows, decide_create, decide_upload,
};
use florin_domain::ids::PaymentBatchId;
use florin_domain::ledger::{JournalKind, Pool};
use florin_domain::money::{Currency, Minor};
use florin_domain::stamp::Stamp;
use florin_domain::text::Text;
use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::Arc;
use uuid::Uuid;

use PaymentBatchStatus::{Cancelled, Completed, Confirmed, Draft, Failed, Started, Validated};
use Recipient::{Ada, Charles, Grete, Jeanne, Mary};

/// A batch to build: its name, its status, and its payments as (index of the budget, recipient, minor units).
type Plan = (&'static str, PaymentBatchStatus, &'static [(usize, Recipient, i64)]);

/// The batches of the demo account. The last validated one costs far more than its budget holds.
const DEMO: [Plan; 18] = [
    ("Suppliers, to be filled", Draft, &[]),
    ("Expenses, to be filled", Draft, &[]),
    ("Cleaning", Validated, &[(0, Ada, 600), (0, Charles, 400)]),
    ("Couriers", Validated, &[(0, Mary, 1_250)]),
    ("Stationery", Validated, &[(0, Ada, 1_000), (0, Mary, 500)]),
    ("Translations", Validated, &[(0, Charles, 1_000), (1, Grete, 900), (1, Jeanne, 600)]),
    ("Catering", Validated, &[(0, Ada, 1_750)]),
    ("Photographs", Validated, &[(0, Mary, 2_000)]),
    ("Repairs", Validated, &[(0, Charles, 1_125)]),
    ("Hosting", Validated, &[(0, Ada, 2_250)]),
    ("Training", Validated, &[(0, Charles, 1_500), (0, Mary, 1_000)]),
    ("Travel", Validated, &[(0, Ada, 1_001)]),
    ("A warehouse", Validated, &[(0, Charles, 100_000_000)]),
    ("Payroll, next week", Confirmed, &[(0, Ada, 7_000), (0, Mary, 5_000)]),
    ("Payroll, this week", Started, &[(0, Ada, 4_500), (0, Charles, 3_500)]),
    ("Payroll, last week", Completed, &[(0, Ada, 12_000), (0, Mary, 8_000)]),
    ("Closed accounts", Failed, &[(0, Charles, 5_000)]),
    ("Typed twice", Cancelled, &[(0, Mary, 4_200)]),
];

/// The other account's only batch.
const OTHER: [Plan; 1] = [("Rent", Validated, &[(0, Mary, 1_000)])];

/// Batches with their payments.
pub(super) type Filled = (Vec<PaymentBatch>, Vec<Payment>);

/// The demo account's batches, funded from its budgets (GBP, EUR, JPY).
pub(super) fn of_demo_account(
    account: &Account,
    builders: &mut [BudgetBuilder; 3],
    now: DateTime<Utc>,
) -> Result<Filled, DemoFault> {
    batches(account, &DEMO, 1, builders, now)
}

/// The other account's batch.
pub(super) fn of_other_account(
    account: &Account,
    builders: &mut [BudgetBuilder; 1],
    now: DateTime<Utc>,
) -> Result<Filled, DemoFault> {
    batches(account, &OTHER, 101, builders, now)
}

fn batches(
    account: &Account,
    plans: &[Plan],
    first_number: u32,
    builders: &mut [BudgetBuilder],
    now: DateTime<Utc>,
) -> Result<Filled, DemoFault> {
    let modulus = Arc::new(ModulusTable::built_in().map_err(|error| DemoFault::Rule(error.to_string()))?);
    let funding: FundingBudgets =
        builders.iter().map(|builder| (builder.id(), BTreeSet::from([builder.currency()]))).collect();
    let basis = CheckBasis { default_budget: None, funding, modulus };
    let (mut batches, mut payments) = (Vec::new(), Vec::new());
    for (number, plan) in (first_number..).zip(plans) {
        let created_at = now - TimeDelta::days(5) + TimeDelta::hours(i64::from(number - first_number));
        let (mut batch, mut filled) = upload(number, plan, account, (builders, &basis), created_at)?;
        advance(&mut batch, &mut filled, plan.1);
        settle(&batch, &filled, builders)?;
        batches.push(batch);
        payments.extend(filled);
    }
    Ok((batches, payments))
}

/// Creates a batch and uploads its payments by the rules of the domain. A batch without payments stays a draft.
fn upload(
    number: u32,
    &(name, status, payments): &Plan,
    account: &Account,
    (builders, basis): (&[BudgetBuilder], &CheckBasis),
    created_at: DateTime<Utc>,
) -> Result<(PaymentBatch, Vec<Payment>), DemoFault> {
    let drawn = Cell::new(0);
    let ids = || {
        drawn.set(drawn.get() + 1);
        id(Kind::BatchPart, number * 100 + drawn.get())
    };
    let create = CreateRequest {
        id: PaymentBatchId(id(Kind::Batch, number)),
        account: account.id.clone(),
        client: account.client,
        name: Some(Text::parse(name)?),
        visible: true,
        payments: None,
    };
    // The event of the creation is not seeded, so its id does not matter.
    let created = decide_create(&basis.funding, &create, &Stamp { now: created_at, ids: &Uuid::nil })
        .map_err(|refusal| DemoFault::Rule(refusal.to_string()))?;
    if payments.is_empty() {
        return Ok((created.batch, Vec::new()));
    }
    let rows = payments
        .iter()
        .map(|&(index, recipient, amount)| row(recipient, &builders[index], Minor(amount), reference(name, status)));
    let now = created_at + TimeDelta::minutes(5);
    let checked = check_rows(rows.collect(), basis.clone(), now);
    if let Some(alert) = checked.alerts().first() {
        return Err(DemoFault::Rule(format!("{name}: {}", alert.message)));
    }
    let situation = UploadSituation { batch: created.batch, funding: basis.funding.clone() };
    let request = UploadRequest { format: InputFormat::Json, checked };
    let uploaded = decide_upload(&situation, &request, &Stamp { now, ids: &ids })
        .map_err(|refusal| DemoFault::Rule(refusal.to_string()))?;
    Ok((uploaded.batch, uploaded.payments))
}

/// Returns the reference of the payments. It selects the outcome at the simulated bank.
fn reference(name: &str, status: PaymentBatchStatus) -> &str {
    match status {
        Started => "SBX-PENDING",
        Failed => "SBX-FAIL-CLOSED",
        // Payment networks do not allow commas in references.
        Draft | Validated | Confirmed | Completed | Cancelled => name.split(',').next().unwrap_or(name),
    }
}

/// Moves a validated batch and its payments to a later status. Workers have nothing to do for these batches, so that
/// demo worlds are the same in every run: the bank is queried about started payments only after a century, and the
/// payments of the confirmed batch stay validated, so none of them can be sent.
fn advance(batch: &mut PaymentBatch, payments: &mut [Payment], status: PaymentBatchStatus) {
    let after = |minutes| batch.created_at + TimeDelta::minutes(minutes);
    let at = after(10);
    let confirmation = Confirmation { by: Some(batch.created_by), at, passed_mfa_check_at: Some(at) };
    let (sent_at, ended_at) = (after(20), after(30));
    let processing = Processing { confirmation, orders_sent_at: Some(sent_at) };
    (batch.state, batch.updated_at) = match status {
        Draft | Validated => return,
        Cancelled => (BatchState::Cancelled(None), at),
        Confirmed => (BatchState::Confirmed(confirmation), at),
        Started => (BatchState::Started(processing), sent_at),
        Completed => (BatchState::Completed(processing), ended_at),
        Failed => (BatchState::Failed(processing), ended_at),
    };
    for payment in payments {
        let Some(&terms) = payment.terms() else { continue };
        let sent = StartedTerms { terms, started_at: sent_at };
        payment.state = match status {
            Draft | Validated | Confirmed => return,
            Cancelled => {
                BulkStatus::Cancelled.apply(payment, at);
                continue;
            }
            Started => PaymentState::Started { sent, ask_at: sent_at + TimeDelta::days(36_500) },
            Completed => PaymentState::Completed { sent, ask_at: None },
            Failed => PaymentState::Failed { sent, reason: FailureReason::AccountClosed },
        };
        payment.updated_at = batch.updated_at;
    }
}

/// Writes the journal transactions that the status of a batch and of its payments implies.
fn settle(batch: &PaymentBatch, payments: &[Payment], builders: &mut [BudgetBuilder]) -> Result<(), DemoFault> {
    let Some(confirmation) = batch.state.confirmation() else { return Ok(()) };
    for order in &batch.orders {
        let (from, to) = (Pool::Available(order.budget), Pool::Reserved(order.budget));
        let (kind, cause, at) = (JournalKind::BatchReservation, batch.id.0, confirmation.at);
        let amount = order.cost().ok_or(florin_domain::ledger::AmountOutOfRange::Overflow)?;
        builder_of(builders, (order.budget, order.currency))?.write(&Movement { kind, cause, at, from, to, amount })?;
    }
    for payment in payments {
        let Some(&terms) = payment.terms() else { continue };
        let (kind, to) = match payment.state {
            PaymentState::Completed { .. } => (JournalKind::Payment, Pool::OutboundPayments),
            PaymentState::Failed { .. } => (JournalKind::PaymentRelease, Pool::Available(terms.budget)),
            _ => continue,
        };
        let (from, amount) = (Pool::Reserved(terms.budget), terms.amount);
        let (cause, at) = (payment.id.0, payment.updated_at);
        builder_of(builders, (terms.budget, terms.currency))?.write(&Movement { kind, cause, at, from, to, amount })?;
    }
    Ok(())
}

fn builder_of(
    builders: &mut [BudgetBuilder],
    (budget, currency): (florin_domain::ids::BudgetId, Currency),
) -> Result<&mut BudgetBuilder, DemoFault> {
    let found = builders.iter_mut().find(|builder| builder.id() == budget && builder.currency() == currency);
    found.ok_or_else(|| DemoFault::Rule(format!("no budget {budget} in {currency}")))
}
