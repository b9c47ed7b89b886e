//! Storing what was decided.

use super::super::backend::Conn;
use super::super::errors::Outcome;
use super::super::{balances, journal};
use super::rows::update_limit;
use super::{chains, messages};
use florin_domain::card::decide::CardDecision;

/// Stores all of a decision.
pub(super) fn decision(conn: &mut Conn, decision: &CardDecision) -> Outcome<()> {
    let message = &decision.transaction;
    let account = &message.account;
    messages::insert(conn, message)?;
    match &decision.chain {
        Some(chain) if chain.id == message.token => chains::insert(conn, chain)?,
        Some(chain) => chains::update(conn, chain)?,
        None => {}
    }
    if let Some(state) = decision.first_state {
        messages::update_state(conn, account, message.chain, state)?;
    }
    if let Some(journal) = &decision.journal {
        journal::insert(conn, journal)?;
        balances::store(conn, account, (message.budget, message.currency), &decision.balances)?;
    }
    decision.limits.iter().try_for_each(|limit| update_limit(conn, account, message.card, limit))
}
