//! The outcome that each `reference` selects.

use chrono::{DateTime, TimeDelta, Utc};
use florin_domain::batch::FailureReason::{AccountClosed, AccountNotFound, Compliance, NameMismatch, RejectedByBank};
use florin_domain::batch::PaymentOutcome::{Completed, Failed, Pending, Returned};
use florin_domain::batch::PaymentReport;
use florin_ports::AcceptedPayment;

/// Reports the state of an accepted payment at a given time.
pub(crate) fn report(payment: &AcceptedPayment, now: DateTime<Utc>) -> PaymentReport {
    let without_later_change = |outcome| PaymentReport { outcome, ask_again_at: None };
    let later = |outcome, ask_again_at| PaymentReport { outcome, ask_again_at: Some(ask_again_at) };
    match payment.reference.as_deref() {
        Some("SBX-FAIL-CLOSED") => without_later_change(Failed(AccountClosed)),
        Some("SBX-FAIL-ACCOUNT") => without_later_change(Failed(AccountNotFound)),
        Some("SBX-FAIL-NAME") => without_later_change(Failed(NameMismatch)),
        Some("SBX-FAIL-REJECTED") => without_later_change(Failed(RejectedByBank)),
        Some("SBX-FAIL-BLOCKED") => without_later_change(Failed(Compliance)),
        Some("SBX-PENDING") => without_later_change(Pending),
        Some("SBX-RETURN") => {
            let returned_at = payment.accepted_at + TimeDelta::seconds(2);
            if now < returned_at {
                later(Completed, returned_at)
            } else {
                without_later_change(Returned(AccountClosed))
            }
        }
        Some("SBX-SLOW") => {
            let completed_at = payment.accepted_at + TimeDelta::seconds(5);
            if now < completed_at { later(Pending, completed_at) } else { without_later_change(Completed) }
        }
        _ => without_later_change(Completed),
    }
}
