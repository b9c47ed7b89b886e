//! Creates, fills, edits and cancels batches.

use super::body::backend::Conn;
use super::body::batch_rows;
use super::body::batches::funds;
use super::body::errors::Outcome;
use super::body::group::{Footprint, WorkingSet, ask, under_claim};
use super::body::store::Store;
use super::body::tables::access::accounts;
use super::body::tables::batches::{payment_alerts, payment_orders, payments};
use super::body::types::Id;
use super::{read, rows, work};
use async_trait::async_trait;
use diesel::prelude::*;
use florin_domain::batch::{
    BatchSummary, CancelRefusal, CancelSituation, PaymentBatch, UploadDecision, UploadRefusal, UploadSituation,
};
use florin_domain::ids::AccountId;
use florin_ports::{
    BatchManagement, CancelBatchCommand, CreateBatchCommand, EditBatchCommand, UploadCommand, WriteError, Written,
};
use std::convert::Infallible;

#[async_trait]
impl BatchManagement for Store {
    async fn create(&self, order: CreateBatchCommand) -> Result<Written<BatchSummary>, WriteError<UploadRefusal>> {
        self.task(move |conn| {
            under_claim(conn, Footprint::default(), order.repeat.as_ref(), |conn, working_set| {
                create(conn, working_set, &order)
            })
        })
        .await
    }

    async fn upload(&self, order: UploadCommand) -> Result<Written<PaymentBatch>, WriteError<UploadRefusal>> {
        self.task(move |conn| {
            let mut footprint = Footprint::default();
            footprint.batch_only(&order.account, order.batch);
            under_claim(conn, footprint, order.repeat.as_ref(), |conn, working_set| upload(conn, working_set, &order))
        })
        .await
    }

    async fn edit(&self, order: EditBatchCommand) -> Result<Written<BatchSummary>, WriteError<Infallible>> {
        self.task(move |conn| {
            let mut footprint = Footprint::default();
            footprint.batch_only(&order.account, order.batch);
            under_claim(conn, footprint, order.repeat.as_ref(), |conn, working_set| {
                let batch = working_set.batches.get(&order.account, order.batch).ok_or(WriteError::Absent)?;
                let batch = ask(|| (order.decide)(batch))?;
                working_set.batches.change(batch.clone());
                Ok(read::summary(conn, batch)?)
            })
        })
        .await
    }

    async fn cancel(&self, order: CancelBatchCommand) -> Result<Written<PaymentBatch>, WriteError<CancelRefusal>> {
        self.task(move |conn| {
            let mut footprint = Footprint::default();
            footprint.batch_only(&order.account, order.batch);
            footprint.funds_of(&order.account, order.batch);
            under_claim(conn, footprint, order.repeat.as_ref(), |_, working_set| cancel(working_set, &order))
        })
        .await
    }
}

fn create(
    conn: &mut Conn,
    working_set: &mut WorkingSet,
    order: &CreateBatchCommand,
) -> Result<BatchSummary, WriteError<UploadRefusal>> {
    if !exists(conn, &order.account)? {
        return Err(WriteError::Absent);
    }
    let funding = read::funding(conn, &order.account)?;
    let decision = ask(|| (order.decide)(&funding))?.map_err(WriteError::Refused)?;
    batch_rows::insert(conn, &decision.batch)?;
    rows::insert_payments(conn, &decision.payments)?;
    rows::insert_alerts(conn, &decision.batch, &decision.alerts)?;
    working_set.events.add(&decision.events);
    Ok(read::summary(conn, decision.batch)?)
}

fn exists(conn: &mut Conn, account: &AccountId) -> Outcome<bool> {
    let account = accounts::table.filter(accounts::id.eq(account.as_str())).select(accounts::id);
    Ok(diesel::select(diesel::dsl::exists(account)).get_result(conn)?)
}

fn upload(
    conn: &mut Conn,
    working_set: &mut WorkingSet,
    order: &UploadCommand,
) -> Result<PaymentBatch, WriteError<UploadRefusal>> {
    let batch = working_set.batches.get(&order.account, order.batch).ok_or(WriteError::Absent)?.clone();
    // Read after the batch was locked, so that changes of budgets made meanwhile count.
    let situation = UploadSituation { funding: read::funding(conn, &order.account)?, batch };
    let decision = ask(|| (order.decide)(&situation))?.map_err(WriteError::Refused)?;
    replace(conn, &decision)?;
    working_set.batches.change(decision.batch.clone());
    Ok(decision.batch)
}

/// Replaces all payments, alerts and orders of a batch.
fn replace(conn: &mut Conn, decision: &UploadDecision) -> Outcome<()> {
    let batch = &decision.batch;
    let (account, id) = (batch.account.as_str(), Id(batch.id.0));
    let old = payment_alerts::table.filter(payment_alerts::account_id.eq(account));
    diesel::delete(old.filter(payment_alerts::batch_id.eq(id))).execute(conn)?;
    let old = payments::table.filter(payments::account_id.eq(account));
    diesel::delete(old.filter(payments::batch_id.eq(id))).execute(conn)?;
    let old = payment_orders::table.filter(payment_orders::account_id.eq(account));
    diesel::delete(old.filter(payment_orders::batch_id.eq(id))).execute(conn)?;
    batch_rows::insert_orders(conn, batch)?;
    rows::insert_payments(conn, &decision.payments)?;
    rows::insert_alerts(conn, batch, &decision.alerts)?;
    work::mark(conn, &batch.account, batch.id)
}

fn cancel(working_set: &mut WorkingSet, order: &CancelBatchCommand) -> Result<PaymentBatch, WriteError<CancelRefusal>> {
    let batch = working_set.batches.get(&order.account, order.batch).ok_or(WriteError::Absent)?.clone();
    let situation = CancelSituation { balances: funds(working_set, &batch), batch };
    let decision = ask(|| (order.decide)(&situation))?.map_err(WriteError::Refused)?;
    working_set.move_money(&order.account, &decision.journal, &decision.balances);
    working_set.all_become(&decision.batch, decision.payments);
    working_set.events.add(&decision.events);
    working_set.batches.change(decision.batch.clone());
    Ok(decision.batch)
}
