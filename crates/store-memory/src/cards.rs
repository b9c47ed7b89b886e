//! Cards and their messages.

use crate::MemoryStore;
use crate::activities::renew_positions;
use crate::card_management::{find, store_change};
use crate::data::{Data, add, must_exist, replace};
use crate::events::record;
use crate::idempotency::once;
use crate::money::{store_balances, write_journal};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use florin_domain::card::decide::{
    CardDecision, CardRefusal, ChainSituation, FirstSituation, FirstUseDecision, FirstUseSituation,
};
use florin_domain::card::{Card, CardTransaction, CardTransition, ChainHistory, ExplainedMessage, Guards};
use florin_domain::ids::{AccountId, ActivityId, CardId, TransactionToken};
use florin_domain::ledger::JournalTransaction;
use florin_ports::{
    CardLedger, ChainHistories, DryRun, Due, DueHold, ExpiryCommand, FirstMessageCommand, FirstUseCommand,
    FollowUpCommand, Mode, StoreError, WriteError, Written,
};

#[async_trait]
impl CardLedger for MemoryStore {
    async fn first_message(
        &self,
        command: FirstMessageCommand,
    ) -> Result<Written<CardTransaction>, WriteError<CardRefusal>> {
        if command.mode == Mode::DryRun {
            return self.dry_run(|data| decide_first(data, &command).map(DryRun::from));
        }
        self.decide(|data| {
            once(data, command.claim.as_ref(), |data| {
                let decision = decide_first(data, &command)?;
                save(data, &decision)?;
                Ok(decision.transaction)
            })
        })
    }

    async fn awaits_first_use(&self, account: &AccountId, card: CardId) -> Result<bool, StoreError> {
        Ok(self.read(|data| find(data, account, card).is_some_and(|card| card.awaits_first_use())))
    }

    async fn first_use(&self, command: FirstUseCommand) -> Result<Written<CardTransaction>, WriteError<CardRefusal>> {
        if command.mode == Mode::DryRun {
            return self.dry_run(|data| decide_first_use(data, &command).map(DryRun::from));
        }
        self.decide(|data| {
            once(data, command.claim.as_ref(), |data| {
                let decision = decide_first_use(data, &command)?;
                for change in decision.changes {
                    let event = change.transition.as_ref().map(CardTransition::event);
                    store_change(data, change)?;
                    record(data, event.as_slice())?;
                }
                save(data, &decision.message)?;
                Ok(decision.message.transaction)
            })
        })
    }

    async fn follow_up(&self, command: FollowUpCommand) -> Result<Written<CardTransaction>, WriteError<CardRefusal>> {
        if command.mode == Mode::DryRun {
            return self.dry_run(|data| decide_follow_up(data, &command).map(DryRun::from));
        }
        self.decide(|data| {
            once(data, command.claim.as_ref(), |data| {
                let decision = decide_follow_up(data, &command)?;
                save(data, &decision)?;
                Ok(decision.transaction)
            })
        })
    }

    async fn expire(&self, command: ExpiryCommand) -> Result<bool, WriteError<CardRefusal>> {
        self.decide(|data| {
            let DueHold { account, chain } = &command.hold;
            let situation = chain_situation(data, account, *chain)?.ok_or(WriteError::Absent)?;
            let Some(decision) = (command.decide)(&situation).map_err(WriteError::Refused)? else { return Ok(false) };
            save(data, &decision)?;
            Ok(true)
        })
    }

    async fn due_holds(&self, now: DateTime<Utc>, max: u32) -> Result<Vec<Due<DueHold>>, StoreError> {
        let mut due: Vec<_> = self.read(|data| {
            let in_real_time = data.chains.values().filter(|chain| !data.id_counters.contains_key(&chain.account));
            let held = in_real_time.filter_map(|chain| {
                let item = DueHold { account: chain.account.clone(), chain: chain.id };
                Some(Due { at: chain.due_at()?, item })
            });
            held.filter(|due| due.at <= now).collect()
        });
        due.sort();
        due.truncate(usize::try_from(max).unwrap_or(usize::MAX));
        Ok(due)
    }
}

#[async_trait]
impl ChainHistories for MemoryStore {
    async fn history(&self, account: &AccountId, token: TransactionToken) -> Result<Option<ChainHistory>, StoreError> {
        Ok(self.read(|data| {
            let chain = data.messages.get(&(account.clone(), token))?.chain;
            let messages =
                data.messages.values().filter(|message| message.account == *account && message.chain == chain);
            let explained = |message: &CardTransaction| ExplainedMessage {
                transaction: message.clone(),
                declined: data.declined.get(&(account.clone(), message.token)).cloned(),
            };
            let messages: Vec<_> = messages.map(explained).collect();
            let caused = |journal: &&JournalTransaction| {
                journal.account == *account
                    && messages.iter().any(|explained| explained.transaction.token.0 == journal.cause)
            };
            let journal = data.journal.values().filter(caused).cloned().collect();
            let chain = data.chains.get(&(account.clone(), chain)).cloned();
            Some(ChainHistory::of(messages, chain, journal))
        }))
    }
}

/// Decides a first message without storing it.
fn decide_first(data: &Data, command: &FirstMessageCommand) -> Result<CardDecision, WriteError<CardRefusal>> {
    let situation = first_situation(data, &command.account, command.card)?.ok_or(WriteError::Absent)?;
    (command.decide)(&situation).map_err(WriteError::Refused)
}

