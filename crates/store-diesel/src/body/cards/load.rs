//! What decisions on card messages are given.

use super::super::backend::Conn;
use super::super::balances::PoolsRow;
use super::super::errors::{Outcome, corrupt};
use super::super::schema::{balances, cards};
use super::super::types::Id;
use super::rows::{CardRow, limits_of};
use super::{chains, messages};
use diesel::prelude::*;
use florin_domain::card::decide::{ChainSituation, FirstSituation};
use florin_domain::card::{Card, CardTransaction};
use florin_domain::ids::{AccountId, CardId, TransactionToken};

/// For a first message on a card of the account.
pub(super) fn first_situation(conn: &mut Conn, account: &AccountId, card: CardId) -> Outcome<Option<FirstSituation>> {
    let found = locked!(
        cards::table
            .inner_join(
                balances::table.on(balances::account_id
                    .eq(cards::account_id)
                    .and(balances::budget_id.eq(cards::budget_id))
                    .and(balances::currency.eq(cards::currency))),
            )
            .filter(cards::account_id.eq(account.as_str()))
            .filter(cards::id.eq(Id(card.0)))
            .select((CardRow::as_select(), PoolsRow::as_select()))
    )
    .get_result::<(CardRow, PoolsRow)>(conn)
    .optional()?;
    let Some((row, pools)) = found else { return Ok(None) };
    let limits = limits_of(conn, account, card)?;
    Ok(Some(FirstSituation { card: Card::from(row), limits, balances: pools.read()? }))
}

/// For a follow-up that names a message of the account.
pub(super) fn chain_situation(
    conn: &mut Conn,
    account: &AccountId,
    token: TransactionToken,
) -> Outcome<Option<ChainSituation>> {
    let Some(named) = messages::find(conn, account, token)? else { return Ok(None) };
    let named_as = (named.kind, named.state);
    let first = first_of(conn, named)?;
    let situation = first_situation(conn, account, first.card)?;
    let FirstSituation { card, limits, balances } = situation.ok_or_else(|| corrupt("a message without its card"))?;
    let chain = chains::find(conn, account, first.chain)?;
    Ok(Some(ChainSituation { card, limits, balances, first, named: named_as, chain }))
}

/// The first message of the chain that a message is of.
fn first_of(conn: &mut Conn, named: CardTransaction) -> Outcome<CardTransaction> {
    if named.token == named.chain {
        return Ok(named);
    }
    messages::find(conn, &named.account, named.chain)?.ok_or_else(|| corrupt("a message without its first one"))
}
