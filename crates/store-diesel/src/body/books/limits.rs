//! Compares spending limits with the messages that used them.

use super::body::backend::{Conn, RowByRow};
use super::body::cards;
use super::body::errors::Outcome;
use super::body::tables::cards::card_transactions;
use super::body::types::{Id, Named, Time};
use diesel::prelude::*;
use florin_domain::books::{LimitBooks, LimitTally};
use florin_domain::card::{MessageKind, Response};
use florin_domain::ids::{AccountId, CardId};
use florin_domain::money::Minor;

/// Compares the limits of an account's cards with the sums of their messages. Reads messages one row at a time, because
/// there may be many.
pub(super) fn compare(conn: &mut Conn, account: &AccountId) -> Outcome<Vec<LimitBooks>> {
    let limits = cards::limits_of_account(conn, account)?;
    let Some(first) = limits.iter().map(|(_, _, limit)| limit.window_start).min() else { return Ok(Vec::new()) };
    let since = Time(first.and_time(chrono::NaiveTime::MIN).and_utc());
    let mut tally = LimitTally::of(limits);
    let messages = card_transactions::table
        .filter(card_transactions::account_id.eq(account.as_str()))
        .filter(card_transactions::created_at.ge(since))
        .filter(card_transactions::response.eq_any(LimitTally::COUNTED.map(Named)))
        .select((
            card_transactions::card_id,
            card_transactions::response,
            card_transactions::kind,
            card_transactions::impacted_minor,
            card_transactions::created_at,
        ))
        .load_iter::<(Id, Named<Response>, Named<MessageKind>, i64, Time), RowByRow>(conn)?;
    for message in messages {
        let (card, response, kind, impacted, at) = message?;
        tally.see_answered(CardId(card.0), response.0, (kind.0, Minor(impacted)), at.0);
    }
    Ok(tally.into_books())
}
