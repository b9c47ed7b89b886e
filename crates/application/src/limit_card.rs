//! Sets and removes spending limits of a card (contract 5.5, 5.6).

use crate::ManagementServices;
use florin_domain::access::Account;
use florin_domain::card::{
    LimitChange, LimitRefusal, LimitSet, NoSuchLimit, SpendingWindow, decide_limit, decide_limit_removal,
};
use florin_domain::ids::CardId;
use florin_domain::money::DecimalAmount;
use florin_ports::{IdempotencyClaim, LimitCommand, RemoveLimitCommand, WriteError, Written};
use std::sync::Arc;

/// The request of the client.
#[derive(Clone, Debug)]
pub struct NewLimit {
    /// Its window.
    pub window: SpendingWindow,
    /// Maximum amount in a window.
    pub amount: DecimalAmount,
    /// Maximum number of uses in a window.
    pub most_uses: Option<u32>,
}

/// Sets or changes the limit of a card over a window.
pub async fn set_limit(
    services: &ManagementServices,
    account: &Account,
    card: CardId,
    NewLimit { window, amount, most_uses }: NewLimit,
    claim: Option<IdempotencyClaim<LimitSet>>,
) -> Result<Written<LimitSet>, WriteError<LimitRefusal>> {
    let change = LimitChange { window, amount, most_uses, now: services.time.now_of(account) };
    let decide = Arc::new(move |limits: &_| decide_limit(limits, &change));
    services.cards.set_limit(LimitCommand { account: account.id.clone(), card, decide, claim }).await
}

/// Removes the limit of a card over a window.
pub async fn remove_limit(
    services: &ManagementServices,
    account: &Account,
    card: CardId,
    window: SpendingWindow,
    claim: Option<IdempotencyClaim<SpendingWindow>>,
) -> Result<Written<SpendingWindow>, WriteError<NoSuchLimit>> {
    let decide = Arc::new(move |limits: &_| decide_limit_removal(limits, window));
    services.cards.remove_limit(RemoveLimitCommand { account: account.id.clone(), card, decide, claim }).await
}
