//! Decisions of endpoints on messages, as JSON.

use super::body::errors::{Outcome, corrupt};
use super::body::names::{Name, read_name};
use florin_domain::card::{DecisionCheck, DecisionReply, Verdict};
use florin_domain::money::{Currency, Minor};
use serde::{Deserialize, Serialize};

/// The stored form. Names and members never change: newer versions must read the rows that this version stores.
#[derive(Serialize, Deserialize)]
pub(super) struct StoredDecision {
    verdict: StoredVerdict,
    allows_partial: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum StoredVerdict {
    Approve,
    Decline { code: String },
    Partial { amount: i64, currency: String },
    Fallback { fallback: String, reason: String },
}

impl From<&DecisionCheck> for StoredDecision {
    fn from(check: &DecisionCheck) -> Self {
        let verdict = match check.verdict {
            Verdict::Reply(DecisionReply::Approve) => StoredVerdict::Approve,
            Verdict::Reply(DecisionReply::Decline(code)) => StoredVerdict::Decline { code: code.name().into() },
            Verdict::Reply(DecisionReply::Partial(part)) => {
                StoredVerdict::Partial { amount: part.minor.0, currency: part.currency.code().into() }
            }
            Verdict::Fallback { fallback, reason } => {
                StoredVerdict::Fallback { fallback: fallback.name().into(), reason: reason.name().into() }
            }
        };
        Self { verdict, allows_partial: check.allows_partial }
    }
}

impl StoredDecision {
    /// Reads a stored decision.
    pub(super) fn read(self) -> Outcome<DecisionCheck> {
        let verdict = match self.verdict {
            StoredVerdict::Approve => Verdict::Reply(DecisionReply::Approve),
            StoredVerdict::Decline { code } => Verdict::Reply(DecisionReply::Decline(read_name(&code)?)),
            StoredVerdict::Partial { amount, currency } => {
                let currency = Currency::parse(&currency).map_err(|flaw| corrupt(flaw.message))?;
                Verdict::Reply(DecisionReply::Partial(Minor(amount).of(currency)))
            }
            StoredVerdict::Fallback { fallback, reason } => {
                Verdict::Fallback { fallback: read_name(&fallback)?, reason: read_name(&reason)? }
            }
        };
        Ok(DecisionCheck { verdict, allows_partial: self.allows_partial })
    }
}
