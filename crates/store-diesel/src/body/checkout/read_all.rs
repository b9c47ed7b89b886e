//! Checks that all sessions and payments of an account can be read.

use super::body::backend::Conn;
use super::body::errors::{Outcome, corrupt};
use super::body::tables::checkout::{PaymentRow, SessionRow, checkout_sessions, merchant_payments};
use super::body::types::Id;
use diesel::prelude::*;
use florin_domain::ids::AccountId;
use std::collections::BTreeSet;

/// Checks that each session and payment of an account can be read. `Corrupt`: the columns of one of them contradict
/// each other, or the payment of a refund is missing. The database would check the latter only at the end of the
/// transaction.
pub(crate) fn read_all(conn: &mut Conn, account: &AccountId) -> Outcome<()> {
    let sessions = checkout_sessions::table.filter(checkout_sessions::account_id.eq(account.as_str()));
    for row in sessions.select(SessionRow::as_select()).load::<SessionRow>(conn)? {
        row.read()?;
    }
    let payments = merchant_payments::table.filter(merchant_payments::account_id.eq(account.as_str()));
    let payments = payments.select(PaymentRow::as_select()).load::<PaymentRow>(conn)?;
    let known: BTreeSet<_> = payments.iter().map(|row| row.id).collect();
    for row in payments {
        let payment = row.read()?;
        if let Some(refund) = payment.refund.filter(|refund| !known.contains(&Id(refund.payment.0))) {
            return Err(corrupt(format!("payment {}, which refund {} names, is missing", refund.payment, refund.id)));
        }
    }
    Ok(())
}
