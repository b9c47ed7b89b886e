//! Reads all sessions and payments of an account.

use super::body::backend::Conn;
use super::body::errors::Outcome;
use super::body::tables::checkout::{PaymentRow, SessionRow, checkout_sessions, merchant_payments};
use diesel::prelude::*;
use florin_domain::ids::AccountId;

/// Reads each session and payment of an account. `Corrupt`: the columns of one of them contradict each other.
pub(crate) fn read_all(conn: &mut Conn, account: &AccountId) -> Outcome<()> {
    let sessions = checkout_sessions::table.filter(checkout_sessions::account_id.eq(account.as_str()));
    for row in sessions.select(SessionRow::as_select()).load::<SessionRow>(conn)? {
        row.read()?;
    }
    let payments = merchant_payments::table.filter(merchant_payments::account_id.eq(account.as_str()));
    for row in payments.select(PaymentRow::as_select()).load::<PaymentRow>(conn)? {
        row.read()?;
    }
    Ok(())
}
