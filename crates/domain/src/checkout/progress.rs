//! The progress of payments and refunds at banks.

use super::PayerDecision;
use chrono::{DateTime, Utc};

/// The progress of a payment or refund at a bank that has not returned a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PaymentProgress {
    /// The payer or merchant has not decided.
    Undecided,
    /// The payer or merchant decided at this time.
    Decided(PayerDecision, DateTime<Utc>),
}
