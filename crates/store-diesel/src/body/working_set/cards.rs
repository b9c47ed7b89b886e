//! The cards of a group with their messages.

use super::body::backend::{Changes, Conn};
use super::body::errors::Outcome;
use super::body::footprint::{Footprint, Key};
use super::body::statements::load;
use super::body::tables::cards::{
    CardsAndLimits, ChainChange, ChainRow, FirstMessageChange, LimitChange, LimitRow, MessageRow, MessagesAndChains,
    ReasonRow,
};
use super::body::types::{Account, Day, Id, Named};
use super::tracked::Tracked;
use florin_domain::card::decide::CardDecision;
use florin_domain::card::{Card, CardLimit, CardTransaction, Chain, Guards, LimitWindow, TransactionState};
use florin_domain::ids::{AccountId, CardId, TransactionToken};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

type Message = (AccountId, TransactionToken);

/// A card with what decides its messages.
pub(crate) struct KnownCard {
    /// The card.
    pub(crate) card: Card,
    /// Its limits, in any order.
    pub(crate) limits: Vec<CardLimit>,
    /// What else decides its use.
    pub(crate) guards: Guards,
    /// The address to which a physical card was sent, as stored. Only first messages read it.
    pub(crate) recipient: Option<String>,
}

/// The cards of a group, with their limits, messages and chains.
#[derive(Default)]
pub(crate) struct Cards {
    known: BTreeMap<(AccountId, CardId), KnownCard>,
    /// Limits whose usage changed.
    used: BTreeMap<(AccountId, CardId, LimitWindow), CardLimit>,
    /// The messages that commands name, and the first messages of their chains.
    messages: BTreeMap<Message, CardTransaction>,
    /// The tokens that commands name. An earlier command of the group may create one of them.
    named: BTreeSet<Key>,
    /// The new states of stored first messages.
    first_states: BTreeMap<Message, TransactionState>,
    chains: Tracked<Message, Chain>,
    new_messages: Vec<MessageRow>,
    new_chains: Vec<ChainRow>,
    reasons: Vec<ReasonRow>,
}

