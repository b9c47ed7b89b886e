//! The model: an account in memory. It is written from the documents, not from the program.

use std::collections::BTreeMap;

use super::chain::{Chain, Message};
use super::controls::{Controls, covers};
use super::disputes::Dispute;
use super::limits::{CountedAmount, Limit, Terms, Window, undo};
use super::money::Currency;

/// The money of a budget in one currency.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Funds {
    pub(super) ledger: i64,
    pub(super) available: i64,
    /// The number of the last credit or transfer.
    pub(super) last: Option<i64>,
}

/// A budget.
#[derive(Clone, Debug)]
pub(super) struct Budget {
    pub(super) parent: Option<usize>,
    pub(super) funds: BTreeMap<Currency, Funds>,
    pub(super) controls: Controls,
}

/// The state of a card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CardState {
    Unactivated,
    Active,
    Suspended,
    Replaced,
    Terminated,
}

impl CardState {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Unactivated => "UNACTIVATED",
            Self::Active => "ACTIVE",
            Self::Suspended => "SUSPENDED",
            Self::Replaced => "REPLACED",
            Self::Terminated => "TERMINATED",
        }
    }

    pub(super) const fn can_become(self, other: Self) -> bool {
        matches!(
            (self, other),
            (Self::Unactivated, Self::Active | Self::Terminated)
                | (Self::Active, Self::Suspended | Self::Replaced | Self::Terminated)
                | (Self::Suspended, Self::Active | Self::Replaced | Self::Terminated)
        )
    }
}

/// A card.
#[derive(Clone, Debug)]
pub(super) struct Card {
    pub(super) budget: usize,
    pub(super) currency: Currency,
    pub(super) state: CardState,
    /// The last day on which the card is valid, in days since 1970, if the operation that created the card set it.
    pub(super) last_day: Option<i64>,
    pub(super) pin: Option<u16>,
    /// Whether a person owns the card.
    pub(super) is_individual: bool,
    pub(super) limits: Vec<Limit>,
    pub(super) controls: Controls,
}

/// A rule for the life of holds.
#[derive(Clone, Copy, Debug)]
pub(super) struct LifeRule {
    pub(super) mcc: Option<&'static str>,
    pub(super) message: Option<&'static str>,
    /// The life as a duration such as `P1D`, and in seconds.
    pub(super) life: (&'static str, i64),
}

/// The setting of the lives of holds.
#[derive(Clone, Debug)]
pub(super) struct Lives {
    /// The life if no rule applies, as a duration and in seconds.
    pub(super) default: Option<(&'static str, i64)>,
    pub(super) rules: Vec<LifeRule>,
}

impl Lives {
    /// Returns the life of a hold, in seconds. Of the rules that apply, the one with the narrowest range of categories
    /// decides. Among equally narrow ones, one that names a message has precedence, then the first in the list.
    pub(super) fn of(&self, mcc: &str, message: &str) -> i64 {
        let applies = |rule: &&LifeRule| {
            rule.mcc.is_none_or(|range| covers(range, mcc)) && rule.message.is_none_or(|name| name == message)
        };
        let best = self.rules.iter().filter(applies).min_by_key(|rule| (width(rule.mcc), rule.message.is_none()));
        let life = best.map(|rule| rule.life).or(self.default);
        life.map_or(7 * super::limits::DAY, |(_, seconds)| seconds)
    }
}

fn width(range: Option<&str>) -> i64 {
    let number = |text: &str| text.parse::<i64>().unwrap();
    match range.map(|range| range.split_once('-')) {
        None => i64::MAX,
        Some(None) => 0,
        Some(Some((first, last))) => number(last) - number(first),
    }
}

/// A credit, or one side of a transfer. Its place in the list is its number, from 1.
#[derive(Clone, Debug)]
pub(super) struct BoxRow {
    pub(super) kind: &'static str,
    pub(super) budget: usize,
    pub(super) currency: Currency,
    pub(super) amount: i64,
    pub(super) at: i64,
}

/// An account.
#[derive(Clone, Debug)]
pub(super) struct Model {
    /// The time of its clock, in seconds.
    pub(super) now: i64,
    pub(super) budgets: Vec<Budget>,
    pub(super) cards: Vec<Card>,
    pub(super) chains: Vec<Chain>,
    pub(super) messages: Vec<Message>,
    pub(super) disputes: Vec<Dispute>,
    pub(super) boxes: Vec<BoxRow>,
    pub(super) lives: Lives,
    /// Whether clearings above the margins of the networks are refused.
    pub(super) is_network: bool,
    pub(super) is_person_active: bool,
    pub(super) limits_created: usize,
}

/// The expected answer to an operation.
#[derive(Clone, Debug)]
pub(super) enum Outcome {
    Message(Record),
    Done(u16),
    /// The status, the code and the path of the error.
    Refused(u16, &'static str, &'static str),
}

/// The expected record of a card message.
#[derive(Clone, Debug)]
pub(super) struct Record {
    pub(super) kind: String,
    pub(super) state: &'static str,
    pub(super) code: &'static str,
    pub(super) amount: i64,
    pub(super) requested: i64,
    pub(super) impacted: i64,
    /// The number of the message.
    pub(super) message: usize,
}

impl Model {
    pub(super) fn funds(&self, budget: usize, currency: Currency) -> Funds {
        self.budgets[budget].funds[&currency]
    }

