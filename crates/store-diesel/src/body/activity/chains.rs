//! Reads chains as movements: the first message, its follow-ups, the chain, and the owner of the card.

use super::body::backend::Conn;
use super::body::errors::{Outcome, corrupt};
use super::body::tables::cards::{ChainRow, MessageRow, card_chains, card_transactions, cards};
use super::body::types::Id;
use diesel::prelude::*;
use florin_domain::activity::Activity;
use florin_domain::card::{CardTransaction, Chain};
use florin_domain::ids::{AccountId, CardId, PersonId, TransactionToken};
use std::collections::{BTreeMap, BTreeSet};
use uuid::Uuid;

/// Returns the chains of an account that begin with these messages, in any order.
pub(super) fn by_firsts(conn: &mut Conn, account: &AccountId, firsts: &[Uuid]) -> Outcome<Vec<Activity>> {
    let ids: Vec<_> = firsts.iter().map(|id| Id(*id)).collect();
    let of_account = card_transactions::table.filter(card_transactions::account_id.eq(account.as_str()));
    let firsts = of_account
        .filter(card_transactions::token.eq_any(&ids))
        .filter(card_transactions::preceding.is_null())
        .select(MessageRow::as_select())
        .load(conn)?;
    if firsts.is_empty() {
        return Ok(Vec::new());
    }
    let later = of_account
        .filter(card_transactions::chain_id.eq_any(&ids))
        .filter(card_transactions::preceding.is_not_null())
        .select(MessageRow::as_select())
        .load(conn)?;
    let mut follow_ups: BTreeMap<TransactionToken, Vec<CardTransaction>> = BTreeMap::new();
    for message in later.into_iter().map(MessageRow::read) {
        let message = message?;
        follow_ups.entry(message.chain).or_default().push(message);
    }
    let chains = card_chains::table
        .filter(card_chains::account_id.eq(account.as_str()))
        .filter(card_chains::id.eq_any(&ids))
        .select(ChainRow::as_select())
        .load(conn)?;
    let chains = chains.into_iter().map(|row| row.read().map(|chain| (chain.id, chain)));
    let chains: BTreeMap<TransactionToken, Chain> = chains.collect::<Outcome<_>>()?;
    let firsts = firsts.into_iter().map(MessageRow::read).collect::<Outcome<Vec<_>>>()?;
    let owners = owners(conn, account, &firsts)?;
    let chain = |first: CardTransaction| {
        let (token, person) = (first.token, owners.get(&first.card).copied());
        let follow_ups = follow_ups.remove(&token).unwrap_or_default();
        movement(first, follow_ups, chains.get(&token), person)
    };
    firsts.into_iter().map(chain).collect()
}

fn movement(
    first: CardTransaction,
    follow_ups: Vec<CardTransaction>,
    chain: Option<&Chain>,
    person: Option<PersonId>,
) -> Outcome<Activity> {
    let token = first.token;
    let movement = Activity::of_chain(first, follow_ups, chain, person);
    movement.ok_or_else(|| corrupt(format!("chain {token} has an invalid first message or amount")))
}

/// Checks that all chains of an account can be read. `Corrupt`: the first message of a chain is missing or invalid.
pub(crate) fn read_all(conn: &mut Conn, account: &AccountId) -> Outcome<()> {
    let messages = card_transactions::table.filter(card_transactions::account_id.eq(account.as_str()));
    let messages = messages.select(MessageRow::as_select()).load::<MessageRow>(conn)?;
    let chains = card_chains::table.filter(card_chains::account_id.eq(account.as_str()));
    let chains = chains.select(ChainRow::as_select()).load::<ChainRow>(conn)?.into_iter();
    let chains: BTreeMap<TransactionToken, Chain> =
        chains.map(|row| row.read().map(|chain| (chain.id, chain))).collect::<Outcome<_>>()?;
    let (mut started, mut named) = (BTreeSet::new(), BTreeSet::new());
    for message in messages.into_iter().map(MessageRow::read) {
        let message = message?;
        named.insert(message.chain);
        if message.preceding.is_none() {
            started.insert(message.token);
            let token = message.token;
            movement(message, Vec::new(), chains.get(&token), None)?;
        }
    }
    match named.difference(&started).next() {
        Some(chain) => Err(corrupt(format!("chain {chain} has no first message"))),
        None => Ok(()),
    }
}

/// Returns the people who own the cards of messages.
fn owners(conn: &mut Conn, account: &AccountId, messages: &[CardTransaction]) -> Outcome<BTreeMap<CardId, PersonId>> {
    let ids: BTreeSet<_> = messages.iter().map(|message| Id(message.card.0)).collect();
    let rows = cards::table
        .filter(cards::account_id.eq(account.as_str()))
        .filter(cards::id.eq_any(ids))
        .filter(cards::person_id.is_not_null())
        .select((cards::id, cards::person_id))
        .load::<(Id, Option<Id>)>(conn)?;
    let owner = |(card, person): (Id, Option<Id>)| Some((CardId(card.0), PersonId(person?.0)));
    Ok(rows.into_iter().filter_map(owner).collect())
}

/// Returns the id of the chain that a message belongs to: the token of its first message.
pub(super) fn first_of(conn: &mut Conn, account: &AccountId, token: TransactionToken) -> Outcome<Option<Uuid>> {
    let row = card_transactions::table
        .filter(card_transactions::account_id.eq(account.as_str()))
        .filter(card_transactions::token.eq(Id(token.0)))
        .select(card_transactions::chain_id);
    Ok(row.get_result::<Id>(conn).optional()?.map(|id| id.0))
}
