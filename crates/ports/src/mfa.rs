//! Multi-factor authentication (MFA).

use crate::{Decide, IdempotencyClaim, StoreError, WriteError, Written};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use florin_domain::ids::{AccountId, PaymentBatchId};
use florin_domain::mfa::{MfaProviderName, MfaSession, MfaVerdict, OpenRefusal, OpenSituation, TotpEnrolment};
use florin_domain::secret::Secret;

/// Checks MFA tokens. Rules of the domain decide about sessions and attempts; a provider only checks tokens.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait MfaProvider: Send + Sync {
    /// Returns the name of the provider.
    fn name(&self) -> MfaProviderName;

    /// Checks a token at a given time, against the account's TOTP secret if the account is enrolled.
    async fn check(
        &self,
        secret: Option<Secret>,
        token: &str,
        now: DateTime<Utc>,
    ) -> Result<MfaVerdict, MfaUnavailable>;
}

/// The MFA provider could not be called. No attempt is counted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the MFA provider is unavailable: {0}")]
pub struct MfaUnavailable(pub String);

/// A command to open an MFA session for a batch.
pub struct OpenMfaSessionCommand {
    /// The account of the caller.
    pub account: AccountId,
    /// The batch, which must be the account's.
    pub batch: PaymentBatchId,
    /// The rule.
    pub decide: Decide<OpenSituation, Result<MfaSession, OpenRefusal>>,
    /// The idempotency claim, if the caller made one.
    pub claim: Option<IdempotencyClaim<MfaSession>>,
}

/// Stores MFA sessions, and reads TOTP enrolments.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait MfaSessions: Send + Sync {
    /// Decides the opening of a session and stores it. `Absent`: no such batch on the account.
    async fn open(&self, command: OpenMfaSessionCommand) -> Result<Written<MfaSession>, WriteError<OpenRefusal>>;

    /// Returns the account's TOTP enrolment. `None`: the account is not enrolled.
    async fn enrolment(&self, account: &AccountId) -> Result<Option<TotpEnrolment>, StoreError>;
}
