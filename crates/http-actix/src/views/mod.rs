//! What answers look like.

mod batch_check;
mod checkout;
mod list;
mod payment;
mod payment_alert;
mod payment_batch;
mod transaction;

pub(crate) use batch_check::{BatchCheckView, shortage_message};
pub(crate) use checkout::CheckoutView;
pub(crate) use list::List;
pub(crate) use payment::PaymentView;
pub(crate) use payment_alert::AlertView;
pub(crate) use payment_batch::{BatchView, InputView};
pub(crate) use transaction::{TransactionAnswer, transaction_answer};

use chrono::{DateTime, SecondsFormat, Utc};

/// UTC, whole seconds: `2026-09-01T12:00:00Z`.
pub(crate) fn time(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Secs, true)
}
