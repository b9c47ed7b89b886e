//! Payment batches.

use super::backend::{Conn, Db};
use super::errors::{Outcome, exactly_one};
use super::job::Order;
use super::repeat::once;
use super::schema::{accounts, payment_batches as batches, payment_orders as orders};
use super::store::Store;
use super::types::{Account, Currency, Id, Named, Time};
use super::{balances, journal, mfa};
use async_trait::async_trait;
use diesel::prelude::*;
use florin_domain::batch::{
    ConfirmRefusal, ConfirmSituation, Confirmation, PaymentBatch, PaymentBatchStatus, PaymentOrder,
};
use florin_domain::ids::{AccountId, BudgetId, ClientId, OrderId, PaymentBatchId};
use florin_domain::money::Minor;
use florin_ports::{ConfirmOrder, PaymentBatches, WriteError, Written};

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = batches, check_for_backend(Db), treat_none_as_default_value = false)]
struct BatchRow {
    account_id: Account,
    id: Id,
    name: String,
    status: Named<PaymentBatchStatus>,
    created_at: Time,
    updated_at: Time,
    confirmed_at: Option<Time>,
    passed_mfa_check_at: Option<Time>,
}

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = orders, check_for_backend(Db))]
struct OrderRow {
    account_id: Account,
    batch_id: Id,
    position: i64,
    id: Id,
    budget_id: Id,
    currency: Currency,
    total_minor: i64,
}

impl From<OrderRow> for PaymentOrder {
    fn from(row: OrderRow) -> Self {
        Self {
            id: OrderId(row.id.0),
            budget: BudgetId(row.budget_id.0),
            currency: row.currency.0,
            total: Minor(row.total_minor),
            fees: Minor::ZERO,
        }
    }
}

#[async_trait]
impl PaymentBatches for Store {
    async fn confirm(&self, order: ConfirmOrder) -> Result<Written<PaymentBatch>, WriteError<ConfirmRefusal>> {
        self.submit(order).await
    }
}

impl Order for ConfirmOrder {
    type Done = Written<PaymentBatch>;
    type Refused = ConfirmRefusal;

    fn carry_out(&self, conn: &mut Conn) -> Result<Self::Done, WriteError<ConfirmRefusal>> {
        once(conn, self.repeat.as_ref(), |conn| {
            let situation = situation(conn, self)?.ok_or(WriteError::Absent)?;
            let decision = (self.decide)(&situation);
            // Attempts count, whatever the answer is.
            if let Some(session) = &decision.session {
                mfa::update_session(conn, session)?;
            }
            if let Some(enrolment) = &decision.enrolment {
                mfa::update_enrolment(conn, enrolment)?;
            }
            let confirmation = decision.answer.map_err(WriteError::Refused)?;
            save(conn, situation.batch.status, &confirmation)?;
            Ok(confirmation.batch)
        })
    }
}

fn situation(conn: &mut Conn, order: &ConfirmOrder) -> Outcome<Option<ConfirmSituation>> {
    let account = &order.account;
    let Some(batch) = find(conn, account, order.batch)? else { return Ok(None) };
    let session = order.session.map(|id| mfa::session(conn, account, id)).transpose()?.flatten();
    let enrolment = mfa::enrolment(conn, account)?;
    let row = accounts::table.filter(accounts::id.eq(account.as_str()));
    let mfa_required = row.select(accounts::mfa_required).get_result(conn)?;
    let balances = balances::of_budgets(conn, account, batch.orders.iter().map(|order| order.budget))?;
    Ok(Some(ConfirmSituation { batch, session, enrolment, mfa_required, balances }))
}