impl Cards {
    /// Loads the cards and messages of a footprint. The balances that pay for them are already locked, so no other
    /// transaction changes them.
    pub(crate) fn load(conn: &mut Conn, footprint: &Footprint) -> Outcome<Self> {
        let mut cards = Self { named: footprint.messages.clone(), ..Self::default() };
        cards.read(load::<MessagesAndChains>(footprint.messages.iter().cloned(), conn)?)?;
        let firsts = cards.messages.values().map(|named| (named.account.clone(), named.chain));
        let firsts: BTreeSet<_> = firsts.filter(|first| !cards.messages.contains_key(first)).collect();
        let firsts = firsts.into_iter().map(|(account, first)| (Account(account), Id(first.0)));
        cards.read(load::<MessagesAndChains>(firsts, conn)?)?;
        let of_messages = cards.messages.values().map(|named| (Account(named.account.clone()), Id(named.card.0)));
        let cards_to_load: BTreeSet<_> = footprint.cards.iter().cloned().chain(of_messages).collect();
        for (card, budget, holder, settings, limit) in load::<CardsAndLimits>(cards_to_load, conn)? {
            let key = (card.account_id.0.clone(), CardId(card.id.0));
            let known = match cards.known.entry(key) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => {
                    let guards = card.guards(&budget, holder.as_ref(), settings)?;
                    let recipient = card.recipient_address.clone();
                    new.insert(KnownCard { card: card.into(), limits: Vec::new(), guards, recipient })
                }
            };
            known.limits.extend(limit.map(LimitRow::read).transpose()?);
        }
        Ok(cards)
    }

    fn read(&mut self, rows: Vec<(MessageRow, Option<ChainRow>)>) -> Outcome<()> {
        for (message, chain) in rows {
            let message = message.read()?;
            if let Some(chain) = chain.map(ChainRow::read).transpose()? {
                self.chains.insert((chain.account.clone(), chain.id), chain);
            }
            self.messages.insert((message.account.clone(), message.token), message);
        }
        Ok(())
    }

    /// Returns a card with what decides its messages.
    pub(crate) fn card(&self, account: &AccountId, card: CardId) -> Option<&KnownCard> {
        self.known.get(&(account.clone(), card))
    }

    /// Returns a message.
    pub(crate) fn message(&self, account: &AccountId, token: TransactionToken) -> Option<&CardTransaction> {
        self.messages.get(&(account.clone(), token))
    }

    /// Returns the chain that begins with a message.
    pub(crate) fn chain(&self, account: &AccountId, first: TransactionToken) -> Option<&Chain> {
        self.chains.get(&(account.clone(), first))
    }

    /// Stages a change of a loaded chain that does not come from a message.
    pub(crate) fn change_chain(&mut self, chain: &Chain) {
        self.chains.change((chain.account.clone(), chain.id), chain.clone());
    }

    /// Stages a decision: its message, and the changes of its chain, its first message and the limits.
    pub(crate) fn stage(&mut self, decision: &CardDecision) {
        let message = &decision.transaction;
        let key = (message.account.clone(), message.token);
        self.new_messages.push(MessageRow::of(message, decision.journal.as_ref().map(|journal| journal.id)));
        self.reasons.extend(decision.declined.as_ref().map(|declined| ReasonRow::of(message, declined)));
        if self.named.contains(&(Account(key.0.clone()), Id(key.1.0))) {
            self.messages.insert(key, message.clone());
        }
        match &decision.chain {
            Some(chain) if chain.id == message.token => {
                self.new_chains.push(ChainRow::from(chain));
                self.chains.insert((chain.account.clone(), chain.id), chain.clone());
            }
            Some(chain) => {
                let key = (chain.account.clone(), chain.id);
                match self.new_chains.iter_mut().find(|new| new.is_of(&key)) {
                    // The chain is new and not stored yet: it will be stored in its current form.
                    Some(new) => {
                        *new = ChainRow::from(chain);
                        self.chains.insert(key, chain.clone());
                    }
                    None => self.chains.change(key, chain.clone()),
                }
            }
            None => {}
        }
        if let Some(state) = decision.first_state {
            let first = (message.account.clone(), message.chain);
            if let Some(first) = self.messages.get_mut(&first) {
                first.state = state;
            }
            match self.new_messages.iter_mut().find(|new| new.is_of(&first)) {
                Some(new) => new.state = Named(state),
                None => {
                    self.first_states.insert(first, state);
                }
            }
        }
        for limit in &decision.limits {
            let card = (message.account.clone(), message.card);
            if let Some(known) = self.known.get_mut(&card) {
                known.limits.iter_mut().filter(|old| old.window == limit.window).for_each(|old| old.clone_from(limit));
            }
            self.used.insert((card.0, card.1, limit.window), limit.clone());
        }
    }

    /// Whether a message is staged.
    pub(crate) const fn changes_activity(&self) -> bool {
        !self.new_messages.is_empty()
    }

    /// Stores the staged changes. The messages receive this position.
    pub(crate) fn store(mut self, changes: &mut Changes<'_>, position: i64) -> Outcome<()> {
        self.new_messages.iter_mut().for_each(|message| message.position = position);
        changes.insert(self.new_messages)?;
        changes.insert(self.reasons)?;
        changes.insert(self.new_chains)?;
        let chain = |(_, chain): (Message, Chain)| ChainChange::from(ChainRow::from(&chain));
        changes.update(self.chains.into_changes().map(chain).collect())?;
        let first = |((account, token), state): (Message, _)| FirstMessageChange {
            state: Named(state),
            account_id: Account(account),
            token: Id(token.0),
        };
        changes.update(self.first_states.into_iter().map(first).collect())?;
        let used = |((account, card, window), limit): ((AccountId, CardId, _), CardLimit)| LimitChange {
            window_start: Day(limit.window_start),
            spent_minor: limit.spent.0,
            uses: i64::from(limit.uses),
            carried_minor: limit.carried.spent.0,
            carried_uses: i64::from(limit.carried.uses),
            account_id: Account(account),
            card_id: Id(card.0),
            limit_window: Named(window),
        };
        changes.update(self.used.into_iter().map(used).collect())
    }
}
