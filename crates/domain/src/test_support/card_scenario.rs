//! A test scenario: one card and its budget.

use super::ids::{CountingIds, noon};
use super::money::{decimal, shown};
use super::{a_purchase, a_refund, a_withdrawal};
use crate::budget::BudgetRecord;
use crate::card::decide::{
    CardDecision, CardRefusal, ChainSituation, DisputeDecision, DisputeRefusal, DisputeRequest, DisputeSituation,
    FirstMessage, FirstSituation, FollowUp, OpenDisputeSituation, decide_dispute, decide_expiry, decide_first,
    decide_follow_up, decide_new_dispute,
};
use crate::card::{
    Card, CardLimit, CardTransaction, Chain, DeclineExplanation, Dispute, DisputeAction, DisputeReason, Guards,
    TransactionState,
};
use crate::ids::{DisputeId, TransactionToken};
use crate::ledger::{Balances, JournalTransaction};
use crate::stamp::Stamp;
use chrono::{DateTime, TimeDelta, Utc};

/// A card under test with its budget. Its methods call the rules and store their decisions, like an adapter.
#[derive(Clone, Debug)]
pub struct CardScenario {
    /// The card.
    pub card: Card,
    /// Its limits.
    pub limits: Vec<CardLimit>,
    /// The guards of the card.
    pub guards: Guards,
    /// The balances of its budget in its currency.
    pub balances: Balances,
    /// The record of every message, oldest first.
    pub records: Vec<CardTransaction>,
    /// The chains, in the order of their last changes.
    pub chains: Vec<Chain>,
    /// The disputes, oldest first.
    pub disputes: Vec<Dispute>,
    /// Every journal transaction, oldest first.
    pub journal: Vec<JournalTransaction>,
    /// For each record, the explanation of its decline; `None` if it was not declined.
    pub declined: Vec<Option<DeclineExplanation>>,
    /// The current time of the scenario.
    pub now: DateTime<Utc>,
    ids: CountingIds,
}

impl CardScenario {
    /// Creates a scenario with a card and its budget, which must hold the card's currency.
    pub fn of(card: impl Into<Card>, budget: impl Into<BudgetRecord>) -> Self {
        let (mut card, budget) = (card.into(), budget.into().budget);
        card.budget = budget.id;
        let Some(balances) = budget.in_currency(card.currency) else {
            panic!("the budget must hold {}", card.currency)
        };
        Self {
            card,
            limits: Vec::new(),
            guards: Guards::default(),
            balances,
            records: Vec::new(),
            chains: Vec::new(),
            disputes: Vec::new(),
            journal: Vec::new(),
            declined: Vec::new(),
            now: noon(),
            ids: CountingIds::starting_at(100),
        }
    }

    /// Adds a limit to the card.
    #[must_use]
    pub fn limited_to(mut self, limit: CardLimit) -> Self {
        self.limits.push(limit);
        self
    }

    /// Sends the authorization of a purchase. The rules may decline it, but must not refuse it.
    pub fn authorize(&mut self, amount: &str) -> CardTransaction {
        self.send(&a_purchase(amount)).unwrap().transaction
    }

    /// Sends the authorization of an ATM withdrawal. The rules may decline it, but must not refuse it.
    pub fn withdraw(&mut self, amount: &str) -> CardTransaction {
        self.send(&a_withdrawal(amount)).unwrap().transaction
    }

    /// Sends the authorization of a refund. The rules may decline it, but must not refuse it.
    pub fn refund(&mut self, amount: &str) -> CardTransaction {
        self.send(&a_refund(amount)).unwrap().transaction
    }

    /// Clears an amount of a purchase, and releases the rest of its hold.
    pub fn clear(&mut self, token: TransactionToken, amount: &str) -> Result<CardDecision, CardRefusal> {
        self.follow(token, &FollowUp::Clearing { amount: decimal(amount), is_final: true })
    }

    /// Reverses the whole hold of a purchase or withdrawal.
    pub fn reverse(&mut self, token: TransactionToken) -> Result<CardDecision, CardRefusal> {
        self.follow(token, &FollowUp::Reversal { amount: None })
    }

    /// Sends any first message.
    pub fn send(&mut self, message: &FirstMessage) -> Result<CardDecision, CardRefusal> {
        let decision = decide_first(&self.first_situation(), message, &self.stamp())?;
        self.store(&decision);
        Ok(decision)
    }

    /// Sends any follow-up to the message with this token.
    pub fn follow(&mut self, token: TransactionToken, message: &FollowUp) -> Result<CardDecision, CardRefusal> {
        let decision = decide_follow_up(&self.situation(token), token, message, &self.stamp())?;
        self.store(&decision);
        Ok(decision)
    }

