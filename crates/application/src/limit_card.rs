//! Sets and removes limits of a card (contract 5.5, 5.6).

use crate::ManagementServices;
use florin_domain::access::Account;
use florin_domain::card::{
    LimitChange, LimitRefusal, LimitSet, LimitWindow, NoSuchLimit, decide_limit, decide_limit_removal,
};
use florin_domain::ids::{CardId, LimitId};
use florin_domain::money::{Currency, DecimalAmount};
use florin_ports::{IdempotencyClaim, LimitCommand, RemoveLimitCommand, WriteError, Written};
use std::sync::Arc;

/// The request of the client.
#[derive(Clone, Debug)]
pub struct NewLimit {
    /// Its window.
    pub window: LimitWindow,
    /// Maximum amount in a window.
    pub amount: DecimalAmount,
    /// The currency of the amount, if named.
    pub currency: Option<Currency>,
    /// Maximum number of uses in a window.
    pub max_uses: Option<u32>,
    /// Whether it is active.
    pub active: bool,
    /// Whether the client turned it off.
    pub turned_off: bool,
}

/// Sets or changes the limit of a card over a window.
pub async fn set_limit(
    services: &ManagementServices,
    account: &Account,
    card: CardId,
    new: NewLimit,
    claim: Option<IdempotencyClaim<LimitSet>>,
) -> Result<Written<LimitSet>, WriteError<LimitRefusal>> {
    let clock = services.clock_of(account).await?;
    let NewLimit { window, amount, currency, max_uses, active, turned_off } = new;
    let id = LimitId(clock.next_id());
    let change = LimitChange { id, window, amount, currency, max_uses, active, turned_off, now: clock.now() };
    let decide = Arc::new(move |limits: &_| decide_limit(limits, &change));
    services.cards.set_limit(LimitCommand { account: account.id.clone(), card, decide, claim }).await
}

/// Removes a limit of a card over one of these windows.
pub async fn remove_limit(
    services: &ManagementServices,
    account: &Account,
    (card, limit): (CardId, LimitId),
    windows: &'static [LimitWindow],
    claim: Option<IdempotencyClaim<LimitId>>,
) -> Result<Written<LimitId>, WriteError<NoSuchLimit>> {
    let decide = Arc::new(move |limits: &_| decide_limit_removal(limits, limit, windows));
    services.cards.remove_limit(RemoveLimitCommand { account: account.id.clone(), card, decide, claim }).await
}
