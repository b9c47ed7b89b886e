//! Maps errors of payment batches and MFA sessions to responses.

use super::range::out_of_range;
use super::write::write_problem;
use crate::codes::ErrorCode;
use crate::problem::{Problem, ProblemEntry};
use crate::views::shortage_message;
use actix_web::http::StatusCode;
use florin_application::ConfirmBatchError;
use florin_domain::batch::{CancelRefusal, ConfirmRefusal, Shortage, UploadRefusal};
use florin_domain::mfa::{MfaFailure, OpenRefusal};
use florin_ports::RecordedRequest;

const MFA: &str = "body.mfa";
/// The path parameter that names a payment batch.
pub(crate) const BATCH: &str = "path.paymentBatchId";

/// Maps the refusal of an MFA session.
pub(crate) fn open_problem(refusal: OpenRefusal) -> Problem {
    match refusal {
        OpenRefusal::State(illegal) => {
            let message = format!("must name a validated payment batch (got {})", illegal.current);
            Problem::conflict("body.paymentBatchId", ErrorCode::InvalidState, message)
        }
        OpenRefusal::NotEnrolled(provider) => {
            let message = format!("must be a provider that the account is enrolled with (got {provider})");
            Problem::conflict("body.provider", ErrorCode::MfaNotEnrolled, message)
        }
    }
}

/// Maps the failure of a confirmation.
pub(crate) fn confirm_problem(error: ConfirmBatchError, request: Option<&RecordedRequest>) -> Problem {
    match error {
        ConfirmBatchError::Provider(error) => {
            tracing::error!(%error, "MFA provider unavailable");
            let message = "MFA provider unavailable; retry after the interval in Retry-After";
            Problem::unavailable(ErrorCode::ProviderUnavailable, message).retry_after(5)
        }
        ConfirmBatchError::Write(error) => {
            write_problem(error, (BATCH, "payment batch"), request, refused_confirmation)
        }
    }
}

fn refused_confirmation(refusal: ConfirmRefusal) -> Problem {
    match refusal {
        ConfirmRefusal::MfaRequired => {
            let message = "is required: the account's policy asks for multi-factor authentication";
            Problem::new(StatusCode::BAD_REQUEST, MFA, ErrorCode::MfaRequired, message)
        }
        ConfirmRefusal::State(illegal) => {
            let message = format!("must name a validated payment batch (got {})", illegal.current);
            Problem::conflict(BATCH, ErrorCode::InvalidState, message)
        }
        ConfirmRefusal::Mfa(MfaFailure::Failed) => Problem::forbidden(MFA, ErrorCode::MfaFailed, "failed verification"),
        ConfirmRefusal::Mfa(MfaFailure::Expired) => {
            Problem::forbidden(MFA, ErrorCode::MfaExpired, "belongs to an expired session")
        }
        ConfirmRefusal::Mfa(MfaFailure::Locked) => {
            Problem::forbidden(MFA, ErrorCode::MfaLocked, "is locked after too many wrong tokens")
        }
        ConfirmRefusal::InsufficientFunds(shortages) => insufficient_funds(&shortages),
        ConfirmRefusal::AmountOutOfRange(error) => out_of_range(error, BATCH),
    }
}

fn insufficient_funds(shortages: &[Shortage]) -> Problem {
    let entry = |shortage| ProblemEntry::new("", ErrorCode::InsufficientFunds, shortage_message(shortage));
    let entries = shortages.iter().map(entry).collect();
    Problem::with_entries(StatusCode::CONFLICT, "insufficient funds to confirm the payment batch", entries)
}

/// Maps the refusal of an upload. `path` is the path of the batch or, for a new batch, of its payments.
pub(crate) fn upload_problem(refusal: &UploadRefusal, path: &str) -> Problem {
    match refusal {
        UploadRefusal::State(illegal) => {
            let message = format!("must name a draft or validated payment batch (got {})", illegal.current);
            Problem::conflict(path, ErrorCode::InvalidState, message)
        }
        UploadRefusal::Locked => {
            let message = "must name an unlocked payment batch: this one was created with its payments";
            Problem::conflict(path, ErrorCode::InvalidState, message)
        }
        UploadRefusal::AmountOutOfRange(error) => out_of_range(*error, path),
    }
}

/// Maps the refusal of a cancellation.
pub(crate) fn cancel_problem(refusal: &CancelRefusal) -> Problem {
    match refusal {
        CancelRefusal::State(illegal) => {
            let message = format!("must name a payment batch that can still be cancelled (got {})", illegal.current);
            Problem::conflict(BATCH, ErrorCode::InvalidState, message)
        }
        CancelRefusal::AmountOutOfRange(error) => Problem::bug(error),
    }
}

/// Returns the 404 for a payment batch that does not exist.
pub(crate) fn no_batch() -> Problem {
    Problem::absent(BATCH, "payment batch")
}
