//! Distributes confirmed batches among workers.

use super::body::ask::ask;
use super::body::backend::sql::{IdSql, TimeSql};
use super::body::backend::{self, Conn};
use super::body::batches::funds;
use super::body::errors::{Outcome, Stop};
use super::body::footprint::Footprint;
use super::body::statements::{load, update};
use super::body::store::Store;
use super::body::tables::batches::{LeaseChange, PaymentRow, PaymentsById, payment_batches, payments};
use super::body::tables::money::budgets;
use super::body::types::{Account, Id, Named, Time};
use super::body::working_set::WorkingSet;
use super::rows::read_payments;
use super::work;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{BigInt, Text};
use florin_domain::batch::{
    IllegalBatchTransition, Payment, PaymentBatch, PaymentStatus, SettleDecision, SettleRefusal, SettleSituation,
    StartPaymentsSituation,
};
use florin_domain::ids::{AccountId, BudgetId, PaymentBatchId, PaymentId};
use florin_ports::{
    BatchProcessing, ClaimCommand, Lease, ProcessingError, RecordCommand, StartCommand, StartPaymentsCommand,
    StoreError,
};
use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;

/// Selects batches to claim. Batches that another transaction has locked are in progress, and are skipped, too.
const CLAIMABLE: &str = "SELECT account_id, id FROM payment_batches WHERE work_at <= $1 \
    AND (leased_until IS NULL OR leased_until <= $1) ORDER BY updated_at, account_id, id LIMIT $2";

const RENEW: &str = "UPDATE payment_batches SET leased_until = $1 WHERE account_id = $2 AND id = $3 AND lease_id = $4";

const RELEASE: &str = "UPDATE payment_batches SET lease_id = NULL, leased_until = NULL \
    WHERE account_id = $1 AND id = $2 AND lease_id = $3";

#[derive(QueryableByName)]
struct Claimable {
    #[diesel(sql_type = Text)]
    account_id: Account,
    #[diesel(sql_type = IdSql)]
    id: Id,
}

#[async_trait]
impl BatchProcessing for Store {
    async fn claim(&self, command: ClaimCommand) -> Result<Vec<Lease>, StoreError> {
        self.write(move |conn| claim(conn, &command)).await
    }

    async fn start(&self, command: StartCommand) -> Result<PaymentBatch, ProcessingError<IllegalBatchTransition>> {
        let recording = self.recording();
        self.task(move |conn| {
            let (mut working_set, batch) = lock(conn, &command.lease, false)?;
            let decision = ask(|| (command.decide)(&batch))?.map_err(ProcessingError::Refused)?;
            working_set.events.record_with(recording.clone());
            working_set.events.add(&decision.events);
            working_set.batches.change(decision.batch.clone());
            store(conn, working_set, &command.lease)?;
            Ok(decision.batch)
        })
        .await
    }

    async fn start_payments(&self, command: StartPaymentsCommand) -> Result<Vec<Payment>, ProcessingError<Infallible>> {
        let recording = self.recording();
        self.task(move |conn| {
            let (mut working_set, batch) = lock(conn, &command.lease, false)?;
            let payments = confirmed(conn, &command.lease, command.max)?;
            let situation = StartPaymentsSituation { batch, payments };
            let decision = ask(|| (command.decide)(&situation))?;
            working_set.payments.progress(&situation.payments, &decision.payments);
            working_set.events.record_with(recording.clone());
            working_set.events.add(&decision.events);
            store(conn, working_set, &command.lease)?;
            Ok(decision.payments)
        })
        .await
    }

    async fn due(&self, lease: &Lease, now: DateTime<Utc>, max: u32) -> Result<Vec<Payment>, StoreError> {
        let (account, batch) = (lease.account.clone(), lease.batch);
        self.read(move |conn| {
            let rows = payments::table
                .filter(payments::account_id.eq(account.as_str()))
                .filter(payments::batch_id.eq(Id(batch.0)))
                .filter(payments::ask_at.le(Time(now)))
                .order((payments::ask_at, payments::input_index))
                .limit(i64::from(max))
                .select(PaymentRow::as_select())
                .load(conn)?;
            read_payments(rows)
        })
        .await
    }

    async fn record(&self, command: RecordCommand) -> Result<SettleDecision, ProcessingError<SettleRefusal>> {
        let recording = self.recording();
        self.task(move |conn| {
            let (mut working_set, batch) = lock(conn, &command.lease, true)?;
            let situation = situation(conn, &working_set, batch, &command.payments)?;
            let decision = ask(|| (command.decide)(&situation))?.map_err(ProcessingError::Refused)?;
            working_set.payments.progress(&situation.payments, &decision.payments);
            working_set.move_money(&command.lease.account, &decision.journal, &decision.balances);
            working_set.number_movements(&command.lease.account, &decision.numbers);
            working_set.events.record_with(recording.clone());
            working_set.events.add(&decision.events);
            decision.batch.iter().for_each(|batch| working_set.batches.change(batch.clone()));
            store(conn, working_set, &command.lease)?;
            Ok(decision)
        })
        .await
    }

    async fn renew(&self, lease: &Lease, until: DateTime<Utc>) -> Result<bool, StoreError> {
        let lease = lease.clone();
        self.write(move |conn| {
            let renewed = sql_query(RENEW)
                .bind::<TimeSql, _>(Time(until))
                .bind::<Text, _>(Account(lease.account.clone()))
                .bind::<IdSql, _>(Id(lease.batch.0))
                .bind::<IdSql, _>(Id(lease.id.0));
            Ok(run(conn, renewed)? == 1)
        })
        .await
    }

