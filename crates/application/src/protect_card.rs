//! Sets the controls of cards and budgets, and the PIN of a card (contract 5.6).

use crate::{ManagementServices, SecretDigests};
use florin_domain::access::Account;
use florin_domain::budget::{BudgetRecord, EditBudgetRefusal, EditBudgetSituation, decide_budget_controls};
use florin_domain::card::{CardProfile, ChangeCardRefusal, Controls, Pin, decide_card_controls, decide_card_pin};
use florin_domain::ids::{BudgetId, CardId};
use florin_ports::{ChangeCardCommand, EditBudgetCommand, IdempotencyClaim, WriteError, Written};
use std::sync::Arc;

/// Replaces the controls of a card of the account.
pub async fn set_card_controls(
    services: &ManagementServices,
    account: &Account,
    card: CardId,
    controls: Controls,
    claim: Option<IdempotencyClaim<CardProfile>>,
) -> Result<Written<CardProfile>, WriteError<ChangeCardRefusal>> {
    let now = services.time.now_of(account);
    let command = ChangeCardCommand {
        account: account.id.clone(),
        card,
        person: None,
        decide: Arc::new(move |situation| Ok(decide_card_controls(&situation.card, &controls, now))),
        claim,
    };
    services.cards.change(command).await
}

/// Replaces the controls of a budget of the account.
pub async fn set_budget_controls(
    services: &ManagementServices,
    account: &Account,
    budget: BudgetId,
    controls: Controls,
    claim: Option<IdempotencyClaim<BudgetRecord>>,
) -> Result<Written<BudgetRecord>, WriteError<EditBudgetRefusal>> {
    let now = services.time.now_of(account);
    let decide =
        Arc::new(move |situation: &EditBudgetSituation| Ok(decide_budget_controls(&situation.record, &controls, now)));
    services.budgets.edit(EditBudgetCommand { account: account.id.clone(), budget, name: None, decide, claim }).await
}

/// Sets the PIN of a card of the account. Only its digest is stored.
pub async fn set_card_pin(
    (services, digests): (&ManagementServices, &SecretDigests),
    account: &Account,
    card: CardId,
    pin: &Pin,
    claim: Option<IdempotencyClaim<CardProfile>>,
) -> Result<Written<CardProfile>, WriteError<ChangeCardRefusal>> {
    let (now, digest) = (services.time.now_of(account), digests.pin(card, pin));
    let command = ChangeCardCommand {
        account: account.id.clone(),
        card,
        person: None,
        decide: Arc::new(move |situation| Ok(decide_card_pin(&situation.card, digest, now))),
        claim,
    };
    services.cards.change(command).await
}
