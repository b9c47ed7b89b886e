//! Test data: states of payment batches and of payments.

use super::ids::{CLIENT, noon};
use crate::batch::{
    BatchState, Confirmation, FailureReason, PaymentBatchStatus, PaymentParts, PaymentState, PaymentStatus,
    PaymentTerms,
};

/// Returns a state of a batch with this status. If the status requires a confirmation, [`CLIENT`] confirmed at noon. A
/// cancelled batch was never confirmed.
pub fn a_batch_state(status: PaymentBatchStatus) -> BatchState {
    use PaymentBatchStatus::{Completed, Confirmed, Failed, Started};
    let started = matches!(status, Started | Completed | Failed);
    let confirmation = Confirmation { by: Some(CLIENT), at: noon(), passed_mfa_check_at: None };
    let confirmation = (started || status == Confirmed).then_some(confirmation);
    BatchState::from_parts(status, confirmation, started.then(noon)).unwrap()
}

/// Returns a state of a payment with this status and these terms. If the status requires a start, the payment was
/// started at noon.
pub fn a_payment_state(status: PaymentStatus, terms: PaymentTerms) -> PaymentState {
    use PaymentStatus::{Completed, Created, Failed, Returned, Started};
    let started = matches!(status, Started | Completed | Failed | Returned);
    let parts = PaymentParts {
        terms: (status != Created).then_some(terms),
        failure: matches!(status, Failed | Returned).then_some(FailureReason::AccountClosed),
        started_at: started.then(noon),
        ask_at: (status == Started).then(noon),
    };
    PaymentState::from_parts(status, parts).unwrap()
}