    pub(super) fn card_funds(&self, card: usize) -> Funds {
        self.funds(self.cards[card].budget, self.cards[card].currency)
    }

    /// Adds to the balances of a card's budget.
    pub(super) fn add(&mut self, card: usize, ledger: i64, available: i64) {
        let (budget, currency) = (self.cards[card].budget, self.cards[card].currency);
        let funds = self.budgets[budget].funds.get_mut(&currency).unwrap();
        funds.ledger += ledger;
        funds.available += available;
    }

    /// Counts an amount in every limit of a card.
    pub(super) fn count(&mut self, card: usize, amount: i64, is_use: bool) -> Vec<CountedAmount> {
        let now = self.now;
        let limits = self.cards[card].limits.iter_mut().filter(|limit| limit.window != Window::Transaction);
        limits.map(|limit| limit.count(amount, is_use, now)).collect()
    }

    /// Counts a further amount of a chain. A negative amount is taken back from what was counted for the chain.
    pub(super) fn count_chain(&mut self, chain: usize, amount: i64) {
        let card = self.chains[chain].card;
        if amount > 0 {
            let counted = self.count(card, amount, false);
            self.chains[chain].counted.extend(counted);
        } else {
            undo(&mut self.chains[chain].counted, &mut self.cards[card].limits, -amount, -1, self.now);
        }
    }

    /// Changes the held and the cleared amount of a chain, and counts the change. Returns by how much both amounts
    /// together grew, and by how much the cleared amount grew.
    pub(super) fn settle(&mut self, chain: usize, held_m: i64, cleared_m: i64) -> (i64, i64) {
        let grown = self.shift(chain, held_m, cleared_m);
        self.count_chain(chain, grown.0);
        grown
    }

    /// Changes the held and the cleared amount of a chain, without counting them in limits.
    pub(super) fn shift(&mut self, chain: usize, held_m: i64, cleared_m: i64) -> (i64, i64) {
        let one = &mut self.chains[chain];
        let (total, cleared) = (one.held() + one.cleared(), one.cleared());
        (one.held_m, one.cleared_m) = (held_m, cleared_m);
        let (more, cleared) = (one.held() + one.cleared() - total, one.cleared() - cleared);
        let card = one.card;
        self.add(card, -cleared, -more);
        (more, cleared)
    }

    /// Sets a limit of a card, and keeps the used amount.
    pub(super) fn set_limit(&mut self, card: usize, window: Window, terms: Terms) {
        let now = self.now;
        let limits = &mut self.cards[card].limits;
        if let Some(limit) = limits.iter_mut().find(|limit| limit.window == window) {
            limit.terms = terms;
        } else {
            self.limits_created += 1;
            limits.push(Limit::new(self.limits_created, window, terms, now));
            limits.sort_by_key(|limit| limit.window);
        }
    }

    /// Replaces a card, and returns the number of the new card, which has copies of controls and limits.
    pub(super) fn replace(&mut self, card: usize) -> usize {
        self.cards[card].state = CardState::Replaced;
        let mut new = self.cards[card].clone();
        (new.state, new.last_day, new.pin) = (CardState::Unactivated, None, None);
        for limit in &mut new.limits {
            self.limits_created += 1;
            limit.id = self.limits_created;
        }
        self.cards.push(new);
        self.cards.len() - 1
    }
}
