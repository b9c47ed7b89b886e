//! What answers look like.

mod checkout;
mod list;
mod transaction;

pub(crate) use checkout::CheckoutView;
pub(crate) use list::List;
pub(crate) use transaction::{TransactionAnswer, transaction_answer};

use chrono::{DateTime, SecondsFormat, Utc};

/// UTC, whole seconds: `2026-09-01T12:00:00Z`.
pub(crate) fn time(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Secs, true)
}
