//! First messages: authorization, ATM withdrawal authorization, refund authorization (contract 5.3).

use super::booking::Movement;
use super::{CardDecision, CardRefusal, MessageStamp};
use crate::card::{
    AcceptorInput, Card, CardState, CardTransaction, Chain, ChainEnd, ChainKind, MessageKind, Network, Response,
    SpendingLimit, TransactionState,
};
use crate::fault::Flaw;
use crate::ledger::Balances;
use crate::money::{DecimalAmount, Minor};
use chrono::{DateTime, Utc};

/// What an adapter loads, under the lock of the budget.
#[derive(Clone, Debug)]
pub struct FirstSituation {
    /// The card.
    pub card: Card,
    /// Its spending limits.
    pub limits: Vec<SpendingLimit>,
    /// Its budget's balances in the card's currency.
    pub balances: Balances,
}

/// What a caller sends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirstMessage {
    /// What it opens.
    pub kind: ChainKind,
    /// How much; zero on a purchase is an account check.
    pub amount: DecimalAmount,
    /// The network it comes by.
    pub network: Network,
    /// Where the card is used.
    pub acceptor: AcceptorInput,
}

impl FirstMessage {
    fn is_account_check(&self) -> bool {
        self.kind == ChainKind::Purchase && self.amount.is_zero()
    }
}

/// Decides a first message. A decline is a decision, not a refusal.
pub fn decide_first(
    situation: &FirstSituation,
    message: &FirstMessage,
    stamp: &MessageStamp,
) -> Result<CardDecision, CardRefusal> {
    let amount = message.amount.to_minor(situation.card.currency).map_err(CardRefusal::Amount)?;
    if amount.is_zero() && message.kind != ChainKind::Purchase {
        // Zero is an account check, which only a purchase has.
        return Err(CardRefusal::Amount(Flaw::range("An amount above zero is wanted.")));
    }
    if let Some(response) = decline(situation, message, amount, stamp.now) {
        let transaction =
            record(situation, message, stamp, (amount, Minor::ZERO), (TransactionState::Declined, response));
        return Ok(unmoved(transaction, None, situation.balances));
    }
    if message.is_account_check() {
        let state = (TransactionState::Completion, Response::AccountVerified);
        let transaction = record(situation, message, stamp, (amount, Minor::ZERO), state);
        let chain = chain(situation, message, stamp, amount, (Minor::ZERO, Some(ChainEnd::Cleared)));
        return Ok(unmoved(transaction, Some(chain), situation.balances));
    }
    let state = (TransactionState::Pending, Response::Approved);
    if message.kind == ChainKind::Refund {
        let transaction = record(situation, message, stamp, (amount, amount), state);
        let chain = chain(situation, message, stamp, amount, (Minor::ZERO, None));
        return Ok(unmoved(transaction, Some(chain), situation.balances));
    }
    let taken = amount.negated().ok_or(crate::ledger::BalanceLimit)?;
    let (journal, balances) = Movement::hold(amount)?.book(&situation.card, &situation.balances, stamp)?;
    let mut transaction = record(situation, message, stamp, (amount, taken), state);
    transaction.available_balance = balances.available();
    transaction.ledger_balance = balances.ledger();
    Ok(CardDecision {
        transaction,
        chain: Some(chain(situation, message, stamp, amount, (amount, None))),
        first_state: None,
        journal: Some(journal),
        balances,
        limits: situation.limits.iter().map(|limit| limit.after_use(amount, stamp.now)).collect(),
    })
}

/// The first rule that fails, in the contract's order.
fn decline(situation: &FirstSituation, message: &FirstMessage, amount: Minor, now: DateTime<Utc>) -> Option<Response> {
    let card = &situation.card;
    // A refund only gives: it reaches any card that was ever in use.
    let gives = message.kind == ChainKind::Refund;
    let takes = !gives && !message.is_account_check();
    match card.state {
        CardState::Unactivated => return Some(Response::CardNotActive),
        CardState::Replaced | CardState::Terminated if !gives => return Some(Response::CardNotActive),
        CardState::Suspended if !gives => return Some(Response::CardSuspended),
        CardState::Active | CardState::Suspended | CardState::Replaced | CardState::Terminated => {}
    }
    if !gives && card.is_expired(now) {
        return Some(Response::CardExpired);
    }
    if takes && !situation.limits.iter().all(|limit| limit.allows(amount, now)) {
        return Some(Response::UsageLimitReached);
    }
    if takes && situation.balances.available() < amount {
        return Some(Response::NotSufficientFunds);
    }
    None
}

/// A decision in which no money moves.
fn unmoved(transaction: CardTransaction, chain: Option<Chain>, balances: Balances) -> CardDecision {
    CardDecision { transaction, chain, first_state: None, journal: None, balances, limits: Vec::new() }
}

/// The record, with the balances as they were.
fn record(
    situation: &FirstSituation,
    message: &FirstMessage,
    stamp: &MessageStamp,
    (amount, impacted): (Minor, Minor),
    (state, response): (TransactionState, Response),
) -> CardTransaction {
    let card = &situation.card;
    CardTransaction {
        token: stamp.token,
        chain: stamp.token,
        account: card.account.clone(),
        card: card.id,
        user_token: card.user_token,
        budget: card.budget,
        chain_kind: message.kind,
        kind: MessageKind::first_of(message.kind),
        state,
        currency: card.currency,
        amount,
        requested: amount,
        impacted,
        response,
        ledger_balance: situation.balances.ledger(),
        available_balance: situation.balances.available(),
        preceding: None,
        network: message.network,
        acceptor: message.acceptor.completed(),
        created_at: stamp.now,
    }
}

fn chain(
    situation: &FirstSituation,
    message: &FirstMessage,
    stamp: &MessageStamp,
    authorised: Minor,
    (held, end): (Minor, Option<ChainEnd>),
) -> Chain {
    let card = &situation.card;
    Chain {
        id: stamp.token,
        account: card.account.clone(),
        card: card.id,
        budget: card.budget,
        currency: card.currency,
        kind: message.kind,
        authorised,
        held,
        cleared: Minor::ZERO,
        created_at: stamp.now,
        end,
    }
}

#[cfg(test)]
#[path = "first_tests.rs"]
mod tests;
