//! Creating cards and changing their states and limits, decided under the lock of their budget.

use crate::{Decide, IdempotencyClaim, StoreError, WriteError, Written};
use async_trait::async_trait;
use florin_domain::card::{
    CardFilter, CardLimits, CardRecord, CardTransition, CreateCardRefusal, CreateCardSituation, IllegalTransition,
    LimitRefusal, LimitSet, NoSuchLimit, SpendingWindow, TransitionDecision,
};
use florin_domain::ids::{AccountId, BudgetId, CardId};
use florin_domain::page::{Page, PageRequest};

/// A command to create a card.
pub struct CreateCardCommand {
    /// The account of the caller.
    pub account: AccountId,
    /// The budget that pays, which must be the account's.
    pub budget: BudgetId,
    /// The rule.
    pub decide: Decide<CreateCardSituation, Result<CardRecord, CreateCardRefusal>>,
    /// The idempotency claim, if the caller made one.
    pub claim: Option<IdempotencyClaim<CardRecord>>,
}

/// A command to change the state of a card.
pub struct TransitionCommand {
    /// The account of the caller.
    pub account: AccountId,
    /// The card, which must be the account's.
    pub card: CardId,
    /// The rule. It changes the card's state and nothing else.
    pub decide: Decide<CardRecord, Result<TransitionDecision, IllegalTransition>>,
    /// The idempotency claim, if the caller made one.
    pub claim: Option<IdempotencyClaim<CardRecord>>,
}

/// A command to set a spending limit.
pub struct LimitCommand {
    /// The account of the caller.
    pub account: AccountId,
    /// The card, which must be the account's.
    pub card: CardId,
    /// The rule. Its limit replaces the existing one over the same window.
    pub decide: Decide<CardLimits, Result<LimitSet, LimitRefusal>>,
    /// The idempotency claim, if the caller made one.
    pub claim: Option<IdempotencyClaim<LimitSet>>,
}

/// A command to remove a spending limit.
pub struct RemoveLimitCommand {
    /// The account of the caller.
    pub account: AccountId,
    /// The card, which must be the account's.
    pub card: CardId,
    /// The rule. It returns the window whose limit is removed.
    pub decide: Decide<CardLimits, Result<SpendingWindow, NoSuchLimit>>,
    /// The idempotency claim, if the caller made one.
    pub claim: Option<IdempotencyClaim<SpendingWindow>>,
}

/// Manages cards, with the promises of [`crate::CardLedger`]. Of a card message and a change of its card, the second
/// sees the effect of the first.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait CardManagement: Send + Sync {
    /// Returns a card in any state. `None`: no such card on the account.
    async fn find(&self, account: &AccountId, card: CardId) -> Result<Option<CardRecord>, StoreError>;

    /// Lists the account's matching cards by id descending. New ids are greater than old ones, so the newest come
    /// first. The count ignores the page. Each call reads one consistent view.
    async fn list(
        &self,
        account: &AccountId,
        filter: CardFilter,
        page: PageRequest,
    ) -> Result<Page<CardRecord>, StoreError>;

    /// Returns a card and its limits by window: day, week, month, lifetime. `None`: no such card on the account.
    async fn limits(&self, account: &AccountId, card: CardId) -> Result<Option<CardLimits>, StoreError>;

    /// Lists the transitions of a card, last one first. `None`: no such card on the account. The count ignores the
    /// page.
    async fn transitions(
        &self,
        account: &AccountId,
        card: CardId,
        page: PageRequest,
    ) -> Result<Option<Page<CardTransition>>, StoreError>;

    /// Decides the creation of a card. Creations on one account are decided sequentially, so the number of cards in the
    /// situation is exact. `Absent`: no such budget on the account.
    async fn create(&self, command: CreateCardCommand) -> Result<Written<CardRecord>, WriteError<CreateCardRefusal>>;

    /// Decides a transition and stores it. `Absent`: no such card on the account.
    async fn transition(
        &self,
        command: TransitionCommand,
    ) -> Result<Written<CardRecord>, WriteError<IllegalTransition>>;

    /// Decides a limit. `Absent`: no such card on the account.
    async fn set_limit(&self, command: LimitCommand) -> Result<Written<LimitSet>, WriteError<LimitRefusal>>;

    /// Decides the removal of a limit. `Absent`: no such card on the account.
    async fn remove_limit(
        &self,
        command: RemoveLimitCommand,
    ) -> Result<Written<SpendingWindow>, WriteError<NoSuchLimit>>;
}
