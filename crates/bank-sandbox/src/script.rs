//! The outcome that each `reference` selects.

use chrono::{DateTime, TimeDelta, Utc};
use florin_domain::batch::FailureReason::{AccountClosed, AccountNotFound, Compliance, NameMismatch, RejectedByBank};
use florin_domain::batch::PaymentOutcome::{Completed, Failed, Pending, Returned};
use florin_domain::batch::PaymentReport;
use florin_ports::AcceptedPayment;

/// Reports the state of an accepted payment at a given time.
pub(crate) fn report(payment: &AcceptedPayment, now: DateTime<Utc>) -> PaymentReport {
    let final_report = |outcome| PaymentReport { outcome, ask_again_at: None };
    let later = |outcome, ask_again_at| PaymentReport { outcome, ask_again_at: Some(ask_again_at) };
    match payment.reference.as_deref() {
        Some("SBX-FAIL-CLOSED") => final_report(Failed(AccountClosed)),
        Some("SBX-FAIL-ACCOUNT") => final_report(Failed(AccountNotFound)),
        Some("SBX-FAIL-NAME") => final_report(Failed(NameMismatch)),
        Some("SBX-FAIL-REJECTED") => final_report(Failed(RejectedByBank)),
        Some("SBX-FAIL-BLOCKED") => final_report(Failed(Compliance)),
        Some("SBX-PENDING") => final_report(Pending),
        Some("SBX-RETURN") => {
            let back_at = payment.accepted_at + TimeDelta::seconds(2);
            if now < back_at { later(Completed, back_at) } else { final_report(Returned(AccountClosed)) }
        }
        Some("SBX-SLOW") => {
            let done_at = payment.accepted_at + TimeDelta::seconds(5);
            if now < done_at { later(Pending, done_at) } else { final_report(Completed) }
        }
        _ => final_report(Completed),
    }
}
