//! Card messages: decided under the lock of their budget.

use crate::{Decide, Mode, RepeatClaim, StoreError, WriteError, Written};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use florin_domain::card::CardTransaction;
use florin_domain::card::decide::{CardDecision, CardRefusal, ChainSituation, FirstSituation};
use florin_domain::ids::{AccountId, CardId, TransactionToken};

/// A first message to be decided.
pub struct FirstMessageCommand {
    /// The account of the caller.
    pub account: AccountId,
    /// The card, which must be the account's.
    pub card: CardId,
    /// The rule.
    pub decide: Decide<FirstSituation, Result<CardDecision, CardRefusal>>,
    /// Whether it is a dry run.
    pub mode: Mode,
    /// The idempotency claim, if the caller made one.
    pub repeat: Option<RepeatClaim<CardTransaction>>,
}

/// A follow-up to be decided.
pub struct FollowUpCommand {
    /// The account of the caller.
    pub account: AccountId,
    /// The token that names a message of the account.
    pub token: TransactionToken,
    /// The rule.
    pub decide: Decide<ChainSituation, Result<CardDecision, CardRefusal>>,
    /// Whether it is a dry run.
    pub mode: Mode,
    /// The idempotency claim, if the caller made one.
    pub repeat: Option<RepeatClaim<CardTransaction>>,
}

/// An expiry to be decided.
pub struct ExpiryCommand {
    /// The hold.
    pub hold: DueHold,
    /// The rule: `None` where nothing is to be done (any more).
    pub decide: Decide<ChainSituation, Result<Option<CardDecision>, CardRefusal>>,
}

/// A hold that may be due to expire.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DueHold {
    /// The account.
    pub account: AccountId,
    /// The chain.
    pub chain: TransactionToken,
}

/// Decides card messages one after the other per budget, and stores each whole or not at all.
///
/// Promises: decisions on one budget see each other's effects, in the order of arrival; a refusal and a failure change
/// nothing; an answer is given only after what it says is durable.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait CardLedger: Send + Sync {
    /// Decides a first message. `Absent`: no such card on the account.
    async fn first_message(
        &self,
        command: FirstMessageCommand,
    ) -> Result<Written<CardTransaction>, WriteError<CardRefusal>>;

    /// Decides a follow-up. `Absent`: no message of that token on the account.
    async fn follow_up(&self, command: FollowUpCommand) -> Result<Written<CardTransaction>, WriteError<CardRefusal>>;

    /// Decides an expiry; whether it was written. `Absent`: no such chain on the account.
    async fn expire(&self, command: ExpiryCommand) -> Result<bool, WriteError<CardRefusal>>;

    /// Open holds that are due at `now`, the oldest first, at most `max`: of accounts that go by real time. For those that have a
    /// timeline of their own see [`crate::Timelines::due_holds`].
    async fn due_holds(&self, now: DateTime<Utc>, max: u32) -> Result<Vec<DueHold>, StoreError>;
}
