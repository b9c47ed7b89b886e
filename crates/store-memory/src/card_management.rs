//! Reads and creation of cards, and changes of their states and limits.

use crate::MemoryStore;
use crate::budgets;
use crate::data::{Data, add, must_exist};
use crate::idempotency::once;
use crate::merchant::cut;
use async_trait::async_trait;
use florin_domain::card::{
    Card, CardFilter, CardLimits, CardRecord, CardTransition, CreateCardRefusal, CreateCardSituation,
    IllegalTransition, LimitRefusal, LimitSet, NoSuchLimit, SpendingLimit, SpendingWindow,
};
use florin_domain::ids::{AccountId, CardId};
use florin_domain::page::{Page, PageRequest};
use florin_ports::{
    CardManagement, CreateCardCommand, LimitCommand, RemoveLimitCommand, StoreError, TransitionCommand, WriteError,
    Written,
};

#[async_trait]
impl CardManagement for MemoryStore {
    async fn find(&self, account: &AccountId, card: CardId) -> Result<Option<CardRecord>, StoreError> {
        Ok(self.read(|data| find(data, account, card)))
    }

    async fn list(
        &self,
        account: &AccountId,
        filter: CardFilter,
        page: PageRequest,
    ) -> Result<Page<CardRecord>, StoreError> {
        let matches = |card: &&Card| {
            card.account == *account
                && filter.budget.is_none_or(|budget| card.budget == budget)
                && filter.state.is_none_or(|state| card.state == state)
                && filter.user.is_none_or(|user| card.user_token == user)
        };
        let mut matching: Vec<_> = self.read(|data| {
            let cards = data.cards.values().map(|(card, _)| card).filter(matches);
            cards.map(|card| record(data, card)).collect()
        });
        matching.sort_by_key(|record| std::cmp::Reverse(record.card.id));
        Ok(cut(matching, page))
    }

    async fn limits(&self, account: &AccountId, card: CardId) -> Result<Option<CardLimits>, StoreError> {
        Ok(self.read(|data| limits(data, account, card)))
    }

    async fn transitions(
        &self,
        account: &AccountId,
        card: CardId,
        page: PageRequest,
    ) -> Result<Option<Page<CardTransition>>, StoreError> {
        let of_card = |step: &&CardTransition| step.account == *account && step.card == card;
        Ok(self.read(|data| {
            find(data, account, card)?;
            Some(cut(data.transitions.iter().rev().filter(of_card).cloned().collect(), page))
        }))
    }

    async fn create(&self, command: CreateCardCommand) -> Result<Written<CardRecord>, WriteError<CreateCardRefusal>> {
        self.decide(|data| {
            once(data, command.claim.as_ref(), |data| {
                let budget = budgets::find(data, &command.account, command.budget).ok_or(WriteError::Absent)?;
                let cards = data.cards.keys().filter(|(account, _)| *account == command.account).count();
                let cards = u64::try_from(cards).unwrap_or(u64::MAX);
                let situation = CreateCardSituation { budget, cards };
                let record = (command.decide)(&situation).map_err(WriteError::Refused)?;
                let card = &record.card;
                let budget = budgets::find(data, &card.account, card.budget);
                let holds = budget.and_then(|budget| budget.budget.in_currency(card.currency)).is_some();
                must_exist(holds, &card.budget)?;
                let key = (card.account.clone(), card.id);
                add(&mut data.cards, key.clone(), (card.clone(), Vec::new()))?;
                add(&mut data.card_records, key, record.clone())?;
                Ok(record)
            })
        })
    }

    async fn transition(
        &self,
        command: TransitionCommand,
    ) -> Result<Written<CardRecord>, WriteError<IllegalTransition>> {
        self.decide(|data| {
            once(data, command.claim.as_ref(), |data| {
                let card = find(data, &command.account, command.card).ok_or(WriteError::Absent)?;
                let decision = (command.decide)(&card).map_err(WriteError::Refused)?;
                must_exist(data.clients.contains_key(&decision.transition.client), &decision.transition.client)?;
                let (card, _) = stored(data, &command.account, command.card)?;
                card.state = decision.transition.to;
                data.transitions.push(decision.transition);
                Ok(decision.card)
            })
        })
    }

    async fn set_limit(&self, command: LimitCommand) -> Result<Written<LimitSet>, WriteError<LimitRefusal>> {
        self.decide(|data| {
            once(data, command.claim.as_ref(), |data| {
                let situation = limits(data, &command.account, command.card).ok_or(WriteError::Absent)?;
                let set = (command.decide)(&situation).map_err(WriteError::Refused)?;
                let (_, limits) = stored(data, &command.account, command.card)?;
                limits.retain(|limit| limit.window != set.limit.window);
                limits.push(set.limit.clone());
                Ok(set)
            })
        })
    }

    async fn remove_limit(
        &self,
        command: RemoveLimitCommand,
    ) -> Result<Written<SpendingWindow>, WriteError<NoSuchLimit>> {
        self.decide(|data| {
            once(data, command.claim.as_ref(), |data| {
                let situation = limits(data, &command.account, command.card).ok_or(WriteError::Absent)?;
                let window = (command.decide)(&situation).map_err(WriteError::Refused)?;
                let (_, limits) = stored(data, &command.account, command.card)?;
                limits.retain(|limit| limit.window != window);
                Ok(window)
            })
        })
    }
}

/// Finds a card of the account with its record.
fn find(data: &Data, account: &AccountId, card: CardId) -> Option<CardRecord> {
    data.cards.get(&(account.clone(), card)).map(|(card, _)| record(data, card))
}

fn record(data: &Data, card: &Card) -> CardRecord {
    match data.card_records.get(&(card.account.clone(), card.id)) {
        Some(record) => CardRecord { card: card.clone(), ..record.clone() },
        None => CardRecord::seeded(card.clone()),
    }
}

fn limits(data: &Data, account: &AccountId, card: CardId) -> Option<CardLimits> {
    let (card, mut limits) = data.cards.get(&(account.clone(), card))?.clone();
    limits.sort_by_key(|limit| limit.window);
    Some(CardLimits { card, limits })
}

/// Returns a card and its limits for writing. The card exists, because the rule has just read it.
fn stored<'a>(
    data: &'a mut Data,
    account: &AccountId,
    card: CardId,
) -> Result<&'a mut (Card, Vec<SpendingLimit>), StoreError> {
    data.cards.get_mut(&(account.clone(), card)).ok_or_else(|| StoreError::Corrupt("no such card".into()))
}