    async fn release(&self, lease: &Lease) -> Result<(), StoreError> {
        let lease = lease.clone();
        self.write(move |conn| {
            let released = sql_query(RELEASE)
                .bind::<Text, _>(Account(lease.account.clone()))
                .bind::<IdSql, _>(Id(lease.batch.0))
                .bind::<IdSql, _>(Id(lease.id.0));
            run(conn, released)?;
            Ok(())
        })
        .await
    }
}

fn run(
    conn: &mut Conn,
    statement: impl RunQueryDsl<Conn> + diesel::query_dsl::methods::ExecuteDsl<Conn>,
) -> Outcome<usize> {
    Ok(statement.execute(conn)?)
}

fn claim(conn: &mut Conn, command: &ClaimCommand) -> Outcome<Vec<Lease>> {
    let found = sql_query(format!("{CLAIMABLE}{}", backend::SKIP_LOCKED))
        .bind::<TimeSql, _>(Time(command.now))
        .bind::<BigInt, _>(i64::from(command.max))
        .load::<Claimable>(conn)?;
    let leased = |Claimable { account_id, id }: &Claimable| LeaseChange {
        lease_id: Some(Id(command.lease.0)),
        leased_until: Some(Time(command.until)),
        account_id: account_id.clone(),
        id: *id,
    };
    update(found.iter().map(leased).collect(), conn)?;
    let lease = |Claimable { account_id, id }| Lease {
        id: command.lease,
        account: account_id.0,
        batch: PaymentBatchId(id.0),
        until: command.until,
    };
    Ok(found.into_iter().map(lease).collect())
}

/// Locks a batch, with its funds if money will move, and requires that the lease is current.
fn lock<R>(
    conn: &mut Conn,
    lease: &Lease,
    with_funds: bool,
) -> Result<(WorkingSet, PaymentBatch), Stop<ProcessingError<R>>> {
    let mut footprint = Footprint::default();
    footprint.batch_only(&lease.account, lease.batch);
    if with_funds {
        footprint.funds_of(&lease.account, lease.batch);
        // The movements receive their numbers from the account's counter.
        footprint.counters(&lease.account);
    }
    let working_set = WorkingSet::load(conn, &footprint)?;
    let batch = working_set.batches.get(&lease.account, lease.batch).ok_or(ProcessingError::LeaseLost)?.clone();
    if holder(conn, &lease.account, lease.batch)? != Some(Id(lease.id.0)) {
        return Err(ProcessingError::LeaseLost.into());
    }
    Ok((working_set, batch))
}

fn holder(conn: &mut Conn, account: &AccountId, batch: PaymentBatchId) -> Outcome<Option<Id>> {
    let row = payment_batches::table
        .filter(payment_batches::account_id.eq(account.as_str()))
        .filter(payment_batches::id.eq(Id(batch.0)));
    Ok(row.select(payment_batches::lease_id).get_result(conn)?)
}

/// Returns the next payments to send.
fn confirmed(conn: &mut Conn, lease: &Lease, max: u32) -> Outcome<Vec<Payment>> {
    let rows = payments::table
        .filter(payments::account_id.eq(lease.account.as_str()))
        .filter(payments::batch_id.eq(Id(lease.batch.0)))
        .filter(payments::status.eq(Named(PaymentStatus::Confirmed)))
        .order(payments::input_index)
        .limit(i64::from(max))
        .select(PaymentRow::as_select())
        .load(conn)?;
    read_payments(rows)
}

fn situation(
    conn: &mut Conn,
    working_set: &WorkingSet,
    batch: PaymentBatch,
    reported: &[PaymentId],
) -> Outcome<SettleSituation> {
    let ids: BTreeSet<_> = reported.iter().map(|id| (Account(batch.account.clone()), Id(id.0))).collect();
    let mut rows = load::<PaymentsById>(ids, conn)?;
    rows.retain(|row| row.batch_id == Id(batch.id.0));
    let in_status = |statuses: Vec<PaymentStatus>| {
        payments::table
            .filter(payments::account_id.eq(batch.account.as_str()))
            .filter(payments::batch_id.eq(Id(batch.id.0)))
            .filter(payments::status.eq_any(statuses.into_iter().map(Named).collect::<Vec<_>>()))
    };
    let open = PaymentStatus::ALL.into_iter().filter(|status| !status.is_final()).collect();
    let open: i64 = in_status(open).count().get_result(conn)?;
    let completed: i64 = in_status(vec![PaymentStatus::Completed]).count().get_result(conn)?;
    let returned: i64 = in_status(vec![PaymentStatus::Returned]).count().get_result(conn)?;
    Ok(SettleSituation {
        payments: read_payments(rows)?,
        open: open.unsigned_abs(),
        completed: completed.unsigned_abs(),
        returned: returned.unsigned_abs(),
        balances: funds(working_set, &batch),
        budget_names: budget_names(conn, &batch)?,
        number: working_set.credits.next_number(&batch.account)?,
        batch,
    })
}

/// Returns the names of the budgets that fund a batch.
fn budget_names(conn: &mut Conn, batch: &PaymentBatch) -> Outcome<BTreeMap<BudgetId, String>> {
    let rows = budgets::table
        .filter(budgets::account_id.eq(batch.account.as_str()))
        .filter(budgets::id.eq_any(batch.orders.iter().map(|order| Id(order.budget.0))))
        .select((budgets::id, budgets::name))
        .load::<(Id, String)>(conn)?;
    Ok(rows.into_iter().map(|(id, name)| (BudgetId(id.0), name)).collect())
}

/// Stores the staged changes, and the time from which there is work on the batch.
fn store(conn: &mut Conn, working_set: WorkingSet, lease: &Lease) -> Outcome<()> {
    working_set.store(conn)?;
    work::update_work_at(conn, &lease.account, lease.batch)
}
