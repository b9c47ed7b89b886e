//! Creates a virtual card (contract 5.6).

use crate::ManagementServices;
use chrono::NaiveDate;
use florin_domain::access::Account;
use florin_domain::card::{CardOwner, CardRecord, CardRequest, CreateCardRefusal, decide_create_card};
use florin_domain::ids::{BudgetId, CardId, UserToken};
use florin_domain::money::Currency;
use florin_domain::text::Text;
use florin_ports::{CreateCardCommand, IdempotencyClaim, WriteError, Written};
use std::sync::Arc;

/// The request of the client.
#[derive(Clone, Debug)]
pub struct NewCard {
    /// The budget that pays.
    pub budget: BudgetId,
    /// Its currency.
    pub currency: Currency,
    /// The person who owns the card. `None` if the budget owns it.
    pub user: Option<UserToken>,
    /// Its name.
    pub name: Option<Text<1, 140>>,
    /// The last day on which it is valid.
    pub expires_on: Option<NaiveDate>,
    /// Whether it starts as ACTIVE.
    pub activate: bool,
}

/// Creates a card on a budget of the account.
pub async fn create_card(
    services: &ManagementServices,
    account: &Account,
    new: NewCard,
    claim: Option<IdempotencyClaim<CardRecord>>,
) -> Result<Written<CardRecord>, WriteError<CreateCardRefusal>> {
    let clock = services.clock_of(account).await?;
    let (owner, user_token) = match new.user {
        Some(user) => (CardOwner::Person, user),
        None => (CardOwner::Budget, UserToken(clock.next_id())),
    };
    let request = CardRequest {
        id: CardId(clock.next_id()),
        account: account.id.clone(),
        budget: new.budget,
        currency: new.currency,
        owner,
        user_token,
        name: new.name,
        expires_on: new.expires_on,
        activate: new.activate,
        now: clock.now(),
    };
    let command = CreateCardCommand {
        account: account.id.clone(),
        budget: new.budget,
        decide: Arc::new(move |situation| decide_create_card(situation, &request)),
        claim,
    };
    services.cards.create(command).await
}
