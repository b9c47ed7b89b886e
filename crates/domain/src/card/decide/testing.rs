//! A small world for the tests of the rules: one budget, one card, and every message applied to it.

use super::{
    CardDecision, CardRefusal, ChainSituation, Extras, FirstMessage, FirstSituation, FollowUp, MessageStamp,
    decide_expiry, decide_first, decide_follow_up,
};
use crate::card::{
    AcceptorInput, Card, CardState, CardTransaction, Chain, ChainKind, Explanation, Network, SpendingLimit,
    TransactionState,
};
use crate::ids::{AccountId, BudgetId, CardId, JournalId, TransactionToken, UserToken};
use crate::ledger::{Balances, JournalTransaction};
use crate::money::{Currency, DecimalAmount, Minor, Quotes, Rate};
use crate::text::Text;
use chrono::{DateTime, NaiveDate, TimeDelta, TimeZone, Utc};
use uuid::Uuid;

pub(super) struct World {
    pub(super) card: Card,
    pub(super) limits: Vec<SpendingLimit>,
    pub(super) balances: Balances,
    pub(super) records: Vec<CardTransaction>,
    pub(super) chains: Vec<Chain>,
    pub(super) journal: Vec<JournalTransaction>,
    /// Why each of the records was declined.
    pub(super) declined: Vec<Option<Explanation>>,
    pub(super) now: DateTime<Utc>,
    next: u128,
}

impl World {
    /// A GBP budget with this much available (in pence) and an ACTIVE card.
    pub(super) fn with(available: i64) -> Self {
        Self {
            card: Card {
                id: CardId(Uuid::from_u128(1)),
                account: AccountId::parse("F1").unwrap(),
                budget: BudgetId(Uuid::from_u128(2)),
                currency: Currency::parse("GBP").unwrap(),
                state: CardState::Active,
                user_token: UserToken(Uuid::from_u128(3)),
                expires_on: NaiveDate::from_ymd_opt(2030, 12, 31).unwrap(),
            },
            limits: vec![],
            balances: Balances::new(Minor(available), Minor(0), Minor(0)).unwrap(),
            records: vec![],
            chains: vec![],
            journal: vec![],
            declined: vec![],
            now: Utc.with_ymd_and_hms(2026, 9, 1, 12, 0, 0).unwrap(),
            next: 100,
        }
    }

    fn stamp(&mut self) -> MessageStamp {
        self.next += 1;
        let id = Uuid::from_u128(self.next);
        MessageStamp { token: TransactionToken(id), journal: JournalId(id), now: self.now }
    }

    pub(super) fn first(&mut self, kind: ChainKind, amount: &str) -> Result<CardDecision, CardRefusal> {
        self.first_with(kind, amount, Extras::default())
    }

    pub(super) fn first_with(
        &mut self,
        kind: ChainKind,
        amount: &str,
        extras: Extras,
    ) -> Result<CardDecision, CardRefusal> {
        let message = FirstMessage {
            kind,
            amount: DecimalAmount::from_json_number(amount).unwrap(),
            network: Network::Visa,
            acceptor: AcceptorInput {
                mid: Text::parse("11111").unwrap(),
                name: None,
                city: None,
                state: None,
                postal_code: None,
                country_code: None,
                mcc: None,
            },
            extras,
        };
        let situation =
            FirstSituation { card: self.card.clone(), limits: self.limits.clone(), balances: self.balances };
        let stamp = self.stamp();
        let decision = decide_first(&situation, &message, &stamp)?;
        self.store(&decision);
        Ok(decision)
    }

    pub(super) fn authorize(&mut self, amount: &str) -> TransactionToken {
        self.first(ChainKind::Purchase, amount).unwrap().transaction.token
    }

    fn situation(&self, token: TransactionToken) -> ChainSituation {
        let find = |token| self.records.iter().find(|record| record.token == token).unwrap().clone();
        let named = find(token);
        ChainSituation {
            card: self.card.clone(),
            limits: self.limits.clone(),
            balances: self.balances,
            first: find(named.chain),
            named: (named.kind, named.state),
            chain: self.chains.iter().find(|chain| chain.id == named.chain).cloned(),
        }
    }

    pub(super) fn follow(&mut self, token: TransactionToken, message: &FollowUp) -> Result<CardDecision, CardRefusal> {
        let situation = self.situation(token);
        let stamp = self.stamp();
        let decision = decide_follow_up(&situation, token, message, &stamp)?;
        self.store(&decision);
        Ok(decision)
    }

    pub(super) fn expire(&mut self, token: TransactionToken) -> Option<CardDecision> {
        let situation = self.situation(token);
        let stamp = self.stamp();
        let decision = decide_expiry(&situation, &stamp).unwrap();
        if let Some(decision) = &decision {
            self.store(decision);
        }
        decision
    }

    pub(super) fn wait(&mut self, time: TimeDelta) {
        self.now += time;
    }

    pub(super) fn state_of(&self, token: TransactionToken) -> TransactionState {
        self.records.iter().find(|record| record.token == token).unwrap().state
    }

    /// What an adapter does with a decision.
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

pub(super) fn amount(text: &str) -> DecimalAmount {
    DecimalAmount::from_json_number(text).unwrap()
}

pub(super) fn advice(total: &str) -> FollowUp {
    FollowUp::Advice { amount: amount(total) }
}

pub(super) fn clearing(text: &str, is_final: bool) -> FollowUp {
    FollowUp::Clearing { amount: amount(text), is_final }
}

pub(super) fn incremental(text: &str) -> FollowUp {
    FollowUp::Incremental { amount: amount(text), decline: None }
}

/// What a merchant's currency is worth in GBP.
pub(super) fn quotes(from: &str, rate: &str) -> Quotes {
    let currency = |code| Currency::parse(code).unwrap();
    Quotes { from: currency(from), rates: vec![(currency("GBP"), Rate::parse(rate).unwrap())] }
}

pub(super) fn reversal(text: Option<&str>) -> FollowUp {
    FollowUp::Reversal { amount: text.map(amount) }
}

/// Type, state, ledger, available and impacted amount, as the contract's table has them.
pub(super) fn row(decision: &CardDecision) -> [String; 5] {
    let record = &decision.transaction;
    let money = |minor: Minor| minor.of(record.currency).to_string();
    [
        record.kind.as_str().to_owned(),
        record.state.as_str().to_owned(),
        money(record.ledger_balance),
        money(record.available_balance),
        money(record.impacted),
    ]
}
