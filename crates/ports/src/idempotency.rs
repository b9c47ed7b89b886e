//! Idempotency: all requests with one key take effect once (contract 1.4).

use crate::DryRun;
use chrono::{DateTime, Utc};
use florin_domain::fault::{Flaw, FlawCode};
use florin_domain::ids::{AccountId, ClientId};
use std::fmt;
use std::sync::Arc;

/// An `Idempotency-Key`: 1 to 255 visible ASCII characters.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct IdempotencyKey(String);

impl IdempotencyKey {
    /// Parses a key. Any other text is `invalid_format`.
    pub fn parse(text: &[u8]) -> Result<Self, Flaw> {
        let visible = text.iter().all(u8::is_ascii_graphic);
        match std::str::from_utf8(text) {
            Ok(text) if visible && (1..=255).contains(&text.len()) => Ok(Self(text.to_owned())),
            _ => Err(Flaw::new(FlawCode::InvalidFormat, "must be 1 to 255 visible ASCII characters")),
        }
    }

    /// Returns the key as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A request in a comparable form: equal requests have equal fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedRequest {
    /// The HTTP method.
    pub method: String,
    /// The path.
    pub path: String,
    /// The query as canonical JSON.
    pub query: String,
    /// The body.
    pub body: RecordedBody,
}

/// The body of a recorded request, in full or as a hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordedBody {
    /// The body as canonical JSON: sorted members, no whitespace, numbers as written.
    Json(String),
    /// The SHA-256 (hexadecimal) of the canonical JSON, because the body contains secrets or is large.
    Hash(String),
}

/// A stored response, which is replayed for a retried request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredResponse {
    /// The HTTP status, 2xx.
    pub status: u16,
    /// The body.
    pub body: String,
}

/// An idempotency claim: a request that must take effect only once.
///
/// Before anything else, the adapter looks up the record of the client, account and key. If the record has an equal
/// request, the adapter returns [`Written::Replayed`]; if it has another request, [`crate::WriteError::Mismatch`].
/// Without a record, the adapter executes the command and stores the record, with the response created from the
/// outcome, in the same transaction. Refusals store no record.
#[derive(Clone)]
pub struct IdempotencyClaim<T> {
    /// The API client.
    pub client: ClientId,
    /// The account.
    pub account: AccountId,
    /// The key.
    pub key: IdempotencyKey,
    /// The request.
    pub request: Arc<RecordedRequest>,
    /// The current time.
    pub at: DateTime<Utc>,
    /// Creates the response to store. The last response that it created may also be what the caller gets, so it must be
    /// called with the outcome that is returned as [`Written::New`], in the attempt that commits.
    pub response: Arc<dyn Fn(&T) -> StoredResponse + Send + Sync>,
}

impl<T> fmt::Debug for IdempotencyClaim<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IdempotencyClaim")
            .field("client", &self.client)
            .field("account", &self.account)
            .field("key", &self.key)
            .finish_non_exhaustive()
    }
}

/// The outcome of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Written<T> {
    /// The write took effect now.
    New(T),
    /// The write took effect before. Its stored response is attached.
    Replayed(StoredResponse),
    /// The command was a dry run: nothing was written. Only commands with a [`crate::Mode`] can return it.
    DryRun(Box<DryRun<T>>),
}

impl<T> Written<T> {
    /// Returns the outcome. `None`: the write took effect before. Without a claim, that never happens.
    pub fn outcome(self) -> Option<T> {
        match self {
            Self::New(outcome) => Some(outcome),
            Self::DryRun(dry_run) => Some(dry_run.done),
            Self::Replayed(_) => None,
        }
    }
}