/// Decides a first message that may activate a physical card, without storing it.
fn decide_first_use(data: &Data, command: &FirstUseCommand) -> Result<FirstUseDecision, WriteError<CardRefusal>> {
    let account = &command.account;
    let message = first_situation(data, account, command.card)?.ok_or(WriteError::Absent)?;
    let card = find(data, account, command.card).ok_or(WriteError::Absent)?;
    let virtual_card = card.physical.as_ref().and_then(|physical| find(data, account, physical.virtual_card));
    (command.decide)(&FirstUseSituation { message, card, virtual_card }).map_err(WriteError::Refused)
}

/// Decides a follow-up without storing it.
fn decide_follow_up(data: &Data, command: &FollowUpCommand) -> Result<CardDecision, WriteError<CardRefusal>> {
    let situation = chain_situation(data, &command.account, command.token)?.ok_or(WriteError::Absent)?;
    (command.decide)(&situation).map_err(WriteError::Refused)
}

/// Loads the situation of a first message on a card of the account.
fn first_situation(data: &Data, account: &AccountId, card: CardId) -> Result<Option<FirstSituation>, StoreError> {
    let Some((card, limits)) = data.cards.get(&(account.clone(), card)) else { return Ok(None) };
    let budget = data.budgets.get(&(account.clone(), card.budget));
    let balances = budget.and_then(|budget| budget.in_currency(card.currency));
    let balances = balances.ok_or_else(|| StoreError::Corrupt("a card without its budget".into()))?;
    let record = data.card_records.get(&(account.clone(), card.id));
    let recipient = record.and_then(|record| record.physical.as_ref()?.recipient.clone());
    let (card, limits, guards) = (card.clone(), limits.clone(), guards(data, card));
    Ok(Some(FirstSituation { card, limits, guards, recipient, balances }))
}

/// Returns the guards of a card: what the rules read in addition to its state, its limits and the balance.
fn guards(data: &Data, card: &Card) -> Guards {
    let record = data.card_records.get(&(card.account.clone(), card.id));
    let budget = data.budget_records.get(&(card.account.clone(), card.budget));
    let owner = record.and_then(|record| record.person.as_ref());
    let holder = owner.and_then(|owner| data.people.get(&(card.account.clone(), owner.person)));
    Guards {
        card: record.map(|record| record.controls.clone()).unwrap_or_default(),
        budget: budget.map(|budget| budget.controls.clone()).unwrap_or_default(),
        holder: holder.map(|holder| holder.status),
        pin: record.and_then(|record| record.pin),
        settings: data.card_settings.get(&card.account).cloned().unwrap_or_default(),
    }
}

/// Loads the situation of a follow-up. It may name any message of a chain of the account.
pub(crate) fn chain_situation(
    data: &Data,
    account: &AccountId,
    token: TransactionToken,
) -> Result<Option<ChainSituation>, StoreError> {
    let Some(named) = data.messages.get(&(account.clone(), token)) else { return Ok(None) };
    let lost = || StoreError::Corrupt("a message without its first one, or without its card".into());
    let key = (account.clone(), named.chain);
    let first = data.messages.get(&key).ok_or_else(lost)?.clone();
    let situation = first_situation(data, account, first.card)?.ok_or_else(lost)?;
    let FirstSituation { card, limits, guards, balances, .. } = situation;
    let (named_message, chain) = ((named.kind, named.state), data.chains.get(&key).cloned());
    Ok(Some(ChainSituation { card, limits, guards, balances, first, named_message, chain }))
}

/// Stores a whole decision: the message, its chain, the state of the first message, the money and the limits.
pub(crate) fn save(data: &mut Data, decision: &CardDecision) -> Result<(), StoreError> {
    let message = &decision.transaction;
    let of_account = |token| (message.account.clone(), token);
    let card = (message.account.clone(), message.card);
    must_exist(data.cards.contains_key(&card), &message.card)?;
    add(&mut data.messages, of_account(message.token), message.clone())?;
    if let Some(declined) = &decision.declined {
        add(&mut data.declined, of_account(message.token), declined.clone())?;
    }
    match &decision.chain {
        Some(chain) if chain.id == message.token => add(&mut data.chains, of_account(chain.id), chain.clone())?,
        Some(chain) => replace(&mut data.chains, &of_account(chain.id), chain.clone())?,
        None => {}
    }
    if let Some(state) = decision.first_state {
        let first = data.messages.get_mut(&of_account(message.chain));
        first.ok_or_else(|| StoreError::Corrupt("no first message".into()))?.state = state;
    }
    if let Some(journal) = &decision.journal {
        write_journal(data, journal)?;
        store_balances(data, &message.account, (message.budget, message.currency), decision.balances)?;
    }
    store_limits(data, &card, decision)?;
    renew_positions(data, &message.account, [ActivityId(message.chain.0)]);
    record(data, &[message.event()])?;
    Ok(())
}

fn store_limits(data: &mut Data, card: &(AccountId, CardId), decision: &CardDecision) -> Result<(), StoreError> {
    let missing = || StoreError::Corrupt("no such spending limit".into());
    let (_, limits) = data.cards.get_mut(card).ok_or_else(missing)?;
    for limit in &decision.limits {
        *limits.iter_mut().find(|known| known.window == limit.window).ok_or_else(missing)? = limit.clone();
    }
    Ok(())
}
