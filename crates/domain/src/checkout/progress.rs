//! What banks know about payments that were started there.

use super::PayerDecision;
use chrono::{DateTime, Utc};

/// What a bank knows about a payment or refund that was started there and has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PaymentProgress {
    /// Nobody has decided.
    Undecided,
    /// Somebody decided, at a time.
    Decided(PayerDecision, DateTime<Utc>),
}