fn save(conn: &mut Conn, before: PaymentBatchStatus, confirmation: &Confirmation) -> Outcome<()> {
    let batch = &confirmation.batch;
    let row = batches::table
        .filter(batches::account_id.eq(batch.account.as_str()))
        .filter(batches::id.eq(Id(batch.id.0)))
        .filter(batches::status.eq(Named(before)));
    let changed = diesel::update(row)
        .set((
            batches::status.eq(Named(batch.status)),
            batches::updated_at.eq(Time(batch.updated_at)),
            batches::confirmed_at.eq(batch.confirmed_at.map(Time)),
            batches::passed_mfa_check_at.eq(batch.passed_mfa_check_at.map(Time)),
        ))
        .execute(conn)?;
    exactly_one(changed, "payment batch")?;
    confirmation.journal.iter().try_for_each(|transaction| journal::insert(conn, transaction))?;
    confirmation.balances.iter().try_for_each(|(key, after)| balances::store(conn, &batch.account, *key, after))
}

/// A batch of the account with its orders, locked.
pub(crate) fn find(conn: &mut Conn, account: &AccountId, id: PaymentBatchId) -> Outcome<Option<PaymentBatch>> {
    let row = locked!(
        batches::table
            .filter(batches::account_id.eq(account.as_str()))
            .filter(batches::id.eq(Id(id.0)))
            .select(BatchRow::as_select())
    )
    .get_result(conn)
    .optional()?;
    row.map(|row| with_orders(conn, row)).transpose()
}

/// The batches of an account, by id.
pub(crate) fn of_account(conn: &mut Conn, account: &AccountId) -> Outcome<Vec<PaymentBatch>> {
    let rows = batches::table
        .filter(batches::account_id.eq(account.as_str()))
        .order(batches::id)
        .select(BatchRow::as_select())
        .load(conn)?;
    rows.into_iter().map(|row| with_orders(conn, row)).collect()
}

fn with_orders(conn: &mut Conn, row: BatchRow) -> Outcome<PaymentBatch> {
    let of_batch = orders::table
        .filter(orders::account_id.eq(row.account_id.0.as_str()))
        .filter(orders::batch_id.eq(row.id))
        .order(orders::position)
        .select(OrderRow::as_select())
        .load(conn)?;
    let owner = accounts::table.filter(accounts::id.eq(row.account_id.0.as_str()));
    let created_by: Id = owner.select(accounts::client_id).get_result(conn)?;
    Ok(PaymentBatch {
        id: PaymentBatchId(row.id.0),
        account: row.account_id.0,
        name: row.name,
        status: row.status.0,
        orders: of_batch.into_iter().map(PaymentOrder::from).collect(),
        created_by: ClientId(created_by.0),
        visible: true,
        locked: false,
        input: None,
        created_at: row.created_at.0,
        updated_at: row.updated_at.0,
        confirmed_by: None,
        confirmed_at: row.confirmed_at.map(|time| time.0),
        passed_mfa_check_at: row.passed_mfa_check_at.map(|time| time.0),
        orders_sent_at: None,
    })
}

/// Stores a new batch with its orders.
pub(crate) fn insert(conn: &mut Conn, batch: &PaymentBatch) -> Outcome<()> {
    let row = BatchRow {
        account_id: Account(batch.account.clone()),
        id: Id(batch.id.0),
        name: batch.name.clone(),
        status: Named(batch.status),
        created_at: Time(batch.created_at),
        updated_at: Time(batch.updated_at),
        confirmed_at: batch.confirmed_at.map(Time),
        passed_mfa_check_at: batch.passed_mfa_check_at.map(Time),
    };
    diesel::insert_into(batches::table).values(row).execute(conn)?;
    for (position, order) in (0_i64..).zip(&batch.orders) {
        let row = OrderRow {
            account_id: Account(batch.account.clone()),
            batch_id: Id(batch.id.0),
            position,
            id: Id(order.id.0),
            budget_id: Id(order.budget.0),
            currency: Currency(order.currency),
            total_minor: order.total.0,
        };
        diesel::insert_into(orders::table).values(row).execute(conn)?;
    }
    Ok(())
}
