//! The check of an MFA token against its session and enrolment.

use super::{MfaProviderName, MfaSession, MfaSessionState, TotpEnrolment};
use crate::ids::{AccountId, ClientId, PaymentBatchId};
use chrono::{DateTime, Utc};

/// A provider's verdict on a token. It does not depend on sessions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MfaVerdict {
    /// The token is correct.
    Correct {
        /// The TOTP time step of the token, if the provider has steps.
        step: Option<i64>,
    },
    /// The token is wrong.
    Wrong,
    /// The provider expires the session. Only fixed tokens of the sandbox do this.
    ExpiresSession,
    /// The provider locks the session. Only fixed tokens of the sandbox do this.
    LocksSession,
}

/// The caller of a check, and the batch that the token is to confirm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MfaCheck {
    /// The client that sends the request.
    pub client: ClientId,
    /// The account of the batch.
    pub account: AccountId,
    /// The batch to confirm.
    pub batch: PaymentBatchId,
    /// The provider that the caller named.
    pub provider: MfaProviderName,
}

/// Reasons that an MFA proof fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MfaFailure {
    /// The caller has no such session, the session was used, or the token is wrong. The caller does not learn which.
    #[error("multi-factor authentication failed")]
    Failed,
    /// The session has expired.
    #[error("the multi-factor authentication session has expired")]
    Expired,
    /// The session, or TOTP of the account, is locked.
    #[error("multi-factor authentication is locked")]
    Locked,
}

/// The result of a check, with the changes to store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MfaOutcome {
    /// Whether the proof passed, or the reason that it failed.
    pub passed: Result<(), MfaFailure>,
    /// The session, if it changed.
    pub session: Option<MfaSession>,
    /// The enrolment, if it changed.
    pub enrolment: Option<TotpEnrolment>,
}

impl MfaOutcome {
    const fn failed(failure: MfaFailure) -> Self {
        Self { passed: Err(failure), session: None, enrolment: None }
    }
}

impl MfaCheck {
    /// Applies a verdict to the session and the enrolment. A verdict for a session or an enrolment that accepts no
    /// tokens does not count as an attempt. Only TOTP attempts count for the account.
    pub fn apply_verdict(
        &self,
        session: Option<&MfaSession>,
        enrolment: Option<&TotpEnrolment>,
        verdict: MfaVerdict,
        now: DateTime<Utc>,
    ) -> MfaOutcome {
        let Some(session) = session.filter(|session| self.matches(session)) else {
            return MfaOutcome::failed(MfaFailure::Failed);
        };
        match session.state {
            MfaSessionState::Used => return MfaOutcome::failed(MfaFailure::Failed),
            MfaSessionState::Locked => return MfaOutcome::failed(MfaFailure::Locked),
            MfaSessionState::Open | MfaSessionState::Expired => {}
        }
        if session.is_expired(now) {
            return MfaOutcome::failed(MfaFailure::Expired);
        }
        match self.provider {
            MfaProviderName::Sandbox => apply_verdict_to_session(session, verdict),
            MfaProviderName::Totp => match enrolment {
                None => MfaOutcome::failed(MfaFailure::Failed),
                Some(enrolment) if enrolment.is_locked(now) => MfaOutcome::failed(MfaFailure::Locked),
                Some(enrolment) => apply_verdict_to_totp(session, enrolment, verdict, now),
            },
        }
    }

    fn matches(&self, session: &MfaSession) -> bool {
        session.client == self.client
            && session.account == self.account
            && session.batch == self.batch
            && session.provider == self.provider
    }
}

fn apply_verdict_to_session(session: &MfaSession, verdict: MfaVerdict) -> MfaOutcome {
    let (passed, session) = match verdict {
        MfaVerdict::Correct { .. } => (Ok(()), session.with_state(MfaSessionState::Used)),
        MfaVerdict::Wrong => (Err(MfaFailure::Failed), session.after_wrong_token()),
        MfaVerdict::ExpiresSession => (Err(MfaFailure::Expired), session.with_state(MfaSessionState::Expired)),
        MfaVerdict::LocksSession => (Err(MfaFailure::Locked), session.with_state(MfaSessionState::Locked)),
    };
    MfaOutcome { passed, session: Some(session), enrolment: None }
}

fn apply_verdict_to_totp(
    session: &MfaSession,
    enrolment: &TotpEnrolment,
    verdict: MfaVerdict,
    now: DateTime<Utc>,
) -> MfaOutcome {
    match verdict {
        MfaVerdict::Correct { step: Some(step) } if !enrolment.is_spent(step) => {
            MfaOutcome { enrolment: Some(enrolment.after_step(step)), ..apply_verdict_to_session(session, verdict) }
        }
        // A step that was used before counts as a wrong token, and so does a verdict without a step.
        MfaVerdict::Correct { .. } | MfaVerdict::Wrong => MfaOutcome {
            enrolment: Some(enrolment.after_wrong_token(now)),
            ..apply_verdict_to_session(session, MfaVerdict::Wrong)
        },
        MfaVerdict::ExpiresSession | MfaVerdict::LocksSession => apply_verdict_to_session(session, verdict),
    }
}

#[cfg(test)]
#[path = "check_tests.rs"]
mod tests;
