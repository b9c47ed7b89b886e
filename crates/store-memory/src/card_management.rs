//! Reads and creation of cards, and changes of their states and limits.

use crate::MemoryStore;
use crate::budgets;
use crate::data::{Data, add, must_exist};
use crate::events;
use crate::idempotency::once;
use crate::pages::paginate;
use async_trait::async_trait;
use florin_domain::card::{
    Card, CardBudget, CardChange, CardFilter, CardLimit, CardLimits, CardProfile, CardRecord, CardSettings,
    CardTransition, ChangeCardRefusal, ChangeCardSituation, CreateCardRefusal, CreateCardSituation, GrantedBudget,
    LimitRefusal, LimitSet, NoSuchLimit, PhysicalCardRefusal, PhysicalCardSituation, ReplaceCardRefusal,
    ReplaceCardSituation,
};
use florin_domain::ids::{AccountId, BudgetId, CardId, LimitId, PersonId};
use florin_domain::page::{Page, PageRequest};
use florin_domain::people::Person;
use florin_ports::{
    CardManagement, CardSettingsCommand, ChangeCardCommand, CreateCardCommand, LimitCommand, OrderPhysicalCommand,
    RemoveLimitCommand, ReplaceCardCommand, StoreError, WriteError, Written,
};
use std::convert::Infallible;

#[async_trait]
impl CardManagement for MemoryStore {
    async fn find(&self, account: &AccountId, card: CardId) -> Result<Option<CardProfile>, StoreError> {
        Ok(self.read(|data| find(data, account, card).and_then(|record| profile(data, record))))
    }

