//! Which reference plays which ending.

use chrono::{DateTime, TimeDelta, Utc};
use florin_domain::batch::FailureReason::{AccountClosed, AccountNotFound, Compliance, NameMismatch, RejectedByBank};
use florin_domain::batch::PaymentOutcome::{Completed, Failed, Pending, Returned};
use florin_domain::batch::PaymentReport;
use florin_ports::AcceptedPayment;

/// What the bank tells at a time of a payment that it has accepted.
pub(crate) fn report(payment: &AcceptedPayment, now: DateTime<Utc>) -> PaymentReport {
    let told = |outcome| PaymentReport { outcome, ask_again_at: None };
    let later = |outcome, ask_again_at| PaymentReport { outcome, ask_again_at: Some(ask_again_at) };
    match payment.reference.as_deref() {
        Some("SBX-FAIL-CLOSED") => told(Failed(AccountClosed)),
        Some("SBX-FAIL-ACCOUNT") => told(Failed(AccountNotFound)),
        Some("SBX-FAIL-NAME") => told(Failed(NameMismatch)),
        Some("SBX-FAIL-REJECTED") => told(Failed(RejectedByBank)),
        Some("SBX-FAIL-BLOCKED") => told(Failed(Compliance)),
        Some("SBX-PENDING") => told(Pending),
        Some("SBX-RETURN") => {
            let back_at = payment.accepted_at + TimeDelta::seconds(2);
            if now < back_at { later(Completed, back_at) } else { told(Returned(AccountClosed)) }
        }
        Some("SBX-SLOW") => {
            let done_at = payment.accepted_at + TimeDelta::seconds(5);
            if now < done_at { later(Pending, done_at) } else { told(Completed) }
        }
        _ => told(Completed),
    }
}
