//! Confirms a payment batch (contract 3.2).

use crate::Services;
use chrono::{DateTime, Utc};
use florin_domain::access::{Account, Caller};
use florin_domain::batch::{ConfirmRefusal, MfaProof, PaymentBatch, decide_confirm};
use florin_domain::ids::{MfaSessionId, PaymentBatchId};
use florin_domain::mfa::{MfaCheck, MfaProviderName, TotpEnrolment};
use florin_domain::secret::{Secret, SecretOwner};
use florin_ports::{ConfirmCommand, IdempotencyClaim, MfaUnavailable, Mode, StoreError, WriteError, Written};
use std::fmt;
use std::sync::Arc;

/// A client's request to confirm a batch.
#[derive(Clone, Debug)]
pub struct ConfirmRequest {
    /// The batch.
    pub batch: PaymentBatchId,
    /// The MFA token, if the client sent one.
    pub mfa: Option<MfaToken>,
}

/// An MFA token with its session and provider.
#[derive(Clone)]
pub struct MfaToken {
    /// The provider that checks it.
    pub provider: MfaProviderName,
    /// The MFA session.
    pub session: MfaSessionId,
    /// The token, which is secret.
    pub token: String,
}

impl fmt::Debug for MfaToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MfaToken")
            .field("provider", &self.provider)
            .field("session", &self.session)
            .finish_non_exhaustive()
    }
}

/// Reasons that a batch was not confirmed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfirmBatchError {
    /// The MFA provider could not be called.
    #[error(transparent)]
    Provider(#[from] MfaUnavailable),
    /// The confirmation was refused or could not be stored.
    #[error(transparent)]
    Write(#[from] WriteError<ConfirmRefusal>),
}

impl From<StoreError> for ConfirmBatchError {
    fn from(error: StoreError) -> Self {
        Self::Write(error.into())
    }
}

/// Confirms a batch. The MFA provider is called before the lock is acquired; the rule reads its verdict under the lock.
pub async fn confirm_batch(
    services: &Services,
    caller: &Caller,
    account: &Account,
    request: ConfirmRequest,
    mode: Mode,
    claim: Option<IdempotencyClaim<PaymentBatch>>,
) -> Result<Written<PaymentBatch>, ConfirmBatchError> {
    let clock = services.clock_of(account).await?;
    let session = request.mfa.as_ref().map(|mfa| mfa.session);
    let proof = match request.mfa {
        Some(mfa) => Some(prove(services, caller, account, (request.batch, clock.now()), mfa).await?),
        None => None,
    };
    let client = caller.client.id;
    let command = ConfirmCommand {
        account: account.id.clone(),
        batch: request.batch,
        session,
        decide: Arc::new(move |situation| clock.rule(|stamp| decide_confirm(situation, proof.as_ref(), client, stamp))),
        mode,
        claim,
    };
    Ok(services.batches.confirm(command).await?)
}

async fn prove(
    services: &Services,
    caller: &Caller,
    account: &Account,
    (batch, now): (PaymentBatchId, DateTime<Utc>),
    mfa: MfaToken,
) -> Result<MfaProof, ConfirmBatchError> {
    let provider = services.mfa_providers.iter().find(|provider| provider.name() == mfa.provider);
    let provider = provider.ok_or_else(|| MfaUnavailable(format!("{} is not configured", mfa.provider)))?;
    let secret = match mfa.provider {
        MfaProviderName::Totp => totp_secret(services, account).await?,
        MfaProviderName::Sandbox => None,
    };
    let verdict = provider.check(secret, &mfa.token, now).await?;
    let check = MfaCheck { client: caller.client.id, account: account.id.clone(), batch, provider: mfa.provider };
    Ok(MfaProof { check, verdict })
}

/// Decrypts the account's TOTP secret. `None`: the account has no enrolment. A secret that can't be decrypted is a
/// store error, not a wrong token.
async fn totp_secret(services: &Services, account: &Account) -> Result<Option<Secret>, StoreError> {
    let enrolment = services.mfa_sessions.enrolment(&account.id).await?;
    let open =
        |enrolment: TotpEnrolment| services.cipher.open(&SecretOwner::Totp(enrolment.account), &enrolment.secret);
    Ok(enrolment.map(open).transpose()?)
}
