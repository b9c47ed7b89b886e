//! Chains with all their messages, read in one view of the database.

use super::body::backend::Conn;
use super::body::errors::Outcome;
use super::body::journal;
use super::body::store::Store;
use super::body::tables::cards::{ChainRow, MessageRow, ReasonRow, card_chains, card_transactions, decline_reasons};
use super::body::types::Id;
use async_trait::async_trait;
use diesel::prelude::*;
use florin_domain::card::{ChainHistory, ExplainedMessage};
use florin_domain::ids::{AccountId, TransactionToken};
use florin_ports::{ChainHistories, StoreError};
use std::collections::BTreeMap;

#[async_trait]
impl ChainHistories for Store {
    async fn history(&self, account: &AccountId, token: TransactionToken) -> Result<Option<ChainHistory>, StoreError> {
        let account = account.clone();
        self.read_in_one_transaction(move |conn| find(conn, &account, token)).await
    }
}

fn find(conn: &mut Conn, account: &AccountId, token: TransactionToken) -> Outcome<Option<ChainHistory>> {
    let named = message(conn, account, Id(token.0))?;
    let Some(chain_id) = named.as_ref().map(|named| named.chain_id) else { return Ok(None) };
    let first = if chain_id == Id(token.0) { named } else { message(conn, account, chain_id)? };
    let later = card_transactions::table
        .filter(card_transactions::account_id.eq(account.as_str()))
        .filter(card_transactions::chain_id.eq(chain_id))
        .filter(card_transactions::preceding.is_not_null())
        .order((card_transactions::created_at, card_transactions::token))
        .select(MessageRow::as_select())
        .load(conn)?;
    let chain = card_chains::table
        .filter(card_chains::account_id.eq(account.as_str()))
        .filter(card_chains::id.eq(chain_id))
        .select(ChainRow::as_select())
        .get_result(conn)
        .optional()?;
    let rows: Vec<_> = first.into_iter().chain(later).collect();
    let moved: Vec<_> = rows.iter().filter_map(|row| row.journal_id).collect();
    let tokens: Vec<_> = rows.iter().map(|row| row.token).collect();
    let reasons = decline_reasons::table
        .filter(decline_reasons::account_id.eq(account.as_str()))
        .filter(decline_reasons::token.eq_any(tokens))
        .select(ReasonRow::as_select())
        .load(conn)?;
    let mut reasons: BTreeMap<_, _> = reasons.into_iter().map(|row| (row.token, row)).collect();
    let explained = |row: MessageRow| {
        let declined = reasons.remove(&row.token).map(|reason| reason.read()).transpose()?;
        Ok(ExplainedMessage { transaction: row.read()?, declined })
    };
    let messages = rows.into_iter().map(explained).collect::<Outcome<_>>()?;
    let journal = journal::load(conn, account, &moved)?;
    Ok(Some(ChainHistory::of(messages, chain.map(ChainRow::read).transpose()?, journal)))
}

fn message(conn: &mut Conn, account: &AccountId, token: Id) -> Outcome<Option<MessageRow>> {
    let row = card_transactions::table
        .filter(card_transactions::account_id.eq(account.as_str()))
        .filter(card_transactions::token.eq(token))
        .select(MessageRow::as_select())
        .get_result(conn);
    Ok(row.optional()?)
}
