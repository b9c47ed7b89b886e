//! Finds sessions, their payments, and the sums of refunds.

use super::body::backend::Conn;
use super::body::errors::{Outcome, Stop, corrupt};
use super::body::statements::FirstRow;
use super::body::tables::checkout::{PaymentRow, SessionRow, checkout_sessions, merchant_payments};
use super::body::types::{Bytes, Id, Named};
use diesel::dsl::count_star;
use diesel::prelude::*;
use florin_domain::checkout::{
    CheckoutSession, MerchantPayment, MerchantPaymentKind, MerchantPaymentStatus, PageTokenHash,
};
use florin_domain::ids::{AccountId, CheckoutSessionId, MerchantPaymentId};
use florin_domain::money::Minor;
use florin_ports::{FoundSession, WriteError};

/// Returns a session or top-up of the account.
pub(super) fn session(conn: &mut Conn, account: &AccountId, id: CheckoutSessionId) -> Outcome<Option<CheckoutSession>> {
    let row = checkout_sessions::table
        .filter(checkout_sessions::account_id.eq(account.as_str()))
        .filter(checkout_sessions::id.eq(Id(id.0)))
        .select(SessionRow::as_select())
        .get_result::<SessionRow>(conn)
        .optional()?;
    row.map(SessionRow::read).transpose()
}

/// The key by which a session is found.
enum By<'a> {
    Id(&'a AccountId, CheckoutSessionId),
    Token(PageTokenHash),
}

/// Returns a session or top-up of the account, with its last payment.
pub(super) fn find(conn: &mut Conn, account: &AccountId, id: CheckoutSessionId) -> Outcome<Option<FoundSession>> {
    with_payments(conn, &By::Id(account, id))
}

/// Returns the session with this page token, with its last payment.
pub(super) fn with_token(conn: &mut Conn, token: PageTokenHash) -> Outcome<Option<FoundSession>> {
    with_payments(conn, &By::Token(token))
}

/// Reads a session with its last payment and the number of its payments: one statement, so that all come from one view
/// without a transaction.
fn with_payments(conn: &mut Conn, by: &By<'_>) -> Outcome<Option<FoundSession>> {
    let of_session = merchant_payments::account_id
        .eq(checkout_sessions::account_id)
        .and(merchant_payments::session_id.eq(checkout_sessions::id))
        .and(merchant_payments::kind.eq(Named(MerchantPaymentKind::Payment)));
    let is_pending = merchant_payments::status.eq(Named(MerchantPaymentStatus::Pending));
    let rows = checkout_sessions::table
        .left_join(merchant_payments::table.on(of_session))
        // The clock of a world may be frozen, so the creation times of payments may be equal.
        .order((is_pending.desc(), merchant_payments::created_at.desc(), merchant_payments::id.desc()))
        .select((SessionRow::as_select(), Option::<PaymentRow>::as_select(), count_star().over()))
        .into_boxed();
    let rows = match by {
        By::Id(account, id) => {
            rows.filter(checkout_sessions::account_id.eq(account.as_str())).filter(checkout_sessions::id.eq(Id(id.0)))
        }
        By::Token(token) => rows.filter(checkout_sessions::token_hash.eq(Bytes(token.0.to_vec()))),
    };
    let row = FirstRow(rows).get_result::<(SessionRow, Option<PaymentRow>, i64)>(conn).optional()?;
    let Some((session, last, row_count)) = row else { return Ok(None) };
    let attempts = if last.is_some() { row_count } else { 0 };
    Ok(Some(FoundSession { session: session.read()?, last: last.map(PaymentRow::read).transpose()?, attempts }))
}

/// Returns the pending payment of a session.
pub(super) fn pending(conn: &mut Conn, session: &CheckoutSession) -> Outcome<Option<MerchantPayment>> {
    let row = merchant_payments::table
        .filter(merchant_payments::account_id.eq(session.account.as_str()))
        .filter(merchant_payments::session_id.eq(Id(session.id.0)))
        .filter(merchant_payments::kind.eq(Named(MerchantPaymentKind::Payment)))
        .filter(merchant_payments::status.eq(Named(MerchantPaymentStatus::Pending)))
        .select(PaymentRow::as_select())
        .get_result::<PaymentRow>(conn)
        .optional()?;
    row.map(PaymentRow::read).transpose()
}

/// Returns the answer to a command whose object does not exist on the account.
pub(super) const fn absent<R>() -> Stop<WriteError<R>> {
    Stop::Answer(WriteError::Absent)
}

/// Returns the sum of the refunds of a payment that count against it.
pub(super) fn refunded_or_pending(conn: &mut Conn, account: &AccountId, payment: MerchantPaymentId) -> Outcome<Minor> {
    let statuses = MerchantPaymentStatus::ALL.into_iter();
    let counted: Vec<_> = statuses.filter(|status| status.counts_against_payment()).map(Named).collect();
    let amounts: Vec<i64> = merchant_payments::table
        .filter(merchant_payments::account_id.eq(account.as_str()))
        .filter(merchant_payments::refunded_payment_id.eq(Id(payment.0)))
        .filter(merchant_payments::status.eq_any(counted))
        .select(merchant_payments::amount_minor)
        .load(conn)?;
    let sum = amounts.into_iter().try_fold(Minor::ZERO, |sum, amount| sum.plus(Minor(amount)));
    sum.ok_or_else(|| corrupt(format!("the refunds of payment {payment} exceed 64 bits")))
}
