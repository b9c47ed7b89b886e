//! Filters of the lists of sessions and payments, sums of payments, and the items on which something is due.

use super::{CheckoutSession, MerchantPayment, MerchantPaymentKind, MerchantPaymentStatus, SessionStatus};
use crate::ids::{AccountId, CheckoutId, CheckoutSessionId, MerchantPaymentId, RefundId};
use crate::merchant::CheckoutType;
use crate::money::Currency;
use crate::money::Total;
use chrono::{DateTime, NaiveDate, Utc};

/// Selects sessions. Top-ups of budgets are never selected. A `None` field selects everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionFilter {
    /// The first day of creation, in UTC, inclusive.
    pub from: Option<NaiveDate>,
    /// The last day of creation, in UTC, inclusive.
    pub to: Option<NaiveDate>,
    /// The checkout.
    pub checkout: Option<CheckoutId>,
    /// The type of the checkout.
    pub checkout_type: Option<CheckoutType>,
    /// The status.
    pub status: Option<SessionStatus>,
    /// The merchant's reference.
    pub merchant_reference: Option<String>,
}

impl SessionFilter {
    /// Returns whether the filter selects a session.
    pub fn matches(&self, session: &CheckoutSession) -> bool {
        session.purpose.checkout().is_some()
            && is_between((self.from, self.to), session.created_at)
            && self.checkout.is_none_or(|checkout| session.purpose.checkout() == Some(checkout))
            && self.checkout_type.is_none_or(|kind| session.purpose.checkout_type() == kind)
            && self.status.is_none_or(|status| session.status() == status)
            && self.merchant_reference.as_ref().is_none_or(|text| session.merchant_reference.as_ref() == Some(text))
    }
}

/// Selects payments and refunds. A `None` field selects everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MerchantPaymentFilter {
    /// The first day of creation, in UTC, inclusive.
    pub from: Option<NaiveDate>,
    /// The last day of creation, in UTC, inclusive.
    pub to: Option<NaiveDate>,
    /// Only payments, or only refunds.
    pub kind: Option<MerchantPaymentKind>,
    /// The type of the checkout.
    pub checkout_type: Option<CheckoutType>,
    /// The status.
    pub status: Option<MerchantPaymentStatus>,
    /// The session.
    pub session: Option<CheckoutSessionId>,
    /// The merchant's reference of the session.
    pub merchant_reference: Option<String>,
    /// The refunded payment, which selects its refunds.
    pub refunded: Option<MerchantPaymentId>,
}

impl MerchantPaymentFilter {
    /// Returns whether the filter selects a payment of a session.
    pub fn matches(&self, payment: &MerchantPayment, session: &CheckoutSession) -> bool {
        let refunded = payment.refund.as_ref().map(|refund| refund.payment);
        is_between((self.from, self.to), payment.created_at)
            && self.kind.is_none_or(|kind| payment.kind() == kind)
            && self.checkout_type.is_none_or(|kind| session.purpose.checkout_type() == kind)
            && self.status.is_none_or(|status| payment.status() == status)
            && self.session.is_none_or(|id| payment.session == id)
            && self.merchant_reference.as_ref().is_none_or(|text| session.merchant_reference.as_ref() == Some(text))
            && self.refunded.is_none_or(|payment| refunded == Some(payment))
    }
}

fn is_between((from, to): (Option<NaiveDate>, Option<NaiveDate>), time: DateTime<Utc>) -> bool {
    let day = time.date_naive();
    from.is_none_or(|from| from <= day) && to.is_none_or(|to| day <= to)
}

/// The sort order of a list of payments, by time of creation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PaymentSort {
    /// Oldest first.
    OldestFirst,
    /// Newest first.
    #[default]
    NewestFirst,
}

impl PaymentSort {
    /// Both orders.
    pub const ALL: [Self; 2] = [Self::OldestFirst, Self::NewestFirst];

    /// Returns the name in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::OldestFirst => "createdAt",
            Self::NewestFirst => "-createdAt",
        }
    }
}

/// The sums of a merchant's COMPLETED payments and refunds in one currency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PaymentsSummary {
    /// The currency.
    pub currency: Currency,
    /// The sum of the payments.
    pub paid: Total,
    /// The sum of the refunds.
    pub refunded: Total,
    /// Number of payments, without refunds.
    pub count: i64,
}

/// A session or refund on which something is due.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DueItem {
    /// A session.
    Session(AccountId, CheckoutSessionId),
    /// A refund.
    Refund(AccountId, RefundId),
}

#[cfg(test)]
#[path = "filter_tests.rs"]
mod tests;