    async fn list(
        &self,
        account: &AccountId,
        filter: CardFilter,
        page: PageRequest,
    ) -> Result<Page<CardProfile>, StoreError> {
        let mut matching: Vec<_> = self.read(|data| {
            let cards = data.cards.values().map(|(card, _)| card).filter(|card| card.account == *account);
            let records = cards.map(|card| record(data, card)).filter(|record| filter.matches(record));
            records.filter_map(|record| profile(data, record)).collect()
        });
        matching.sort_by(|one, other| {
            let [one, other] = [&one.record, &other.record].map(|record| (&record.name, record.card.id));
            if filter.descending { other.cmp(&one) } else { one.cmp(&other) }
        });
        Ok(paginate(matching, page))
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
            Some(paginate(data.transitions.iter().rev().filter(of_card).cloned().collect(), page))
        }))
    }

    async fn create(&self, command: CreateCardCommand) -> Result<Written<CardProfile>, WriteError<CreateCardRefusal>> {
        self.decide(|data| {
            once(data, command.claim.as_ref(), |data| {
                if !data.accounts.contains_key(&command.account) {
                    return Err(WriteError::Absent);
                }
                let budget = |budget: &BudgetId| budgets::find(data, &command.account, *budget);
                let situation = CreateCardSituation {
                    budgets: command.budgets.iter().map(budget).collect(),
                    person: named(data, &command.account, command.person),
                    cards: count(data, &command.account),
                };
                let record = (command.decide)(&situation).map_err(WriteError::Refused)?;
                add_card(data, &record, Vec::new())?;
                events::record(data, record.creation_event().as_slice())?;
                Ok(stored_profile(data, record)?)
            })
        })
    }

    async fn change(&self, command: ChangeCardCommand) -> Result<Written<CardProfile>, WriteError<ChangeCardRefusal>> {
        self.decide(|data| {
            once(data, command.claim.as_ref(), |data| {
                let card = find(data, &command.account, command.card).ok_or(WriteError::Absent)?;
                let person = named(data, &command.account, command.person);
                let change = (command.decide)(&ChangeCardSituation { card, person }).map_err(WriteError::Refused)?;
                let after = change.card.clone();
                let event = change.transition.as_ref().map(CardTransition::event);
                store_change(data, change)?;
                events::record(data, event.as_slice())?;
                Ok(stored_profile(data, after)?)
            })
        })
    }

    async fn replace(
        &self,
        command: ReplaceCardCommand,
    ) -> Result<Written<CardProfile>, WriteError<ReplaceCardRefusal>> {
        self.decide(|data| {
            once(data, command.claim.as_ref(), |data| {
                let record = find(data, &command.account, command.card).ok_or(WriteError::Absent)?;
                let CardLimits { limits, .. } =
                    limits(data, &command.account, command.card).ok_or(WriteError::Absent)?;
                let situation = ReplaceCardSituation { record, limits, cards: count(data, &command.account) };
                let done = (command.decide)(&situation).map_err(WriteError::Refused)?;
                let event = done.transition.event();
                store_change(data, CardChange { card: done.replaced, transition: Some(done.transition) })?;
                events::record(data, &[event])?;
                add_card(data, &done.new, done.limits.limits)?;
                events::record(data, done.new.creation_event().as_slice())?;
                Ok(stored_profile(data, done.new)?)
            })
        })
    }

    async fn order_physical(
        &self,
        command: OrderPhysicalCommand,
    ) -> Result<Written<CardProfile>, WriteError<PhysicalCardRefusal>> {
        self.decide(|data| {
            once(data, command.claim.as_ref(), |data| {
                let record = find(data, &command.account, command.card).ok_or(WriteError::Absent)?;
                let CardLimits { limits, .. } =
                    limits(data, &command.account, command.card).ok_or(WriteError::Absent)?;
                let ordered = physical(data, &record).into_iter().map(|card| card.card.state).collect();
                let situation = PhysicalCardSituation { record, limits, ordered, cards: count(data, &command.account) };
                let new = (command.decide)(&situation).map_err(WriteError::Refused)?;
                add_card(data, &new.card, new.limits.limits)?;
                events::record(data, new.card.creation_event().as_slice())?;
                Ok(stored_profile(data, new.card)?)
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

    async fn remove_limit(&self, command: RemoveLimitCommand) -> Result<Written<LimitId>, WriteError<NoSuchLimit>> {
        self.decide(|data| {
            once(data, command.claim.as_ref(), |data| {
                let situation = limits(data, &command.account, command.card).ok_or(WriteError::Absent)?;
                let id = (command.decide)(&situation).map_err(WriteError::Refused)?;
                let (_, limits) = stored(data, &command.account, command.card)?;
                limits.retain(|limit| limit.id != id);
                Ok(id)
            })
        })
    }

    async fn settings(&self, account: &AccountId) -> Result<CardSettings, StoreError> {
        Ok(self.read(|data| data.card_settings.get(account).cloned().unwrap_or_default()))
    }

    async fn set_settings(
        &self,
        command: CardSettingsCommand,
    ) -> Result<Written<CardSettings>, WriteError<Infallible>> {
        self.decide(|data| {
            once(data, command.claim.as_ref(), |data| {
                if !data.accounts.contains_key(&command.account) {
                    return Err(WriteError::Absent);
                }
                let before = data.card_settings.get(&command.account).cloned().unwrap_or_default();
                let after = (command.decide)(&before);
                data.card_settings.insert(command.account.clone(), after.clone());
                Ok(after)
            })
        })
    }
}

/// Finds a card of the account with its record.
pub(crate) fn find(data: &Data, account: &AccountId, card: CardId) -> Option<CardRecord> {
    data.cards.get(&(account.clone(), card)).map(|(card, _)| record(data, card))
}

fn record(data: &Data, card: &Card) -> CardRecord {
    match data.card_records.get(&(card.account.clone(), card.id)) {
        Some(record) => CardRecord { card: card.clone(), ..record.clone() },
        None => CardRecord::seeded(card.clone()),
    }
}

/// Builds the profile of a card: its record, its budgets and limits, and the state of its physical card.
fn profile(data: &Data, record: CardRecord) -> Option<CardProfile> {
    let CardLimits { card, limits } = limits(data, &record.card.account, record.card.id)?;
    let budget = |granted: GrantedBudget| {
        let budget = budgets::find(data, &card.account, granted.budget)?;
        Some(CardBudget { id: granted.budget, name: budget.budget.name, kind: budget.kind, active: granted.active })
    };
    let budgets = record.budgets().into_iter().map(budget).collect::<Option<_>>()?;
    let physical_state = match record.physical {
        Some(_) => Some(record.card.state),
        None => physical(data, &record).last().map(|card| card.card.state),
    };
    Some(CardProfile { budgets, record, limits, physical_state })
}

/// Returns the physical cards of a virtual one, oldest first.
fn physical(data: &Data, of: &CardRecord) -> Vec<CardRecord> {
    let cards = data.cards.values().map(|(card, _)| card).filter(|card| card.account == of.card.account);
    let belongs = |card: &CardRecord| card.physical.as_ref().is_some_and(|one| one.virtual_card == of.card.id);
    let mut found: Vec<_> = cards.map(|card| record(data, card)).filter(belongs).collect();
    found.sort_by_key(|card| (card.created_at, card.card.id));
    found
}

fn stored_profile(data: &Data, record: CardRecord) -> Result<CardProfile, StoreError> {
    profile(data, record).ok_or_else(|| StoreError::Corrupt("no such card".into()))
}

/// Returns the person of the account whom a command names.
fn named(data: &Data, account: &AccountId, person: Option<PersonId>) -> Option<Person> {
    data.people.get(&(account.clone(), person?)).cloned()
}

fn count(data: &Data, account: &AccountId) -> u64 {
    u64::try_from(data.cards.keys().filter(|(of, _)| of == account).count()).unwrap_or(u64::MAX)
}

fn add_card(data: &mut Data, record: &CardRecord, limits: Vec<CardLimit>) -> Result<(), StoreError> {
    let card = &record.card;
    let budget = budgets::find(data, &card.account, card.budget);
    let holds = budget.and_then(|budget| budget.budget.in_currency(card.currency)).is_some();
    must_exist(holds, &card.budget)?;
    let key = (card.account.clone(), card.id);
    add(&mut data.cards, key.clone(), (card.clone(), limits))?;
    add(&mut data.card_records, key, record.clone())
}

/// Stores a change of a card. The card exists, because the rule has just read it.
pub(crate) fn store_change(
    data: &mut Data,
    CardChange { card: record, transition }: CardChange,
) -> Result<(), StoreError> {
    let (account, id) = (record.card.account.clone(), record.card.id);
    if let Some(transition) = transition {
        must_exist(data.clients.contains_key(&transition.client), &transition.client)?;
        data.transitions.push(transition);
    }
    stored(data, &account, id)?.0.state = record.card.state;
    data.card_records.insert((account, id), record);
    Ok(())
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
) -> Result<&'a mut (Card, Vec<CardLimit>), StoreError> {
    data.cards.get_mut(&(account.clone(), card)).ok_or_else(|| StoreError::Corrupt("no such card".into()))
}
