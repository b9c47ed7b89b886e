//! Creating and changing cards and their limits, decided under the lock of their budget; and the card settings of
//! accounts.

use crate::{Decide, IdempotencyClaim, StoreError, WriteError, Written};
use async_trait::async_trait;
use florin_domain::card::{
    CardChange, CardFilter, CardLimits, CardProfile, CardRecord, CardReplacement, CardSettings, CardTransition,
    ChangeCardRefusal, ChangeCardSituation, CreateCardRefusal, CreateCardSituation, LimitRefusal, LimitSet,
    NewPhysicalCard, NoSuchLimit, PhysicalCardRefusal, PhysicalCardSituation, ReplaceCardRefusal, ReplaceCardSituation,
};
use florin_domain::ids::{AccountId, BudgetId, CardId, LimitId, PersonId};
use florin_domain::page::{Page, PageRequest};
use std::convert::Infallible;

/// A command to create a card.
pub struct CreateCardCommand {
    /// The account of the caller.
    pub account: AccountId,
    /// The budgets that the request for the card names, in its order.
    pub budgets: Vec<BudgetId>,
    /// The person who will own the card. `None`: the card is shared.
    pub person: Option<PersonId>,
    /// The rule.
    pub decide: Decide<CreateCardSituation, Result<CardRecord, CreateCardRefusal>>,
    /// The idempotency claim, if the caller made one.
    pub claim: Option<IdempotencyClaim<CardProfile>>,
}

/// A command to change a card, including its state.
pub struct ChangeCardCommand {
    /// The account of the caller.
    pub account: AccountId,
    /// The card, which must be the account's.
    pub card: CardId,
    /// The person who will own the card. `None`: the request names nobody.
    pub person: Option<PersonId>,
    /// The rule.
    pub decide: Decide<ChangeCardSituation, Result<CardChange, ChangeCardRefusal>>,
    /// The idempotency claim, if the caller made one.
    pub claim: Option<IdempotencyClaim<CardProfile>>,
}

/// A command to replace a card with a new one.
pub struct ReplaceCardCommand {
    /// The account of the caller.
    pub account: AccountId,
    /// The card, which must be the account's.
    pub card: CardId,
    /// The rule.
    pub decide: Decide<ReplaceCardSituation, Result<CardReplacement, ReplaceCardRefusal>>,
    /// The idempotency claim, if the caller made one.
    pub claim: Option<IdempotencyClaim<CardProfile>>,
}

/// A command to order a physical card for a virtual one.
pub struct OrderPhysicalCommand {
    /// The account of the caller.
    pub account: AccountId,
    /// The virtual card, which must be the account's.
    pub card: CardId,
    /// The rule.
    pub decide: Decide<PhysicalCardSituation, Result<NewPhysicalCard, PhysicalCardRefusal>>,
    /// The idempotency claim, if the caller made one.
    pub claim: Option<IdempotencyClaim<CardProfile>>,
}

/// A command to set a limit.
pub struct LimitCommand {
    /// The account of the caller.
    pub account: AccountId,
    /// The card, which must be the account's.
    pub card: CardId,
    /// The rule. The limit that it returns replaces the existing one for the same window.
    pub decide: Decide<CardLimits, Result<LimitSet, LimitRefusal>>,
    /// The idempotency claim, if the caller made one.
    pub claim: Option<IdempotencyClaim<LimitSet>>,
}

/// A command to remove a limit.
pub struct RemoveLimitCommand {
    /// The account of the caller.
    pub account: AccountId,
    /// The card, which must be the account's.
    pub card: CardId,
    /// The rule. It returns the limit that is removed.
    pub decide: Decide<CardLimits, Result<LimitId, NoSuchLimit>>,
    /// The idempotency claim, if the caller made one.
    pub claim: Option<IdempotencyClaim<LimitId>>,
}

/// A command to change the card settings of an account.
pub struct CardSettingsCommand {
    /// The account of the caller.
    pub account: AccountId,
    /// The rule. It returns the settings after the change.
    pub decide: Decide<CardSettings, CardSettings>,
    /// The idempotency claim, if the caller made one.
    pub claim: Option<IdempotencyClaim<CardSettings>>,
}

/// Manages cards, with the promises of [`crate::CardLedger`]. Of a card message and a change of its card, the second
/// sees the effect of the first.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait CardManagement: Send + Sync {
    /// Returns a card in any state. `None`: no such card on the account.
    async fn find(&self, account: &AccountId, card: CardId) -> Result<Option<CardProfile>, StoreError>;

    /// Lists the account's matching cards, sorted by name, then by id, both in the order of code points. The filter can
    /// reverse both. The count ignores the page. Each call reads one consistent view.
    async fn list(
        &self,
        account: &AccountId,
        filter: CardFilter,
        page: PageRequest,
    ) -> Result<Page<CardProfile>, StoreError>;

    /// Returns a card and its limits by window: transaction, day, week, month, lifetime. `None`: no such card on the
    /// account.
    async fn limits(&self, account: &AccountId, card: CardId) -> Result<Option<CardLimits>, StoreError>;

    /// Lists the transitions of a card, newest first. The count ignores the page. `None`: no such card on the account.
    async fn transitions(
        &self,
        account: &AccountId,
        card: CardId,
        page: PageRequest,
    ) -> Result<Option<Page<CardTransition>>, StoreError>;

    /// Decides the creation of a card. Creations on one account are decided sequentially, so the number of cards in the
    /// situation is exact. `Absent`: no such account.
    async fn create(&self, command: CreateCardCommand) -> Result<Written<CardProfile>, WriteError<CreateCardRefusal>>;

    /// Decides a change of a card, and stores it together with the record of its transition, if there is one. `Absent`:
    /// no such card on the account.
    async fn change(&self, command: ChangeCardCommand) -> Result<Written<CardProfile>, WriteError<ChangeCardRefusal>>;

    /// Decides the replacement of a card, stores the old and the new card, and returns the new one. `Absent`: no such
    /// card on the account.
    async fn replace(
        &self,
        command: ReplaceCardCommand,
    ) -> Result<Written<CardProfile>, WriteError<ReplaceCardRefusal>>;

    /// Decides the order of a physical card for a virtual one, stores the new card and returns it. The rule sees the
    /// states of all physical cards of the virtual one. `Absent`: no such card on the account.
    async fn order_physical(
        &self,
        command: OrderPhysicalCommand,
    ) -> Result<Written<CardProfile>, WriteError<PhysicalCardRefusal>>;

    /// Decides a limit. `Absent`: no such card on the account.
    async fn set_limit(&self, command: LimitCommand) -> Result<Written<LimitSet>, WriteError<LimitRefusal>>;

    /// Decides the removal of a limit. `Absent`: no such card on the account.
    async fn remove_limit(&self, command: RemoveLimitCommand) -> Result<Written<LimitId>, WriteError<NoSuchLimit>>;

    /// Returns the card settings of an account. They are the defaults if they were never changed.
    async fn settings(&self, account: &AccountId) -> Result<CardSettings, StoreError>;

    /// Decides a change of the card settings of an account. Changes of one account are decided sequentially. The new
    /// settings apply to messages that begin later; existing holds do not change. `Absent`: no such account.
    async fn set_settings(&self, command: CardSettingsCommand)
    -> Result<Written<CardSettings>, WriteError<Infallible>>;
}
