//! Compares limits with the chains and messages that used them.

use super::body::backend::{Conn, RowByRow};
use super::body::cards;
use super::body::errors::Outcome;
use super::body::tables::cards::{card_chains, card_limits, card_transactions};
use super::body::types::{Id, Named, Time};
use diesel::prelude::*;
use florin_domain::books::{LimitBooks, LimitTally};
use florin_domain::card::{MessageKind, Response};
use florin_domain::ids::{AccountId, CardId};

/// Compares the limits of an account's cards with what their chains and messages used. Reads only the rows of cards
/// with limits, one at a time, because there may be many.
pub(super) fn compare(conn: &mut Conn, account: &AccountId) -> Outcome<Vec<LimitBooks>> {
    let limits = cards::limits_of_account(conn, account)?;
    // A limit on transactions counts nothing, and its window has no start.
    let counting = limits.iter().filter(|(_, _, limit)| limit.counts());
    let Some(first) = counting.map(|(_, _, limit)| limit.window_start).min() else { return Ok(Vec::new()) };
    let since = Time(first.and_time(chrono::NaiveTime::MIN).and_utc());
    let mut tally = LimitTally::of(limits);
    let limited =
        || card_limits::table.filter(card_limits::account_id.eq(account.as_str())).select(card_limits::card_id);
    let messages = card_transactions::table
        .filter(card_transactions::account_id.eq(account.as_str()))
        .filter(card_transactions::card_id.eq_any(limited()))
        // Only first messages are uses, and their index has the order of time.
        .filter(card_transactions::preceding.is_null())
        .filter(card_transactions::created_at.ge(since))
        .filter(card_transactions::response.eq_any(LimitTally::COUNTED.map(Named)))
        .select((
            card_transactions::card_id,
            card_transactions::response,
            card_transactions::kind,
            card_transactions::created_at,
        ))
        .load_iter::<(Id, Named<Response>, Named<MessageKind>, Time), RowByRow>(conn)?;
    for message in messages {
        let (card, response, kind, at) = message?;
        tally.count_response(CardId(card.0), response.0, kind.0, at.0);
    }
    let chains = card_chains::table
        .filter(card_chains::account_id.eq(account.as_str()))
        .filter(card_chains::card_id.eq_any(limited()))
        .filter(card_chains::counted.is_not_null())
        .select((card_chains::card_id, card_chains::counted))
        .load_iter::<(Id, Option<String>), RowByRow>(conn)?;
    for chain in chains {
        let (card, counted) = chain?;
        tally.count_chain(CardId(card.0), &cards::read_counted(counted.as_deref())?);
    }
    Ok(tally.into_books())
}
