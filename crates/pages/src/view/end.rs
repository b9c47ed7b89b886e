//! The pages after the bank.

use super::order::Order;
use super::shop::Form;
use chrono::{DateTime, Utc};
use florin_domain::money::Money;

/// The bank has not confirmed yet. The page has a link to read it again; it does not refresh itself, because a page that
/// reloads under a screen reader fails WCAG 2.2.1 (F41).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// The path of the page itself.
    pub path: String,
    /// The amount.
    pub amount: Money,
    /// The name of the bank.
    pub bank_name: String,
    /// The reference of the payment: `RQ…`.
    pub payment_reference: String,
}

/// The receipt of a complete payment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// What was paid.
    pub order: Order,
    /// The reference of the payment: `RQ…`.
    pub payment_reference: String,
    /// The name of the bank.
    pub bank_name: String,
    /// When it was completed.
    pub paid_at: DateTime<Utc>,
    /// The address of the merchant's page. `None`: there is no button.
    pub return_url: Option<String>,
    /// Whether the payer tried to pay again: the page says that it was paid already, and that nothing was paid twice.
    pub is_repeated: bool,
}

/// A payment that failed while the session is still open. Action `continue` leads to the banks, `cancel` ends the session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failed {
    /// Where the form is sent.
    pub form: Form,
    /// The amount.
    pub amount: Money,
    /// Why it failed.
    pub reason: FailureReason,
    /// The name of the bank.
    pub bank_name: String,
    /// When the session ends, shown as the time limit.
    pub expires_at: DateTime<Utc>,
}

/// Why a payment failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureReason {
    /// The payer rejected it at the bank, or the bank refused it.
    RejectedByBank,
    /// The payer left the bank.
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
    /// The payer or the merchant cancelled it.
    Cancelled {
        /// The address of the merchant's page. `None`: there is no button.
        return_url: Option<String>,
    },
    /// Its time is over: `EXPIRED` and `ABANDONED`.
    Expired {
        /// The address of the merchant's page. `None`: there is no button.
        return_url: Option<String>,
    },
}

/// The result of a refund at the bank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RefundResult {
    /// The merchant approved it.
    Authorised {
        /// The amount.
        amount: Money,
        /// The reference of the payment that is refunded.
        payment_reference: String,
    },
    /// The merchant rejected it, or left the bank: no money moves.
    Cancelled,
}
