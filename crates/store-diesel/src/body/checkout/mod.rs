//! Sessions of checkouts and top-ups of budgets, their payments and refunds.

mod act;
mod counts;
mod create;
mod due;
mod find;
mod lists;
mod payment_page;
mod payments;
mod refunds;
mod rows;
mod sessions;
mod tokens;

use super::body;

pub(crate) use counts::miscounted;
pub(crate) use due::settlement_accounts_in_use;
pub(crate) use tokens::replace_tokens;

use super::body::backend::Conn;
use super::body::errors::Outcome;
use super::body::statements::insert;
use super::body::tables::checkout::{PaymentRow, SessionRow};
use florin_domain::checkout::{CheckoutSession, MerchantPayment};

/// Stores prepared sessions and payments.
pub(crate) fn seed(conn: &mut Conn, sessions: &[CheckoutSession], payments: &[MerchantPayment]) -> Outcome<()> {
    insert(sessions.iter().map(SessionRow::of).collect::<Outcome<_>>()?, conn)?;
    insert(payments.iter().map(PaymentRow::from).collect(), conn)?;
    counts::add_all(conn, payments)
}
