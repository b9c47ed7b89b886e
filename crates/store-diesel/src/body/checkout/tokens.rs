//! The tokens of payment pages in a copy of a world.

use super::body::backend::Conn;
use super::body::errors::Outcome;
use super::body::tables::checkout::{checkout_sessions, merchant_payments};
use super::body::types::{Bytes, Id};
use diesel::prelude::*;
use florin_domain::ids::AccountId;
use florin_ports::PageTokens;

/// Replaces the page tokens of an account's sessions and refunds, which may be copies from another account.
pub(crate) fn replace_tokens(conn: &mut Conn, account: &AccountId, tokens: &PageTokens) -> Outcome<()> {
    let sessions = checkout_sessions::table.filter(checkout_sessions::account_id.eq(account.as_str()));
    for id in sessions.select(checkout_sessions::id).load::<Id>(conn)? {
        let token = Bytes(tokens(account, id.0).0.to_vec());
        diesel::update(sessions.filter(checkout_sessions::id.eq(id)))
            .set(checkout_sessions::token_hash.eq(token))
            .execute(conn)?;
    }
    let refunds = merchant_payments::table.filter(merchant_payments::account_id.eq(account.as_str()));
    for id in refunds.select(merchant_payments::refund_id).load::<Option<Id>>(conn)?.into_iter().flatten() {
        let token = Bytes(tokens(account, id.0).0.to_vec());
        diesel::update(refunds.filter(merchant_payments::refund_id.eq(id)))
            .set(merchant_payments::token_hash.eq(token))
            .execute(conn)?;
    }
    Ok(())
}
