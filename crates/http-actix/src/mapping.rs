//! From errors of use cases to answers: the one place, exhaustive.

mod management;

use crate::codes::ErrorCode;
use crate::extract::json::differences;
use crate::load::refusal;
use crate::problem::{Problem, ProblemEntry};
use crate::views::shortage_message;
use actix_web::http::StatusCode;
use chrono::{DateTime, SecondsFormat, Utc};
use florin_application::{
    AccessError, ConfirmBatchError, ExplainBalanceError, FirstMessageError, ListCheckoutsError, ReachError,
};
use florin_domain::batch::{CancelRefusal, ConfirmRefusal, Shortage, UploadRefusal};
use florin_domain::budget::CreditRefusal;
use florin_domain::card::decide::CardRefusal;
use florin_domain::fault::Flaw;
use florin_domain::mfa::{MfaFailure, OpenRefusal};
use florin_domain::world::{
    ClockChange, ClockRefusal, CreateWorldRefusal, SNAPSHOT_BYTES, SNAPSHOTS_OF_A_WORLD, SnapshotRefusal,
    WORLDS_OF_A_CLIENT,
};
use florin_ports::{PostcodeError, RecordedRequest, StoreError, WriteError};

pub(crate) use management::{
    create_budget_problem, create_card_problem, limit_problem, removal_problem, transfer_problem, transition_problem,
};

const AUTHORIZATION: &str = "header.Authorization";
const TOKEN: &str = "body.precedingRelatedTransactionToken";
const AMOUNT: &str = "body.amount";
const CURRENCY: &str = "body.currencyCode";
const MFA: &str = "body.mfa";
/// What names a payment batch.
pub(crate) const BATCH: &str = "path.paymentBatchId";

fn conflict(path: &str, code: ErrorCode, message: impl Into<String>) -> Problem {
    Problem::new(StatusCode::CONFLICT, path, code, message)
}

fn forbidden(path: &str, code: ErrorCode, message: impl Into<String>) -> Problem {
    Problem::new(StatusCode::FORBIDDEN, path, code, message)
}

/// The key is not known here, or the header is not of its form.
pub(crate) fn invalid_credentials() -> Problem {
    forbidden(AUTHORIZATION, ErrorCode::InvalidCredentials, "This API key is not valid here.")
}

impl From<AccessError> for Problem {
    fn from(error: AccessError) -> Self {
        match error {
            AccessError::InvalidCredentials => invalid_credentials(),
            AccessError::InsufficientScope(scope) => {
                forbidden(AUTHORIZATION, ErrorCode::InsufficientScope, format!("The scope {scope} is missing."))
            }
            AccessError::SomeAccounts => {
                let message = "Only a key that reaches every account of its client makes worlds.";
                forbidden(AUTHORIZATION, ErrorCode::InsufficientScope, message)
            }
            AccessError::SandboxOnly => {
                forbidden("", ErrorCode::SandboxOnly, "This operation exists in the sandbox only.")
            }
            AccessError::FeatureNotEnabled(feature) => {
                let message = format!("The feature {} is not enabled for this client.", feature.as_str());
                forbidden("", ErrorCode::FeatureNotEnabled, message)
            }
            AccessError::AddressNotAllowed => {
                let message = "This client may not call from this network.";
                forbidden(AUTHORIZATION, ErrorCode::AddressNotAllowed, message)
            }
            AccessError::Store(error) => error.into(),
        }
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Overloaded => refusal(),
            StoreError::Unavailable(cause) | StoreError::OutcomeUnknown(cause) => {
                tracing::error!(%cause, "the store is unavailable");
                Self::unavailable(ErrorCode::Overloaded, "The store can't be reached; try again.")
            }
            StoreError::Duplicate(cause) | StoreError::NotFound(cause) | StoreError::Corrupt(cause) => {
                tracing::error!(%cause, "the store failed");
                Self::internal()
            }
        }
    }
}

impl From<ReachError> for Problem {
    fn from(error: ReachError) -> Self {
        match error {
            ReachError::Absent => Self::absent("query.accountId", "account"),
            ReachError::Store(error) => error.into(),
        }
    }
}

