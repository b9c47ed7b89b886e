//! Builds the situations of card messages from a working set, and stages their decisions in it.

use super::body::backend::WRITERS;
use super::body::errors::{Outcome, corrupt};
use super::body::working_set::{KnownCard, WorkingSet};
use florin_domain::card::decide::{CardDecision, ChainSituation, FirstSituation};
use florin_domain::ids::{AccountId, CardId, TransactionToken};

impl WorkingSet {
    /// Returns the situation of a first message on a card of the account.
    pub(super) fn first_situation(&self, account: &AccountId, card: CardId) -> Outcome<Option<FirstSituation>> {
        let Some(KnownCard { card, limits, guards }) = self.cards.card(account, card) else { return Ok(None) };
        match self.balance_set.balances(account, card.budget, card.currency) {
            Some(balances) => {
                let (card, limits, guards) = (card.clone(), limits.clone(), guards.clone());
                Ok(Some(FirstSituation { card, limits, guards, balances }))
            }
            // A budget holds the currencies of its cards, so its balance must have been loaded.
            None if WRITERS == 1 => Err(corrupt(format!("the balance of card {} is missing", card.id))),
            // Another writer may have created the card after the locks were acquired.
            None => Ok(None),
        }
    }

    /// Returns the situation of a follow-up that names a message of the account.
    pub(crate) fn chain_situation(
        &self,
        account: &AccountId,
        token: TransactionToken,
    ) -> Outcome<Option<ChainSituation>> {
        let Some(named) = self.cards.message(account, token) else { return Ok(None) };
        let first = self.cards.message(account, named.chain);
        let first = first.ok_or_else(|| corrupt("a message without its first one"))?.clone();
        let Some(FirstSituation { card, limits, guards, balances }) = self.first_situation(account, first.card)? else {
            return Ok(None);
        };
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
