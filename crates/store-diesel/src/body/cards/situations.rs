//! Builds the situations of card messages from a working set, and stages their decisions in it.

use super::body::backend::WRITERS;
use super::body::errors::{Outcome, corrupt};
use super::body::working_set::{KnownCard, WorkingSet};
use super::physical_rows;
use florin_domain::card::decide::{CardDecision, ChainSituation, FirstSituation};
use florin_domain::ids::{AccountId, CardId, TransactionToken};
use florin_domain::ledger::Balances;

impl WorkingSet {
    /// Returns a card of the account, with the balances that it spends from.
    pub(super) fn locked_card(&self, account: &AccountId, card: CardId) -> Outcome<Option<(&KnownCard, Balances)>> {
        let Some(known) = self.cards.card(account, card) else { return Ok(None) };
        match self.balance_set.balances(account, known.card.budget, known.card.currency) {
            Some(balances) => Ok(Some((known, balances))),
            // A budget holds the currencies of its cards, so its balance must have been loaded.
            None if WRITERS == 1 => Err(corrupt(format!("the balance of card {} is missing", known.card.id))),
            // Another writer may have created the card after the locks were acquired.
            None => Ok(None),
        }
    }

    /// Returns the situation of a first message on a card of the account.
    pub(super) fn first_situation(&self, account: &AccountId, card: CardId) -> Outcome<Option<FirstSituation>> {
        let Some((known, balances)) = self.locked_card(account, card)? else { return Ok(None) };
        let recipient = physical_rows::recipient(known.recipient.as_deref())?;
        let (card, limits, guards) = (known.card.clone(), known.limits.clone(), known.guards.clone());
        Ok(Some(FirstSituation { card, limits, guards, recipient, balances }))
    }

    /// Returns the situation of a follow-up that names a message of the account.
    pub(crate) fn chain_situation(
        &self,
        account: &AccountId,
        token: TransactionToken,
    ) -> Outcome<Option<ChainSituation>> {
        let Some(named) = self.cards.message(account, token) else { return Ok(None) };
        let first = self.cards.message(account, named.chain);
        let first = first.ok_or_else(|| corrupt("a chain without its first message"))?.clone();
        let Some((known, balances)) = self.locked_card(account, first.card)? else { return Ok(None) };
        let (card, limits, guards) = (known.card.clone(), known.limits.clone(), known.guards.clone());
        let chain = self.cards.chain(account, named.chain).cloned();
        let named_message = (named.kind, named.state);
        Ok(Some(ChainSituation { card, limits, guards, balances, named_message, first, chain }))
    }

    /// Stages everything that a decision changes.
    pub(crate) fn stage(&mut self, decision: &CardDecision) {
        let message = &decision.transaction;
        self.cards.stage(decision);
        self.events.add(&[message.event()]);
        if let Some(journal) = &decision.journal {
            self.journal.add(journal);
            self.balance_set.change(&message.account, (message.budget, message.currency), decision.balances);
        }
    }
}
