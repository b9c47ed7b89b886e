//! Changes a card, including its state (contract 5.6).

use crate::ManagementServices;
use florin_domain::access::Account;
use florin_domain::card::{CardChangeRequest, CardProfile, ChangeCardRefusal, decide_card_change};
use florin_domain::ids::CardId;
use florin_ports::{ChangeCardCommand, IdempotencyClaim, WriteError, Written};
use std::sync::Arc;

/// Changes a card of the account. `request.now` must be the account's time.
pub async fn change_card(
    services: &ManagementServices,
    account: &Account,
    card: CardId,
    request: CardChangeRequest,
    claim: Option<IdempotencyClaim<CardProfile>>,
) -> Result<Written<CardProfile>, WriteError<ChangeCardRefusal>> {
    let command = ChangeCardCommand {
        account: account.id.clone(),
        card,
        person: request.person,
        decide: Arc::new(move |situation| decide_card_change(situation, &request)),
        claim,
    };
    services.cards.change(command).await
}