impl From<ListCheckoutsError> for Problem {
    fn from(error: ListCheckoutsError) -> Self {
        match error {
            ListCheckoutsError::NoMerchantProfile => Self::new(
                StatusCode::NOT_FOUND,
                "query.accountId",
                ErrorCode::NotFound,
                "The account has no active merchant profile.",
            ),
            ListCheckoutsError::Store(error) => error.into(),
        }
    }
}

impl From<ExplainBalanceError> for Problem {
    fn from(error: ExplainBalanceError) -> Self {
        match error {
            ExplainBalanceError::NoBudget => Self::absent("path.budgetId", "budget"),
            ExplainBalanceError::NotHeld(currency) => Self::faults(vec![
                Flaw::value(format!("The budget does not hold {currency}.")).at("query.currencyCode"),
            ]),
            ExplainBalanceError::Store(error) => error.into(),
        }
    }
}

impl From<PostcodeError> for Problem {
    fn from(error: PostcodeError) -> Self {
        tracing::warn!(%error, "no addresses");
        let problem = Self::unavailable(ErrorCode::ProviderUnavailable, "The address provider can't answer now.");
        match error {
            PostcodeError::Down(_) | PostcodeError::Slow => problem.retry_after(5),
            PostcodeError::OutOfQuota { retry_after } => {
                problem.retry_after(retry_after.map_or(3600, |wait| wait.as_secs().max(1)))
            }
        }
    }
}

/// A write that came to nothing; `path` and `what` name the object that the order named.
pub(crate) fn write_problem<R>(
    error: WriteError<R>,
    (path, what): (&str, &str),
    request: Option<&RecordedRequest>,
    refused: impl FnOnce(R) -> Problem,
) -> Problem {
    match error {
        WriteError::Absent => Problem::absent(path, what),
        WriteError::Refused(refusal) => refused(refusal),
        WriteError::Mismatch(first) => mismatch(&first, request),
        WriteError::Store(error) => error.into(),
    }
}

fn mismatch(first: &RecordedRequest, second: Option<&RecordedRequest>) -> Problem {
    let message = "This idempotency key was used for another request.";
    let entries = second.map(|second| differences(first, second)).unwrap_or_default();
    let entries: Vec<_> = entries
        .into_iter()
        .map(|path| ProblemEntry::new(path, ErrorCode::IdempotencyMismatch, "This differs from the first request."))
        .collect();
    Problem::with_entries(StatusCode::UNPROCESSABLE_ENTITY, message, entries)
}

/// A first message that came to nothing.
pub(crate) fn first_message_problem(error: FirstMessageError, request: Option<&RecordedRequest>) -> Problem {
    match error {
        FirstMessageError::NoRates(currency) => {
            Problem::faults(vec![Flaw::value(format!("There is no rate from {currency}.")).at(CURRENCY)])
        }
        FirstMessageError::Rates(error) => {
            tracing::error!(%error, "no rates of exchange");
            Problem::unavailable(ErrorCode::ProviderUnavailable, "Rates of exchange can't be had now.").retry_after(5)
        }
        FirstMessageError::Write(error) => write_problem(error, ("body.cardId", "card"), request, card_problem),
    }
}

/// A card message that the rules refuse.
pub(crate) fn card_problem(refusal: CardRefusal) -> Problem {
    match refusal {
        CardRefusal::Amount(flaw) => Problem::faults(vec![flaw.at(AMOUNT)]),
        CardRefusal::Fee(flaw) => Problem::faults(vec![flaw.at("body.acquirerFeeAmount")]),
        CardRefusal::Currency(flaw) => Problem::faults(vec![flaw.at(CURRENCY)]),
        CardRefusal::WrongKind { found, state } => {
            let message = format!("The token names a message of type {} in state {}.", found.as_str(), state.as_str());
            conflict(TOKEN, ErrorCode::WrongTransactionKind, message)
        }
        CardRefusal::AlreadyCleared => {
            conflict(TOKEN, ErrorCode::AlreadyCleared, "The transaction is already cleared.")
        }
        CardRefusal::AlreadyReversed => {
            conflict(TOKEN, ErrorCode::AlreadyReversed, "The transaction is already reversed.")
        }
        CardRefusal::Expired => conflict(TOKEN, ErrorCode::Expired, "The hold of the transaction has expired."),
        CardRefusal::ExceedsHold { held } => {
            conflict(AMOUNT, ErrorCode::AmountExceedsHold, format!("Only {held} {} is held.", held.currency))
        }
        CardRefusal::ExceedsAuthorization { authorised } => {
            let message = format!("Only {authorised} {} was authorised.", authorised.currency);
            conflict(AMOUNT, ErrorCode::AmountExceedsAuthorization, message)
        }
        CardRefusal::AmountOverflow(_) => balance_limit(AMOUNT),
        CardRefusal::Unbalanced(error) => bug(&error),
    }
}

