//! Lists of sessions and payments.

use super::body::backend::{Conn, Db};
use super::body::errors::Outcome;
use super::body::tables::checkout::{SessionRow, checkout_sessions};
use super::body::types::{Account, Id, Named, Time};
use super::payment_page::PaymentQuery;
use chrono::{Days, NaiveDate, NaiveTime};
use diesel::prelude::*;
use florin_domain::checkout::{CheckoutSession, MerchantPaymentFilter, PaymentSort, PurposeKind, SessionFilter};
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
        Some(CheckoutType::TopUp) => rows = rows.filter(checkout_sessions::purpose.eq(Named(PurposeKind::Payee))),
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

/// Returns the query for pages of payments and refunds.
pub(super) fn payments(account: &AccountId, filter: MerchantPaymentFilter, sort: PaymentSort) -> PaymentQuery {
    let before = filter.to.and_then(|to| to.checked_add_days(Days::new(1)));
    let days = (filter.from.map(begin_of), before.map(begin_of));
    PaymentQuery::new(Account(account.clone()), filter, days, sort)
}

/// Returns the first moment of a day, in UTC.
fn begin_of(day: NaiveDate) -> Time {
    Time(day.and_time(NaiveTime::MIN).and_utc())
}
