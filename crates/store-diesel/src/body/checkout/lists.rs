//! Lists of sessions and payments.

use super::body::backend::{Conn, Db};
use super::body::errors::Outcome;
use super::body::tables::checkout::{PaymentRow, SessionRow, checkout_sessions, merchant_payments};
use super::body::types::{Account, Id, Named, Time};
use chrono::{Days, NaiveDate, NaiveTime};
use diesel::prelude::*;
use florin_domain::checkout::{
    CheckoutSession, MerchantPayment, MerchantPaymentFilter, PaymentSort, PurposeKind, SessionFilter,
};
use florin_domain::ids::AccountId;
use florin_domain::merchant::CheckoutType;
use florin_domain::page::{Page, PageRequest};

/// Returns a page of sessions, without top-ups of budgets.
pub(super) fn sessions(
    conn: &mut Conn,
    account: &AccountId,
    filter: &SessionFilter,
    page: PageRequest,
) -> Outcome<Page<CheckoutSession>> {
    let rows = matching_sessions(account, filter)
        .order((checkout_sessions::created_at.desc(), checkout_sessions::id.desc()))
        .limit(page.limit)
        .offset(page.offset)
        .select(SessionRow::as_select())
        .load(conn)?;
    let count = matching_sessions(account, filter).count().get_result(conn)?;
    Ok(Page { count, rows: rows.into_iter().map(SessionRow::read).collect::<Outcome<_>>()? })
}

fn matching_sessions<'a>(account: &AccountId, filter: &'a SessionFilter) -> checkout_sessions::BoxedQuery<'a, Db> {
    let mut rows = checkout_sessions::table
        .filter(checkout_sessions::account_id.eq(Account(account.clone())))
        .filter(checkout_sessions::purpose.ne(Named(PurposeKind::Budget)))
        .into_boxed();
    if let Some(from) = filter.from {
        rows = rows.filter(checkout_sessions::created_at.ge(begin_of(from)));
    }
    if let Some(end) = filter.to.and_then(|to| to.checked_add_days(Days::new(1))) {
        rows = rows.filter(checkout_sessions::created_at.lt(begin_of(end)));
    }
    if let Some(checkout) = filter.checkout {
        rows = rows.filter(checkout_sessions::checkout_id.eq(Id(checkout.0)));
    }
    match filter.checkout_type {
        Some(CheckoutType::Shopping) => {
            rows = rows.filter(checkout_sessions::purpose.eq(Named(PurposeKind::Shopping)));
        }
        Some(CheckoutType::TopUp) => rows = rows.filter(checkout_sessions::purpose.eq(Named(PurposeKind::TopUp))),
        None => {}
    }
    if let Some(status) = filter.status {
        rows = rows.filter(checkout_sessions::status.eq(Named(status)));
    }
    if let Some(reference) = &filter.merchant_reference {
        rows = rows.filter(checkout_sessions::merchant_reference.eq(reference));
    }
    rows
}

/// Returns a page of payments and refunds.
pub(super) fn payments(
    conn: &mut Conn,
    account: &AccountId,
    filter: &MerchantPaymentFilter,
    sort: PaymentSort,
    page: PageRequest,
) -> Outcome<Page<MerchantPayment>> {
    let rows = matching_payments(account, filter).limit(page.limit).offset(page.offset);
    let rows = match sort {
        PaymentSort::OldestFirst => rows.order((merchant_payments::created_at.asc(), merchant_payments::id.asc())),
        PaymentSort::NewestFirst => rows.order((merchant_payments::created_at.desc(), merchant_payments::id.desc())),
    };
    let rows = rows.select(PaymentRow::as_select()).load(conn)?;
    let count = matching_payments(account, filter).count().get_result(conn)?;
    Ok(Page { count, rows: rows.into_iter().map(PaymentRow::read).collect::<Outcome<_>>()? })
}

fn matching_payments<'a>(
    account: &AccountId,
    filter: &'a MerchantPaymentFilter,
) -> merchant_payments::BoxedQuery<'a, Db> {
    let mut rows =
        merchant_payments::table.filter(merchant_payments::account_id.eq(Account(account.clone()))).into_boxed();
    if let Some(from) = filter.from {
        rows = rows.filter(merchant_payments::created_at.ge(begin_of(from)));
    }
    if let Some(end) = filter.to.and_then(|to| to.checked_add_days(Days::new(1))) {
        rows = rows.filter(merchant_payments::created_at.lt(begin_of(end)));
    }
    if let Some(kind) = filter.kind {
        rows = rows.filter(merchant_payments::kind.eq(Named(kind)));
    }
    if let Some(status) = filter.status {
        rows = rows.filter(merchant_payments::status.eq(Named(status)));
    }
    if let Some(session) = filter.session {
        rows = rows.filter(merchant_payments::session_id.eq(Id(session.0)));
    }
    if let Some(refunded) = filter.refunded {
        rows = rows.filter(merchant_payments::refunded_payment_id.eq(Id(refunded.0)));
    }
    if filter.checkout_type.is_some() || filter.merchant_reference.is_some() {
        rows = rows.filter(merchant_payments::session_id.eq_any(sessions_of_payments(account, filter)));
    }
    rows
}

type SessionIds<'a> = diesel::dsl::Select<checkout_sessions::BoxedQuery<'a, Db>, checkout_sessions::id>;

/// Selects the sessions of matching payments.
fn sessions_of_payments<'a>(account: &AccountId, filter: &'a MerchantPaymentFilter) -> SessionIds<'a> {
    let mut sessions =
        checkout_sessions::table.filter(checkout_sessions::account_id.eq(Account(account.clone()))).into_boxed();
    match filter.checkout_type {
        Some(CheckoutType::Shopping) => {
            sessions = sessions.filter(checkout_sessions::purpose.eq(Named(PurposeKind::Shopping)));
        }
        Some(CheckoutType::TopUp) => {
            sessions = sessions.filter(checkout_sessions::purpose.ne(Named(PurposeKind::Shopping)));
        }
        None => {}
    }
    if let Some(reference) = &filter.merchant_reference {
        sessions = sessions.filter(checkout_sessions::merchant_reference.eq(reference));
    }
    sessions.select(checkout_sessions::id)
}

/// The first moment of a day, in UTC.
fn begin_of(day: NaiveDate) -> Time {
    Time(day.and_time(NaiveTime::MIN).and_utc())
}
