//! Card messages, decided under the lock of their budget.

use crate::{Decide, Due, IdempotencyClaim, Mode, StoreError, WriteError, Written};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use florin_domain::card::CardTransaction;
use florin_domain::card::decide::{
    CardDecision, CardRefusal, ChainSituation, FirstSituation, FirstUseDecision, FirstUseSituation,
};
use florin_domain::ids::{AccountId, CardId, TransactionToken};

/// A command to record a first message.
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
    pub claim: Option<IdempotencyClaim<CardTransaction>>,
}

/// A command to record a first message that may activate a physical card.
pub struct FirstUseCommand {
    /// The account of the caller.
    pub account: AccountId,
    /// The card, which must be the account's.
    pub card: CardId,
    /// The rule. It changes at most the card and its virtual card.
    pub decide: Decide<FirstUseSituation, Result<FirstUseDecision, CardRefusal>>,
    /// Whether it is a dry run.
    pub mode: Mode,
    /// The idempotency claim, if the caller made one.
    pub claim: Option<IdempotencyClaim<CardTransaction>>,
}

/// A command to record a follow-up.
pub struct FollowUpCommand {
    /// The account of the caller.
    pub account: AccountId,
    /// The token of a message of the chain, which must be the account's.
    pub token: TransactionToken,
    /// The rule.
    pub decide: Decide<ChainSituation, Result<CardDecision, CardRefusal>>,
    /// Whether it is a dry run.
    pub mode: Mode,
    /// The idempotency claim, if the caller made one.
    pub claim: Option<IdempotencyClaim<CardTransaction>>,
}

/// A command to expire a hold.
pub struct ExpiryCommand {
    /// The hold.
    pub hold: DueHold,
    /// The rule. It returns `None` if nothing is left to do.
    pub decide: Decide<ChainSituation, Result<Option<CardDecision>, CardRefusal>>,
}

/// A hold that may be due to expire.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DueHold {
    /// The account.
    pub account: AccountId,
    /// The chain.
    pub chain: TransactionToken,
}

/// Decides card messages sequentially for each budget, and stores each decision atomically.
///
/// Promises: decisions on one budget see each other's effects, in order of arrival. A refusal or failure changes
/// nothing. A call returns only after its result is durable.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait CardLedger: Send + Sync {
    /// Decides a first message. `Absent`: no such card on the account.
    async fn first_message(
        &self,
        command: FirstMessageCommand,
    ) -> Result<Written<CardTransaction>, WriteError<CardRefusal>>;

    /// Returns whether a card is physical and UNACTIVATED. First messages of such a card go to [`Self::first_use`].
    /// That method accepts messages of all cards, but decides them one at a time. `false`: no such card on the account.
    async fn awaits_first_use(&self, account: &AccountId, card: CardId) -> Result<bool, StoreError>;

    /// Decides a first message that may activate a physical card. The rule also sees the virtual card. The changes
    /// of the cards, with the records of their transitions, are stored together with the message. `Absent`: no such
    /// card on the account.
    async fn first_use(&self, command: FirstUseCommand) -> Result<Written<CardTransaction>, WriteError<CardRefusal>>;

    /// Decides a follow-up. `Absent`: no message with that token on the account.
    async fn follow_up(&self, command: FollowUpCommand) -> Result<Written<CardTransaction>, WriteError<CardRefusal>>;

    /// Decides an expiry and returns whether it was stored. `Absent`: no such chain on the account.
    async fn expire(&self, command: ExpiryCommand) -> Result<bool, WriteError<CardRefusal>>;

    /// Returns open holds of accounts that use real time, due at `now`, at most `max`, oldest first. For accounts with
    /// their own timeline see [`crate::Timelines::due_holds`].
    async fn due_holds(&self, now: DateTime<Utc>, max: u32) -> Result<Vec<Due<DueHold>>, StoreError>;
}
