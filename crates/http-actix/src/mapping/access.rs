//! Maps errors of access checks, the store and lookups to responses.

use crate::codes::ErrorCode;
use crate::load::overloaded;
use crate::problem::Problem;
use florin_application::{AccessError, ExplainBalanceError, ReachError};
use florin_domain::fault::Flaw;
use florin_ports::{PostcodeError, StoreError};

const AUTHORIZATION: &str = "header.Authorization";

impl From<AccessError> for Problem {
    fn from(error: AccessError) -> Self {
        match error {
            AccessError::InvalidCredentials { .. } => Self::invalid_credentials(),
            AccessError::InsufficientScope(scope) => Self::forbidden(
                AUTHORIZATION,
                ErrorCode::InsufficientScope,
                format!("must be an API key with the scope {scope}"),
            ),
            AccessError::KeyOfSomeAccounts => {
                let message = "must be an API key that reaches all accounts of its client";
                Self::forbidden(AUTHORIZATION, ErrorCode::InsufficientScope, message)
            }
            AccessError::SandboxOnly => {
                Self::forbidden("", ErrorCode::SandboxOnly, "this operation exists only in the sandbox")
            }
            AccessError::FeatureNotEnabled(feature) => {
                let message = format!("the feature {} is not enabled for this client", feature.as_str());
                Self::forbidden("", ErrorCode::FeatureNotEnabled, message)
            }
            AccessError::AddressNotAllowed => {
                let message = "must be an API key that may be used from this network";
                Self::forbidden(AUTHORIZATION, ErrorCode::AddressNotAllowed, message)
            }
            AccessError::Store(error) => error.into(),
        }
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Overloaded => overloaded(),
            StoreError::Unavailable(cause) => {
                tracing::error!(%cause, "storage unreachable");
                Self::unavailable(ErrorCode::Overloaded, "storage unreachable; retry after the interval in Retry-After")
            }
            // The operator moves the client on purpose, so this is not logged as an error.
            StoreError::Moving(to) => {
                tracing::info!(%to, "refused a request that concerns, or may concern, a client that is being moved");
                let message = "a client is being moved to another database; retry after the interval in Retry-After";
                Self::unavailable(ErrorCode::Overloaded, message)
            }
            StoreError::OutcomeUnknown(cause) => {
                tracing::error!(%cause, "the outcome of a request is unknown");
                let message = "the request may have taken effect; retry it with the same Idempotency-Key";
                Self::unavailable(ErrorCode::Overloaded, message)
            }
            StoreError::Duplicate(cause) | StoreError::NotFound(cause) | StoreError::Corrupt(cause) => {
                tracing::error!(%cause, "storage failed");
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

impl From<ExplainBalanceError> for Problem {
    fn from(error: ExplainBalanceError) -> Self {
        match error {
            ExplainBalanceError::NoBudget => Self::absent("path.budgetId", "budget"),
            ExplainBalanceError::NoBalance(currency) => Self::faults(vec![
                Flaw::value(format!("must be a currency that the budget holds (got {currency})"))
                    .at("query.currencyCode"),
            ]),
            ExplainBalanceError::Store(error) => error.into(),
        }
    }
}

impl From<PostcodeError> for Problem {
    fn from(error: PostcodeError) -> Self {
        tracing::warn!(%error, "address lookup failed");
        let message = "address provider unavailable; retry after the interval in Retry-After";
        let problem = Self::unavailable(ErrorCode::ProviderUnavailable, message);
        match error {
            PostcodeError::Down(_) | PostcodeError::Slow => problem.retry_after(5),
            PostcodeError::OutOfQuota { retry_after } => {
                problem.retry_after(retry_after.map_or(3600, |wait| wait.as_secs().max(1)))
            }
        }
    }
}