/// A credit that the rules refuse.
pub(crate) fn credit_problem(refusal: CreditRefusal) -> Problem {
    match refusal {
        CreditRefusal::Faults(faults) => Problem::faults(faults),
        CreditRefusal::AmountOverflow(_) => balance_limit("body.settlementPriceAmount"),
        CreditRefusal::Unbalanced(error) => bug(&error),
    }
}

/// A session that the rules refuse.
pub(crate) fn open_problem(refusal: OpenRefusal) -> Problem {
    match refusal {
        OpenRefusal::State(illegal) => {
            let message = format!("The payment batch is {}; only a validated one can be confirmed.", illegal.current);
            conflict("body.paymentBatchId", ErrorCode::InvalidState, message)
        }
        OpenRefusal::NotEnrolled(provider) => {
            let message = format!("The account is not enrolled for {provider}.");
            conflict("body.provider", ErrorCode::MfaNotEnrolled, message)
        }
    }
}

/// A confirmation that came to nothing.
pub(crate) fn confirm_problem(error: ConfirmBatchError, request: Option<&RecordedRequest>) -> Problem {
    match error {
        ConfirmBatchError::Provider(error) => {
            tracing::error!(%error, "the MFA provider could not be asked");
            Problem::unavailable(ErrorCode::ProviderUnavailable, "The MFA provider can't answer now.").retry_after(5)
        }
        ConfirmBatchError::Write(error) => {
            write_problem(error, (BATCH, "payment batch"), request, refused_confirmation)
        }
    }
}

fn refused_confirmation(refusal: ConfirmRefusal) -> Problem {
    match refusal {
        ConfirmRefusal::MfaRequired => {
            let message = "This account confirms with multi-factor authentication.";
            Problem::new(StatusCode::BAD_REQUEST, MFA, ErrorCode::MfaRequired, message)
        }
        ConfirmRefusal::State(illegal) => {
            let message = format!("The payment batch is {}; only a validated one can be confirmed.", illegal.current);
            conflict(BATCH, ErrorCode::InvalidState, message)
        }
        ConfirmRefusal::Mfa(MfaFailure::Failed) => {
            forbidden(MFA, ErrorCode::MfaFailed, "Multi-factor authentication failed.")
        }
        ConfirmRefusal::Mfa(MfaFailure::Expired) => {
            forbidden(MFA, ErrorCode::MfaExpired, "The multi-factor authentication session has expired.")
        }
        ConfirmRefusal::Mfa(MfaFailure::Locked) => {
            forbidden(MFA, ErrorCode::MfaLocked, "Multi-factor authentication is locked.")
        }
        ConfirmRefusal::InsufficientFunds(shortages) => insufficient_funds(&shortages),
        ConfirmRefusal::AmountOverflow(_) => balance_limit(BATCH),
        ConfirmRefusal::Unbookable => bug(&refusal),
    }
}

fn insufficient_funds(shortages: &[Shortage]) -> Problem {
    let entry = |shortage| ProblemEntry::new("", ErrorCode::InsufficientFunds, shortage_message(shortage));
    let entries = shortages.iter().map(entry).collect();
    Problem::with_entries(StatusCode::CONFLICT, "The funding budgets lack the money for this batch.", entries)
}

