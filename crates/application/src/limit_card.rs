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

/// A client's request for a limit.
#[derive(Clone, Debug)]
pub struct NewLimit {
    /// The window of the limit.
    pub window: LimitWindow,
    /// Maximum amount in a window; zero declines everything.
    pub amount: DecimalAmount,
    /// The currency of the amount, if the client names one. It must be the card's.
    pub currency: Option<Currency>,
    /// Maximum number of uses in a window. `None`: unlimited.
    pub max_uses: Option<u32>,
    /// Whether the limit is active.
    pub active: bool,
    /// Whether the client turned the limit off. This has the same effect as making it inactive.
    pub turned_off: bool,
}

/// Sets the limit of a card for a window, or changes the existing one.
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

/// Removes a limit of a card, if its window is one of `windows`.
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
