//! Payment batches.

use super::backend::{Conn, Db};
use super::errors::Outcome;
use super::group::{Needs, Order, Sheet, ask};
use super::repeat::Records;
use super::schema::{accounts, payment_batches, payment_orders};
use super::sets::{Known, Stored, rows};
use super::store::Store;
use super::types::{Account, Currency, Id, Named, Time};
use async_trait::async_trait;
use diesel::prelude::*;
use florin_domain::batch::{
    ConfirmRefusal, ConfirmSituation, Confirmation, PaymentBatch, PaymentBatchStatus, PaymentOrder,
};
use florin_domain::ids::{AccountId, BudgetId, OrderId, PaymentBatchId};
use florin_domain::money::Minor;
use florin_ports::{ConfirmOrder, PaymentBatches, WriteError, Written};
use std::collections::BTreeMap;

rows! {
    #[derive(Queryable, Selectable, Insertable)]
    #[diesel(table_name = payment_batches, check_for_backend(Db), treat_none_as_default_value = false)]
    pub(crate) struct BatchRow in payment_batches {
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
    #[diesel(table_name = payment_orders, check_for_backend(Db))]
    pub(crate) struct OrderRow in payment_orders {
        account_id: Account,
        batch_id: Id,
        position: i64,
        id: Id,
        budget_id: Id,
        currency: Currency,
        total_minor: i64,
    }
}

/// What an account's policy is.
#[derive(Queryable, Selectable)]
#[diesel(table_name = accounts, check_for_backend(Db))]
pub(crate) struct PolicyRow {
    id: Account,
    mfa_required: bool,
}

select_rows! {
    /// Batches, locked.
    LockedBatches: BatchRow {
        from payment_batches by { account_id: Account, id: Id, }
        with ""
        order " ORDER BY payment_batches.account_id, payment_batches.id"
        lock " FOR UPDATE OF payment_batches"
    }
}

select_rows! {
    /// The orders of batches, in their places.
    OrdersOf: OrderRow {
        from payment_orders by { account_id: Account, batch_id: Id, }
        with ""
        order " ORDER BY payment_orders.account_id, payment_orders.batch_id, payment_orders.position"
        lock ""
    }
}

select_rows! {
    /// The policies of accounts.
    Policies: PolicyRow {
        from accounts by { id: Account, }
        with ""
        order ""
        lock ""
    }
}

update_rows! {
    /// Where a batch stands now.
    BatchNow in payment_batches {
        set {
            status: Named<PaymentBatchStatus>,
            updated_at: Time,
            confirmed_at: Option<Time>,
            passed_mfa_check_at: Option<Time>,
        }
        of { account_id: Account, id: Id, }
        if ""
    }
}

impl From<OrderRow> for PaymentOrder {
    fn from(row: OrderRow) -> Self {
        Self {
            id: OrderId(row.id.0),
            budget: BudgetId(row.budget_id.0),
            currency: row.currency.0,
            total: Minor(row.total_minor),
        }
    }
}

impl From<BatchRow> for PaymentBatch {
    /// Its orders are rows of their own.
    fn from(row: BatchRow) -> Self {
        Self {
            id: PaymentBatchId(row.id.0),
            account: row.account_id.0,
            name: row.name,
            status: row.status.0,
            orders: Vec::new(),
            created_at: row.created_at.0,
            updated_at: row.updated_at.0,
            confirmed_at: row.confirmed_at.map(|time| time.0),
            passed_mfa_check_at: row.passed_mfa_check_at.map(|time| time.0),
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

    fn needs(&self, needs: &mut Needs) {
        needs.batch(&self.account, self.batch);
        needs.funds_of(&self.account, self.batch);
        if let Some(session) = self.session {
            needs.session(&self.account, session);
        }
        needs.answer(self.repeat.as_ref());
    }

    fn carry_out(&self, sheet: &mut Sheet) -> Result<Self::Done, WriteError<ConfirmRefusal>> {
        if let Some(answer) = sheet.records.find(self.repeat.as_ref())? {
            return Ok(Written::Replayed(answer));
        }
        let situation = situation(sheet, self).ok_or(WriteError::Absent)?;
        let decision = ask(|| (self.decide)(&situation))?;
        let confirmed = decision.answer.as_ref().ok();
        let record = confirmed.map(|done| Records::made(self.repeat.as_ref(), &done.batch)).transpose()?.flatten();
        // Attempts count, whatever the answer is.
        sheet.mfa.change(decision.session, decision.enrolment);
        let confirmation = decision.answer.map_err(WriteError::Refused)?;
        note(sheet, &confirmation);
        sheet.records.add(record);
        Ok(Written::Fresh(confirmation.batch))
    }
}

fn situation(sheet: &Sheet, order: &ConfirmOrder) -> Option<ConfirmSituation> {
    let account = &order.account;
    let batch = sheet.batches.get(account, order.batch)?.clone();
    let mut balances = BTreeMap::new();
    for order in &batch.orders {
        let held = sheet.purses.of(account, order.budget).iter();
        balances.extend(held.map(|(currency, held)| ((order.budget, *currency), *held)));
    }
    Some(ConfirmSituation {
        session: order.session.and_then(|id| sheet.mfa.session(account, id)),
        enrolment: sheet.mfa.enrolment(account),
        mfa_required: sheet.batches.wants_mfa(account),
        batch,
        balances,
    })
}

fn note(sheet: &mut Sheet, confirmation: &Confirmation) {
    let batch = &confirmation.batch;
    for (key, after) in &confirmation.balances {
        sheet.purses.change(&batch.account, *key, *after);
    }
    for transaction in &confirmation.journal {
        sheet.journal.add(transaction);
    }
    sheet.batches.known.change((batch.account.clone(), batch.id), batch.clone());
}

/// The batches of a group.
#[derive(Default)]
pub(crate) struct Batches {
    known: Known<(AccountId, PaymentBatchId), PaymentBatch>,
    /// Whether confirmations want MFA, by account.
    policies: BTreeMap<AccountId, bool>,
}

impl Batches {
    /// Locks and loads batches, without their orders.
    pub(crate) fn lock(conn: &mut Conn, needs: &Needs) -> Outcome<Vec<PaymentBatch>> {
        let rows = LockedBatches::load(needs.batches.iter().cloned(), conn)?;
        Ok(rows.into_iter().map(PaymentBatch::from).collect())
    }

    /// The same with their orders, and with what their accounts' policies are.
    pub(crate) fn of(conn: &mut Conn, needs: &Needs, locked: Vec<PaymentBatch>) -> Outcome<Self> {
        let accounts = needs.funded.iter().map(|(account, _)| (account.clone(),));
        let policies = Policies::load(accounts.collect::<std::collections::BTreeSet<_>>(), conn)?;
        let policies = policies.into_iter().map(|row| (row.id.0, row.mfa_required)).collect();
        let batches = with_orders(conn, locked)?.into_iter();
        Ok(Self { known: batches.map(|batch| ((batch.account.clone(), batch.id), batch)).collect(), policies })
    }

    /// A batch.
    pub(crate) fn get(&self, account: &AccountId, id: PaymentBatchId) -> Option<&PaymentBatch> {
        self.known.get(&(account.clone(), id))
    }

    fn wants_mfa(&self, account: &AccountId) -> bool {
        self.policies.get(account).copied().unwrap_or(true)
    }

    /// Stores what was noted.
    pub(crate) fn store(self, conn: &mut Conn) -> Outcome<()> {
        let now = |((account, id), batch): ((AccountId, PaymentBatchId), PaymentBatch)| BatchNow {
            status: Named(batch.status),
            updated_at: Time(batch.updated_at),
            confirmed_at: batch.confirmed_at.map(Time),
            passed_mfa_check_at: batch.passed_mfa_check_at.map(Time),
            account_id: Account(account),
            id: Id(id.0),
        };
        BatchNow::store(self.known.into_changes().map(now).collect(), conn)
    }
}

/// The batches of an account, by id.
pub(crate) fn of_account(conn: &mut Conn, account: &AccountId) -> Outcome<Vec<PaymentBatch>> {
    let rows = payment_batches::table
        .filter(payment_batches::account_id.eq(account.as_str()))
        .order(payment_batches::id)
        .select(BatchRow::as_select())
        .load(conn)?;
    with_orders(conn, rows.into_iter().map(PaymentBatch::from).collect())
}

fn with_orders(conn: &mut Conn, mut batches: Vec<PaymentBatch>) -> Outcome<Vec<PaymentBatch>> {
    let keys = batches.iter().map(|batch| (Account(batch.account.clone()), Id(batch.id.0)));
    let mut orders: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for row in OrdersOf::load(keys.collect::<Vec<_>>(), conn)? {
        orders.entry((row.account_id.0.clone(), row.batch_id)).or_default().push(PaymentOrder::from(row));
    }
    for batch in &mut batches {
        batch.orders = orders.remove(&(batch.account.clone(), Id(batch.id.0))).unwrap_or_default();
    }
    Ok(batches)
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
    BatchRow::store(vec![row], conn)?;
    let row = |(position, order): (i64, &PaymentOrder)| OrderRow {
        account_id: Account(batch.account.clone()),
        batch_id: Id(batch.id.0),
        position,
        id: Id(order.id.0),
        budget_id: Id(order.budget.0),
        currency: Currency(order.currency),
        total_minor: order.total.0,
    };
    OrderRow::store((0_i64..).zip(&batch.orders).map(row).collect(), conn)
}
