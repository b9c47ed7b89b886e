//! Disputes of card transactions: reads, and decisions. Each decision has its own transaction.

mod act;
mod rows;

use super::body;
use super::body::backend::Conn;
use super::body::errors::Outcome;
use super::body::footprint::Footprint;
use super::body::group::decide_in_mode;
use super::body::store::Store;
use super::body::tables::disputes::{DisputeRow, dispute_evidence, disputes};
use super::body::tables::service::idempotency_records;
use super::body::types::{Account, Id, Named};
use async_trait::async_trait;
use diesel::prelude::*;
use florin_domain::card::decide::{DisputeDone, DisputeRefusal};
use florin_domain::card::{Dispute, DisputeFilter};
use florin_domain::ids::{AccountId, DisputeId};
use florin_domain::page::{Page, PageRequest};
use florin_ports::{DisputeCommand, Disputes, OpenDisputeCommand, StoreError, WriteError, Written};

#[async_trait]
impl Disputes for Store {
    async fn open(&self, command: OpenDisputeCommand) -> Result<Written<DisputeDone>, WriteError<DisputeRefusal>> {
        let recording = self.recording();
        self.task(move |conn| {
            let mut footprint = Footprint::default();
            footprint.message(&command.account, command.transaction);
            decide_in_mode(
                conn,
                footprint,
                command.mode,
                command.claim.as_ref(),
                |conn, working_set| Ok(((), act::decide_opening(conn, working_set, &command)?)),
                |conn, working_set, (), decision| {
                    working_set.events.record_with(recording.clone());
                    act::store_new(conn, working_set, &decision)
                },
            )
        })
        .await
    }

    async fn act(&self, command: DisputeCommand) -> Result<Written<DisputeDone>, WriteError<DisputeRefusal>> {
        let recording = self.recording();
        self.task(move |conn| {
            let footprint = act::footprint(conn, &command)?;
            decide_in_mode(
                conn,
                footprint,
                command.mode,
                command.claim.as_ref(),
                |conn, working_set| act::decide(conn, working_set, &command),
                |conn, working_set, before, decision| {
                    working_set.events.record_with(recording.clone());
                    act::store_change(conn, working_set, &before, &decision)
                },
            )
        })
        .await
    }

    async fn find(&self, account: &AccountId, dispute: DisputeId) -> Result<Option<Dispute>, StoreError> {
        let account = account.clone();
        self.read_in_one_transaction(move |conn| find(conn, &account, dispute)).await
    }

    async fn list(
        &self,
        account: &AccountId,
        filter: DisputeFilter,
        page: PageRequest,
    ) -> Result<Page<Dispute>, StoreError> {
        let account = account.clone();
        self.read_in_one_transaction(move |conn| list(conn, &account, &filter, page)).await
    }
}

/// Deletes the evidence of disputes of cards, and the idempotency records that contain it.
pub(super) fn forget_evidence(conn: &mut Conn, cards: &[(Account, Id)]) -> Outcome<()> {
    for (account, card) in cards {
        let of_card = disputes::table
            .filter(disputes::account_id.eq(account))
            .filter(disputes::card_id.eq(card))
            .select(disputes::id)
            .load::<Id>(conn)?;
        for dispute in of_card {
            let evidence = dispute_evidence::table
                .filter(dispute_evidence::account_id.eq(account))
                .filter(dispute_evidence::dispute_id.eq(dispute));
            diesel::delete(evidence).execute(conn)?;
            let pattern = format!("%{}%", dispute.0);
            let of_dispute =
                idempotency_records::path.like(&pattern).or(idempotency_records::answer_body.like(&pattern));
            let records = idempotency_records::table.filter(idempotency_records::account_id.eq(account));
            diesel::delete(records.filter(of_dispute)).execute(conn)?;
        }
    }
    Ok(())
}

fn find(conn: &mut Conn, account: &AccountId, dispute: DisputeId) -> Outcome<Option<Dispute>> {
    let row = disputes::table
        .filter(disputes::account_id.eq(account.as_str()))
        .filter(disputes::id.eq(Id(dispute.0)))
        .select(DisputeRow::as_select())
        .get_result(conn)
        .optional()?;
    Ok(rows::with_evidence(conn, account, row.into_iter().collect())?.pop())
}

fn list(conn: &mut Conn, account: &AccountId, filter: &DisputeFilter, page: PageRequest) -> Outcome<Page<Dispute>> {
    let found = matching(account, filter)
        .order((disputes::created_at.desc(), disputes::id.desc()))
        .limit(page.limit)
        .offset(page.offset)
        .select(DisputeRow::as_select())
        .load(conn)?;
    let count = matching(account, filter).count().get_result(conn)?;
    Ok(Page { count, rows: rows::with_evidence(conn, account, found)? })
}

fn matching(account: &AccountId, filter: &DisputeFilter) -> disputes::BoxedQuery<'static, body::backend::Db> {
    let mut found = disputes::table.filter(disputes::account_id.eq(Account(account.clone()))).into_boxed();
    if let Some(card) = filter.card {
        found = found.filter(disputes::card_id.eq(Id(card.0)));
    }
    if !filter.statuses.is_empty() {
        found = found.filter(disputes::status.eq_any(filter.statuses.iter().copied().map(Named).collect::<Vec<_>>()));
    }
    if let Some(token) = filter.transaction {
        found = found.filter(disputes::transaction_id.eq(Id(token.0)).or(disputes::chain_id.eq(Id(token.0))));
    }
    found
}
