//! Creates, fills, edits and cancels batches.

use super::body::ask::ask;
use super::body::backend::Conn;
use super::body::batch_rows;
use super::body::batches::funds;
use super::body::errors::{Outcome, Stop};
use super::body::footprint::Footprint;
use super::body::group::under_claim;
use super::body::store::Store;
use super::body::tables::access::accounts;
use super::body::tables::batches::{payment_alerts, payment_orders, payments};
use super::body::types::Id;
use super::body::working_set::WorkingSet;
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
    async fn create(&self, command: CreateBatchCommand) -> Result<Written<BatchSummary>, WriteError<UploadRefusal>> {
        let recording = self.recording();
        self.task(move |conn| {
            under_claim(conn, Footprint::default(), command.claim.as_ref(), |conn, working_set| {
                working_set.events.record_with(recording.clone());
                create(conn, working_set, &command)
            })
        })
        .await
    }

    async fn upload(&self, command: UploadCommand) -> Result<Written<PaymentBatch>, WriteError<UploadRefusal>> {
        let recording = self.recording();
        self.task(move |conn| {
            let mut footprint = Footprint::default();
            footprint.batch_only(&command.account, command.batch);
            under_claim(conn, footprint, command.claim.as_ref(), |conn, working_set| {
                working_set.events.record_with(recording.clone());
                upload(conn, working_set, &command)
            })
        })
        .await
    }

    async fn edit(&self, command: EditBatchCommand) -> Result<Written<BatchSummary>, WriteError<Infallible>> {
        self.task(move |conn| {
            let mut footprint = Footprint::default();
            footprint.batch_only(&command.account, command.batch);
            under_claim(conn, footprint, command.claim.as_ref(), |conn, working_set| {
                let batch = working_set.batches.get(&command.account, command.batch).ok_or(WriteError::Absent)?;
                let batch = ask(|| (command.decide)(batch))?;
                working_set.batches.change(batch.clone());
                Ok(read::summary(conn, batch)?)
            })
        })
        .await
    }

    async fn cancel(&self, command: CancelBatchCommand) -> Result<Written<PaymentBatch>, WriteError<CancelRefusal>> {
        let recording = self.recording();
        self.task(move |conn| {
            let mut footprint = Footprint::default();
            footprint.batch_only(&command.account, command.batch);
            footprint.funds_of(&command.account, command.batch);
            under_claim(conn, footprint, command.claim.as_ref(), |_, working_set| {
                working_set.events.record_with(recording.clone());
                cancel(working_set, &command)
            })
        })
        .await
    }
}

fn create(
    conn: &mut Conn,
    working_set: &mut WorkingSet,
    command: &CreateBatchCommand,
) -> Result<BatchSummary, Stop<WriteError<UploadRefusal>>> {
    if !exists(conn, &command.account)? {
        return Err(WriteError::Absent.into());
    }
    let funding = read::funding(conn, &command.account)?;
    let decision = ask(|| (command.decide)(&funding))?.map_err(WriteError::Refused)?;
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
    command: &UploadCommand,
) -> Result<PaymentBatch, Stop<WriteError<UploadRefusal>>> {
    let batch = working_set.batches.get(&command.account, command.batch).ok_or(WriteError::Absent)?.clone();
    // Read after the batch was locked, so that changes of budgets made meanwhile count.
    let situation = UploadSituation { funding: read::funding(conn, &command.account)?, batch };
    let decision = ask(|| (command.decide)(&situation))?.map_err(WriteError::Refused)?;
    replace(conn, &decision)?;
    working_set.events.add(&decision.events);
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
    work::update_work_at(conn, &batch.account, batch.id)
}

fn cancel(
    working_set: &mut WorkingSet,
    command: &CancelBatchCommand,
) -> Result<PaymentBatch, Stop<WriteError<CancelRefusal>>> {
    let batch = working_set.batches.get(&command.account, command.batch).ok_or(WriteError::Absent)?.clone();
    let situation = CancelSituation { balances: funds(working_set, &batch), batch };
    let decision = ask(|| (command.decide)(&situation))?.map_err(WriteError::Refused)?;
    working_set.move_money(&command.account, &decision.journal, &decision.balances);
    working_set.change_all_payments(&decision.batch, decision.payments);
    working_set.events.add(&decision.events);
    working_set.batches.change(decision.batch.clone());
    Ok(decision.batch)
}
