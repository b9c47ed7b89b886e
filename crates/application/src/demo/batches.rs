//! Payment batches in every status, with the journal transactions that each status requires.

use super::DemoFault;
use super::budgets::{Book, Movement};
use super::ids::{Kind, id};
use chrono::{DateTime, TimeDelta, Utc};
use florin_domain::access::Account;
use florin_domain::batch::{BatchState, Confirmation, PaymentBatch, PaymentBatchStatus, PaymentOrder, Processing};
use florin_domain::ids::{OrderId, PaymentBatchId};
use florin_domain::ledger::{JournalKind, LedgerAccount};
use florin_domain::money::Minor;

use PaymentBatchStatus::{Cancelled, Completed, Confirmed, Draft, Failed, Started, Validated};

/// A batch to build: its name, its status, and its orders as (index of the budget, total in minor units).
type Plan = (&'static str, PaymentBatchStatus, &'static [(usize, i64)]);

/// The demo account's batches. The last of the validated ones costs far more than its budget holds.
const DEMO: [Plan; 18] = [
    ("Suppliers, to be filled", Draft, &[]),
    ("Expenses, being checked", Draft, &[(0, 3_300)]),
    ("Cleaning", Validated, &[(0, 1_000)]),
    ("Couriers", Validated, &[(0, 1_250)]),
    ("Stationery", Validated, &[(0, 1_500)]),
    ("Translations", Validated, &[(0, 1_000), (1, 1_500)]),
    ("Catering", Validated, &[(0, 1_750)]),
    ("Photographs", Validated, &[(0, 2_000)]),
    ("Repairs", Validated, &[(0, 1_125)]),
    ("Hosting", Validated, &[(0, 2_250)]),
    ("Training", Validated, &[(0, 2_500)]),
    ("Travel", Validated, &[(0, 1_001)]),
    ("A warehouse", Validated, &[(0, 100_000_000)]),
    ("Payroll, next week", Confirmed, &[(0, 12_000)]),
    ("Payroll, this week", Started, &[(0, 8_000)]),
    ("Payroll, last week", Completed, &[(0, 20_000)]),
    ("Closed accounts", Failed, &[(0, 5_000)]),
    ("Typed twice", Cancelled, &[(0, 4_200)]),
];

/// The other account's only batch.
const OTHER: [Plan; 1] = [("Rent", Validated, &[(0, 1_000)])];

/// The demo account's batches, funded from its budgets (GBP, EUR, JPY).
pub(super) fn of_demo_account(
    account: &Account,
    books: &mut [Book; 3],
    now: DateTime<Utc>,
) -> Result<Vec<PaymentBatch>, DemoFault> {
    batches(account, &DEMO, 1, books, now)
}

/// The other account's batch.
pub(super) fn of_other_account(
    account: &Account,
    books: &mut [Book; 1],
    now: DateTime<Utc>,
) -> Result<Vec<PaymentBatch>, DemoFault> {
    batches(account, &OTHER, 101, books, now)
}

fn batches(
    account: &Account,
    plans: &[Plan],
    first: u32,
    books: &mut [Book],
    now: DateTime<Utc>,
) -> Result<Vec<PaymentBatch>, DemoFault> {
    let batch = |(number, plan)| {
        let created_at = now - TimeDelta::days(5) + TimeDelta::hours(i64::from(number - first));
        let batch = batch(number, plan, account, books, created_at);
        for (order, (book, _)) in batch.orders.iter().zip(plan.2) {
            settle(&batch, order, &mut books[*book])?;
        }
        Ok(batch)
    };
    (first..).zip(plans).map(batch).collect()
}

fn batch(number: u32, plan: &Plan, account: &Account, books: &[Book], created_at: DateTime<Utc>) -> PaymentBatch {
    let &(name, status, orders) = plan;
    let order = |(index, &(book, total)): (u32, &(usize, i64))| PaymentOrder {
        id: OrderId(id(Kind::Order, number * 10 + index)),
        budget: books[book].id(),
        currency: books[book].currency(),
        total: Minor(total),
        fees: Minor::ZERO,
    };
    let after = |minutes| created_at + TimeDelta::minutes(minutes);
    let (by, at) = (Some(account.client), after(10));
    let confirmation = Confirmation { by, at, passed_mfa_check_at: Some(at) };
    let processing = Processing { confirmation, orders_sent_at: Some(after(20)) };
    let (state, updated_at) = match status {
        Draft => (BatchState::Draft, created_at),
        Validated => (BatchState::Validated, after(5)),
        Cancelled => (BatchState::Cancelled(None), after(5)),
        Confirmed => (BatchState::Confirmed(confirmation), after(10)),
        Started => (BatchState::Started(processing), after(20)),
        Completed => (BatchState::Completed(processing), after(30)),
        Failed => (BatchState::Failed(processing), after(30)),
    };
    PaymentBatch {
        id: PaymentBatchId(id(Kind::Batch, number)),
        account: account.id.clone(),
        name: name.into(),
        state,
        orders: (1..).zip(orders).map(order).collect(),
        created_by: account.client,
        visible: true,
        locked: false,
        input: None,
        created_at,
        updated_at,
    }
}

/// Writes the journal transactions of an order that the status of its batch implies.
fn settle(batch: &PaymentBatch, order: &PaymentOrder, book: &mut Book) -> Result<(), DemoFault> {
    let Some(confirmation) = batch.state.confirmation() else { return Ok(()) };
    let (available, reserved) = (LedgerAccount::Available(order.budget), LedgerAccount::Reserved(order.budget));
    let movement = |kind, at, from, to| Movement { kind, cause: batch.id.0, at, from, to, amount: order.total };
    book.write(&movement(JournalKind::BatchReservation, confirmation.at, available, reserved))?;
    let paid = LedgerAccount::OutboundPayments;
    match batch.status() {
        Completed => book.write(&movement(JournalKind::BatchPayout, batch.updated_at, reserved, paid)),
        Failed => book.write(&movement(JournalKind::BatchRelease, batch.updated_at, reserved, available)),
        Draft | Validated | Confirmed | Started | Cancelled => Ok(()),
    }
}
