//! The banks at which payers decide about payments.

use chrono::{DateTime, Utc};
use florin_domain::checkout::{PayerDecision, PayerVisit};

/// Takes payers to their banks. The sandbox simulates the banks; a production server without an adapter creates no sessions.
#[cfg_attr(feature = "test-support", mockall::automock)]
pub trait PaymentInitiation: Send + Sync {
    /// Returns what a visit of a payer, or of a merchant who authorises a refund, leads to.
    fn visit(&self, visit: PayerVisit, now: DateTime<Utc>) -> PayerDecision;
}