    /// Expires the hold of a chain. `None`: the hold is not due, or the chain has ended.
    pub fn expire(&mut self, token: TransactionToken) -> Option<CardDecision> {
        let decision = decide_expiry(&self.situation(token), &self.stamp()).unwrap();
        if let Some(decision) = &decision {
            self.store(decision);
        }
        decision
    }

    /// Disputes an amount of a message. `None`: everything that is not disputed yet.
    pub fn dispute(&mut self, token: TransactionToken, amount: Option<&str>) -> Result<Dispute, DisputeRefusal> {
        let transaction = self.record(token).clone();
        let disputes = self.disputes.iter().filter(|dispute| dispute.chain == transaction.chain).cloned().collect();
        let situation = OpenDisputeSituation { disputed: self.situation(token), transaction, disputes };
        let request = DisputeRequest { amount: amount.map(decimal), reason: DisputeReason::Duplicate };
        let decision = decide_new_dispute(&situation, &request, &self.stamp())?;
        self.keep(&decision);
        Ok(decision.dispute)
    }

    /// Applies an action to a dispute.
    pub fn apply_to_dispute(
        &mut self,
        dispute: DisputeId,
        action: &DisputeAction,
    ) -> Result<DisputeDecision, DisputeRefusal> {
        let dispute = self.disputes.iter().find(|known| known.id == dispute).unwrap().clone();
        let credit = self.chains.iter().find(|chain| Some(chain.id) == dispute.credit).cloned();
        let situation = DisputeSituation { disputed: self.situation(dispute.transaction), credit, dispute };
        let decision = decide_dispute(&situation, action, &self.stamp())?;
        self.keep(&decision);
        Ok(decision)
    }

    fn keep(&mut self, decision: &DisputeDecision) {
        self.disputes.retain(|known| known.id != decision.dispute.id);
        self.disputes.push(decision.dispute.clone());
        if let Some(chain) = &decision.disputed {
            self.chains.iter_mut().filter(|known| known.id == chain.id).for_each(|known| known.clone_from(chain));
        }
        if let Some(message) = &decision.message {
            self.store(message);
        }
    }

    /// Advances the clock of the scenario.
    pub fn wait(&mut self, time: TimeDelta) {
        self.now += time;
    }

    /// Returns the available balance, such as `247.60 GBP`.
    pub fn available(&self) -> String {
        shown(self.balances.available(), self.card.currency)
    }

    /// Returns the held balance.
    pub fn held(&self) -> String {
        shown(self.balances.held(), self.card.currency)
    }

    /// Returns the ledger balance.
    pub fn ledger(&self) -> String {
        shown(self.balances.ledger(), self.card.currency)
    }

    /// Returns the state of the message with this token.
    pub fn state_of(&self, token: TransactionToken) -> TransactionState {
        self.record(token).state
    }

    /// Returns the situation for a first message.
    pub fn first_situation(&self) -> FirstSituation {
        let (card, limits, guards) = (self.card.clone(), self.limits.clone(), self.guards.clone());
        FirstSituation { card, limits, guards, recipient: None, balances: self.balances }
    }

    /// Returns the situation for a follow-up to the message with this token.
    pub fn situation(&self, token: TransactionToken) -> ChainSituation {
        let named = self.record(token);
        ChainSituation {
            card: self.card.clone(),
            limits: self.limits.clone(),
            guards: self.guards.clone(),
            balances: self.balances,
            first: self.record(named.chain).clone(),
            named_message: (named.kind, named.state),
            chain: self.chains.iter().find(|chain| chain.id == named.chain).cloned(),
        }
    }

    /// Returns a stamp for the next message.
    pub fn stamp(&self) -> Stamp<'_> {
        Stamp { now: self.now, ids: self.ids.source() }
    }

    fn record(&self, token: TransactionToken) -> &CardTransaction {
        self.records.iter().find(|record| record.token == token).unwrap()
    }

    fn store(&mut self, decision: &CardDecision) {
        self.records.push(decision.transaction.clone());
        self.declined.push(decision.declined.clone());
        if let Some(chain) = &decision.chain {
            self.chains.retain(|known| known.id != chain.id);
            self.chains.push(chain.clone());
        }
        if let Some(state) = decision.first_state {
            let chain = decision.transaction.chain;
            self.records.iter_mut().filter(|record| record.token == chain).for_each(|first| first.state = state);
        }
        self.journal.extend(decision.journal.clone());
        self.balances = decision.balances;
        for limit in &decision.limits {
            self.limits.retain(|known| known.window != limit.window);
            self.limits.push(limit.clone());
        }
    }
}
