//! The pages after the bank.

use super::order::Order;
use super::shop::Form;
use chrono::{DateTime, Utc};
use florin_domain::money::Money;

/// The page for a payment that the bank has not confirmed yet. A link loads the page again. The page does not refresh
/// itself, because a page that reloads while a screen reader reads it fails WCAG 2.2.1 (F41).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// The path of this page.
    pub path: String,
    /// The amount.
    pub amount: Money,
    /// The name of the bank.
    pub bank_name: String,
    /// The reference of the payment: `RQ…`.
    pub payment_reference: String,
}

/// The receipt of a completed payment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// The order that was paid.
    pub order: Order,
    /// The reference of the payment: `RQ…`.
    pub payment_reference: String,
    /// The name of the bank.
    pub bank_name: String,
    /// When the payment was completed.
    pub paid_at: DateTime<Utc>,
    /// The URL of the merchant's page. `None`: no button is shown.
    pub return_url: Option<String>,
    /// Whether the payer tried to pay again. The page then says that the payment was already made, and that nothing was
    /// paid twice.
    pub is_repeated: bool,
}

/// A failed payment in a session that is still open. The action `continue` leads to the list of banks; `cancel` ends
/// the session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failed {
    /// The path of the form, and its token.
    pub form: Form,
    /// The amount.
    pub amount: Money,
    /// The reason that the payment failed.
    pub reason: FailureReason,
    /// The name of the bank.
    pub bank_name: String,
    /// When the session ends, shown as the time limit.
    pub expires_at: DateTime<Utc>,
}

/// The reason that a payment failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureReason {
    /// The payer rejected the payment at the bank, or the bank refused it.
    RejectedByBank,
    /// The payer left the bank without deciding.
    LeftBank,
    /// The bank did not confirm in time.
    TimedOut,
    /// The bank had a technical error.
    TechnicalError,
}

impl FailureReason {
    /// All reasons.
    pub const ALL: [Self; 4] = [Self::RejectedByBank, Self::LeftBank, Self::TimedOut, Self::TechnicalError];
}

/// A session that ended without a payment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The payer or the merchant cancelled the session.
    Cancelled {
        /// The URL of the merchant's page. `None`: no button is shown.
        return_url: Option<String>,
    },
    /// The time of the session is over: it is `EXPIRED` or `ABANDONED`.
    Expired {
        /// The URL of the merchant's page. `None`: no button is shown.
        return_url: Option<String>,
    },
}

/// The result of the merchant's decision on a refund at the bank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RefundResult {
    /// The merchant approved the refund.
    Authorised {
        /// The amount.
        amount: Money,
        /// The reference of the payment that is refunded.
        payment_reference: String,
    },
    /// The merchant rejected the refund, or left the bank. No money moves.
    Cancelled,
}
