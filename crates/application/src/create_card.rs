//! Creates and replaces cards, and orders physical ones (contract 5.6).

use crate::ManagementServices;
use chrono::NaiveDate;
use florin_domain::access::Account;
use florin_domain::card::{
    CardHolder, CardName, CardPhone, CardProfile, CardRequest, CreateCardRefusal, PhysicalCardRefusal,
    PhysicalCardRequest, RecipientAddress, ReplaceCardRefusal, ReplaceCardRequest, decide_create_card,
    decide_physical_card, decide_replacement,
};
use florin_domain::ids::{CardId, ClientId, UserToken};
use florin_domain::money::Currency;
use florin_domain::text::Text;
use florin_ports::{
    CreateCardCommand, IdempotencyClaim, OrderPhysicalCommand, ReplaceCardCommand, WriteError, Written,
};
use std::sync::Arc;

/// A client's request for a card.
#[derive(Clone, Debug)]
pub struct NewCard {
    /// The budget or person that the card belongs to.
    pub holder: CardHolder,
    /// The currency of the card. `None`: the rule chooses it.
    pub currency: Option<Currency>,
    /// The name of the card.
    pub name: CardName,
    /// The phone of a shared card.
    pub phone: CardPhone,
    /// The last day on which the card is valid. `None`: the rule chooses it.
    pub expires_on: Option<NaiveDate>,
    /// Whether the card starts as ACTIVE.
    pub activate: bool,
}

/// Creates a card of a budget or of a person of the account.
pub async fn create_card(
    services: &ManagementServices,
    account: &Account,
    new: NewCard,
    claim: Option<IdempotencyClaim<CardProfile>>,
) -> Result<Written<CardProfile>, WriteError<CreateCardRefusal>> {
    let clock = services.clock_of(account).await?;
    let request = CardRequest {
        user_token: UserToken(clock.next_id()),
        id: CardId(clock.next_id()),
        account: account.id.clone(),
        holder: new.holder.clone(),
        currency: new.currency,
        name: new.name,
        phone: new.phone,
        expires_on: new.expires_on,
        activate: new.activate,
        max_cards: services.max_cards,
        now: clock.now(),
    };
    let command = CreateCardCommand {
        account: account.id.clone(),
        budgets: new.holder.budgets(),
        person: new.holder.person(),
        decide: Arc::new(move |situation| decide_create_card(situation, &request)),
        claim,
    };
    services.cards.create(command).await
}

/// Replaces a card of the account by a new one.
pub async fn replace_card(
    services: &ManagementServices,
    client: ClientId,
    account: &Account,
    (card, reason): (CardId, Option<Text<1, 140>>),
    claim: Option<IdempotencyClaim<CardProfile>>,
) -> Result<Written<CardProfile>, WriteError<ReplaceCardRefusal>> {
    let clock = services.clock_of(account).await?;
    let request = ReplaceCardRequest { reason, client, max_cards: services.max_cards };
    let command = ReplaceCardCommand {
        account: account.id.clone(),
        card,
        decide: Arc::new(move |situation| clock.rule(|stamp| decide_replacement(situation, &request, stamp))),
        claim,
    };
    services.cards.replace(command).await
}

/// Orders a physical card for a virtual card of the account.
pub async fn order_physical_card(
    services: &ManagementServices,
    account: &Account,
    (card, recipient): (CardId, RecipientAddress),
    claim: Option<IdempotencyClaim<CardProfile>>,
) -> Result<Written<CardProfile>, WriteError<PhysicalCardRefusal>> {
    let clock = services.clock_of(account).await?;
    let request = PhysicalCardRequest { recipient, max_cards: services.max_cards };
    let command = OrderPhysicalCommand {
        account: account.id.clone(),
        card,
        decide: Arc::new(move |situation| clock.rule(|stamp| decide_physical_card(situation, &request, stamp))),
        claim,
    };
    services.cards.order_physical(command).await
}