/// Payments that can't be put into a batch; `path` is what names the batch, or the payments of a new one.
pub(crate) fn upload_problem(refusal: &UploadRefusal, path: &str) -> Problem {
    match refusal {
        UploadRefusal::State(illegal) => {
            let message =
                format!("The payment batch is {}; only a draft or validated one takes payments.", illegal.current);
            conflict(path, ErrorCode::InvalidState, message)
        }
        UploadRefusal::Locked => {
            let message = "The payment batch is locked: it was made with its payments. Make another one.";
            conflict(path, ErrorCode::InvalidState, message)
        }
        UploadRefusal::AmountOverflow(_) => balance_limit(path),
    }
}

/// A batch that can't be cancelled.
pub(crate) fn cancel_problem(refusal: &CancelRefusal) -> Problem {
    match refusal {
        CancelRefusal::State(illegal) => {
            let message = format!("The payment batch is {}; it can't be cancelled any more.", illegal.current);
            conflict(BATCH, ErrorCode::InvalidState, message)
        }
        CancelRefusal::AmountOverflow(error) => bug(error),
        CancelRefusal::Unbalanced(error) => bug(error),
    }
}

/// A clock that is not changed.
pub(crate) fn clock_problem(refusal: ClockRefusal, change: ClockChange) -> Problem {
    let path = if matches!(change, ClockChange::AdvanceBy(_)) { "body.advanceBy" } else { "body.freezeAt" };
    let shown = |now: DateTime<Utc>| now.to_rfc3339_opts(SecondsFormat::Secs, true);
    match refusal {
        ClockRefusal::Backwards { now } => {
            let message = format!("The clock shows {}; it never goes backwards.", shown(now));
            conflict(path, ErrorCode::InvalidState, message)
        }
        ClockRefusal::TooFar { now } => {
            let message = format!("The clock shows {}; it can be set to the years 2000 to 2099.", shown(now));
            conflict(path, ErrorCode::InvalidState, message)
        }
    }
}

/// A world that is not made.
pub(crate) fn create_world_problem(refusal: CreateWorldRefusal) -> Problem {
    const KEY: &str = "header.Idempotency-Key";
    match refusal {
        CreateWorldRefusal::MadeBefore(account) => {
            let message = format!("This request has made the world {account}; its API key was shown then.");
            conflict(KEY, ErrorCode::InvalidState, message)
        }
        CreateWorldRefusal::OtherRequest => {
            let message = "This idempotency key was used for another request.";
            let entry =
                ProblemEntry::new("body", ErrorCode::IdempotencyMismatch, "This differs from the first request.");
            Problem::with_entries(StatusCode::UNPROCESSABLE_ENTITY, message, vec![entry])
        }
        CreateWorldRefusal::Lives => {
            let message = "A world of this seed lives; delete it, or send \"replace\": true.";
            conflict("body.seed", ErrorCode::InvalidState, message)
        }
        CreateWorldRefusal::TooMany => {
            let message = format!("A client has at most {WORLDS_OF_A_CLIENT} worlds; delete one first.");
            conflict("", ErrorCode::InvalidState, message)
        }
        CreateWorldRefusal::Outdated => outdated(),
    }
}

/// A snapshot that is not taken, or not put back.
pub(crate) fn snapshot_problem(refusal: SnapshotRefusal) -> Problem {
    match refusal {
        SnapshotRefusal::TooMany => {
            let message = format!("A world has at most {SNAPSHOTS_OF_A_WORLD} snapshots; delete one first.");
            conflict("", ErrorCode::InvalidState, message)
        }
        SnapshotRefusal::TooLarge => {
            let message = format!("A snapshot has at most {SNAPSHOT_BYTES} bytes; there is more in this world.");
            conflict("", ErrorCode::InvalidState, message)
        }
        SnapshotRefusal::Outdated => outdated(),
    }
}

fn outdated() -> Problem {
    let message = "The snapshot was taken by another version of Florin; it can't be put back.";
    conflict("body.snapshotId", ErrorCode::InvalidState, message)
}

/// No such payment batch on the account.
pub(crate) fn no_batch() -> Problem {
    Problem::absent(BATCH, "payment batch")
}

fn balance_limit(path: &str) -> Problem {
    conflict(path, ErrorCode::AmountOverflow, "A balance would leave the range of 64-bit minor units.")
}

fn bug(error: &dyn std::error::Error) -> Problem {
    tracing::error!(%error, "a rule contradicts itself");
    Problem::internal()
}
