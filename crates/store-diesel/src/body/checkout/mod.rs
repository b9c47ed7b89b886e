//! Sessions of checkouts and top-ups of budgets, their payments and refunds.

mod act;
mod carried;
mod counts;
mod create;
mod due;
mod find;
mod lists;
mod payment_page;
mod payments;
mod read_all;
mod refunds;
mod rows;
mod sessions;
mod tokens;

use super::body;

pub(crate) use carried::contradicting as contradicting_payments;
pub(crate) use counts::miscounted;
pub(crate) use due::settlement_accounts_in_use;
pub(crate) use read_all::read_all;
pub(crate) use tokens::replace_tokens;

use super::body::backend::Conn;
use super::body::errors::{Outcome, corrupt};
use super::body::statements::insert;
use super::body::tables::checkout::{PaymentRow, SessionRow};
use florin_domain::checkout::{CheckoutSession, MerchantPayment};
use std::collections::{BTreeMap, BTreeSet};

/// Stores prepared sessions and payments.
pub(crate) fn seed(conn: &mut Conn, sessions: &[CheckoutSession], payments: &[MerchantPayment]) -> Outcome<()> {
    insert(sessions.iter().map(SessionRow::of).collect::<Outcome<_>>()?, conn)?;
    let of_session: BTreeMap<_, _> = sessions.iter().map(|session| (session.id, session)).collect();
    let refunded: BTreeSet<_> = payments.iter().filter_map(|one| Some(one.refund.as_ref()?.payment)).collect();
    let row = |payment: &MerchantPayment| {
        let session = of_session.get(&payment.session);
        let session = session.ok_or_else(|| corrupt(format!("payment {} has no session", payment.id)))?;
        Ok(PaymentRow { has_refunds: refunded.contains(&payment.id), ..PaymentRow::of(payment, session) })
    };
    insert(payments.iter().map(row).collect::<Outcome<_>>()?, conn)?;
    counts::add_all(conn, payments)
}
