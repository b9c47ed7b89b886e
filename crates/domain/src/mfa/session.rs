//! MFA sessions.

use super::MfaProviderName;
use crate::ids::{AccountId, ClientId, MfaSessionId, PaymentBatchId};
use chrono::{DateTime, TimeDelta, Utc};

/// The state of an MFA session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MfaSessionState {
    /// The session accepts tokens until it expires.
    Open,
    /// The session was used for a confirmation, and accepts no further token.
    Used,
    /// The session is locked after too many wrong tokens.
    Locked,
    /// The provider expired the session early.
    Expired,
}

impl MfaSessionState {
    /// All states.
    pub const ALL: [Self; 4] = [Self::Open, Self::Used, Self::Locked, Self::Expired];

    /// Returns the stored name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Used => "burnt",
            Self::Locked => "locked",
            Self::Expired => "expired",
        }
    }
}

/// An MFA session for the confirmation of one batch. It belongs to one API client, account and batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MfaSession {
    /// Its id.
    pub id: MfaSessionId,
    /// The client that opened it.
    pub client: ClientId,
    /// The account of the batch.
    pub account: AccountId,
    /// The batch it may confirm.
    pub batch: PaymentBatchId,
    /// The provider that checks its tokens.
    pub provider: MfaProviderName,
    /// When it was opened.
    pub created_at: DateTime<Utc>,
    /// When it expires.
    pub expires_at: DateTime<Utc>,
    /// Number of wrong tokens so far.
    pub wrong_tokens: u32,
    /// Its state.
    pub state: MfaSessionState,
}

impl MfaSession {
    /// Number of wrong tokens that locks the session.
    pub const MAX_WRONG_TOKENS: u32 = 5;

    /// Returns the lifetime of a session.
    pub const fn lifetime() -> TimeDelta {
        TimeDelta::minutes(5)
    }

    /// Creates an open session.
    pub fn open(
        id: MfaSessionId,
        client: ClientId,
        account: AccountId,
        batch: PaymentBatchId,
        provider: MfaProviderName,
        now: DateTime<Utc>,
    ) -> Self {
        Self {
            id,
            client,
            account,
            batch,
            provider,
            created_at: now,
            expires_at: now + Self::lifetime(),
            wrong_tokens: 0,
            state: MfaSessionState::Open,
        }
    }

    /// Returns whether the session has expired.
    pub fn is_expired(&self, now: DateTime<Utc>) -> bool {
        self.state == MfaSessionState::Expired || now >= self.expires_at
    }

    /// Returns the session after a wrong token.
    #[must_use]
    pub fn after_wrong_token(&self) -> Self {
        let wrong_tokens = self.wrong_tokens.saturating_add(1);
        let state = if wrong_tokens >= Self::MAX_WRONG_TOKENS { MfaSessionState::Locked } else { self.state };
        Self { wrong_tokens, state, ..self.clone() }
    }

    /// Returns the session in another state.
    #[must_use]
    pub fn with_state(&self, state: MfaSessionState) -> Self {
        Self { state, ..self.clone() }
    }
}
