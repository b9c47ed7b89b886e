//! Changes the state of a card (contract 5.6).

use crate::ManagementServices;
use florin_domain::access::Account;
use florin_domain::card::{CardRecord, CardState, IllegalTransition, TransitionRequest, decide_transition};
use florin_domain::ids::{CardId, ClientId};
use florin_domain::text::Text;
use florin_ports::{IdempotencyClaim, TransitionCommand, WriteError, Written};
use std::sync::Arc;

/// Changes the state of a card of the account, with a reason.
pub async fn transition_card(
    services: &ManagementServices,
    client: ClientId,
    account: &Account,
    card: CardId,
    (to, reason): (CardState, Text<1, 140>),
    claim: Option<IdempotencyClaim<CardRecord>>,
) -> Result<Written<CardRecord>, WriteError<IllegalTransition>> {
    let request = TransitionRequest { to, reason, client, now: services.time.now_of(account) };
    let command = TransitionCommand {
        account: account.id.clone(),
        card,
        decide: Arc::new(move |card| decide_transition(card, &request)),
        claim,
    };
    services.cards.transition(command).await
}
