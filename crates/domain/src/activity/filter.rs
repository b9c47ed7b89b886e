//! Filters of movements.

use super::{Activity, ActivityDetail, ActivitySource, ActivityStatus, ActivityType, FirstMessageClass};
use crate::batch::PaymentStatus;
use crate::card::TransactionState;
use crate::fault::{Flaw, FlawCode};
use crate::ids::{BudgetId, CardId, PersonId};
use crate::money::Currency;
use chrono::{DateTime, Utc};

/// A filter of movements. It matches the movements that meet every condition. `None` and an empty list match all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ActivityFilter {
    /// The types to match.
    pub kinds: Vec<ActivityType>,
    /// The types that do not match.
    pub excluded: Vec<ActivityType>,
    /// The statuses to match.
    pub statuses: Vec<ActivityStatus>,
    /// The budgets to match.
    pub budgets: Vec<BudgetId>,
    /// The owners of cards to match. Only chains have a card.
    pub people: Vec<PersonId>,
    /// The card to match. Only chains have a card.
    pub card: Option<CardId>,
    /// The currency to match.
    pub currency: Option<Currency>,
    /// The earliest `created_at`, inclusive.
    pub from: Option<DateTime<Utc>>,
    /// The latest `created_at`, inclusive.
    pub to: Option<DateTime<Utc>>,
    /// A text that the counterparty or the reference must contain. A text of digits also matches the number.
    pub search: Option<ActivitySearch>,
}

/// A condition that selects chains for a filter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchingChains {
    /// The class of the first message.
    pub class: FirstMessageClass,
    /// The possible states of the first message.
    pub states: Vec<TransactionState>,
    /// Whether the chain is open. `None`: open or not.
    pub is_open: Option<bool>,
}

/// A text to search for: 1 to 100 characters. The case of ASCII letters is ignored. A text that consists of digits is
/// also a number to search for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActivitySearch(String);

impl ActivitySearch {
    /// Maximum number of characters.
    pub const MAX: usize = 100;

    /// Checks the length, and that the text contains no NUL.
    pub fn parse(text: &str) -> Result<Self, Flaw> {
        let length = text.chars().count();
        if text.is_empty() {
            return Err(Flaw::required());
        }
        if text.contains('\0') {
            return Err(Flaw::format("must not contain the NUL character"));
        }
        if length > Self::MAX {
            let message = format!("must be at most {} characters (got {length})", Self::MAX);
            return Err(Flaw::new(FlawCode::TooLong, message));
        }
        Ok(Self(text.to_ascii_lowercase()))
    }

    /// The text, with ASCII letters in lower case.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The number in the account's sequence to search for. `None` if the text is no number of 64 bits.
    pub fn number(&self) -> Option<i64> {
        let is_number = self.0.bytes().all(|byte| byte.is_ascii_digit());
        self.0.parse().ok().filter(|_| is_number)
    }

    /// Whether a text contains the text to search for. The case of ASCII letters does not matter.
    pub fn is_in(&self, text: &str) -> bool {
        text.to_ascii_lowercase().contains(&self.0)
    }
}

impl ActivityFilter {
    /// Whether movements of a source can match; other sources need not be read.
    pub fn can_match(&self, source: ActivitySource) -> bool {
        let is_card = source == ActivitySource::Card;
        if !is_card && (self.card.is_some() || !self.people.is_empty()) {
            return false;
        }
        // A top-up has a number, but neither a counterparty nor a reference.
        if source == ActivitySource::TopUp && self.search.as_ref().is_some_and(|search| search.number().is_none()) {
            return false;
        }
        match source.kind() {
            None => !self.chains().is_empty(),
            Some(kind) if source == ActivitySource::Payment => self.has_type(kind) && !self.payments().is_empty(),
            Some(kind) => self.has_type(kind) && self.has_status(ActivityStatus::Complete),
        }
    }

    /// Conditions that together select the matching chains.
    pub fn chains(&self) -> Vec<MatchingChains> {
        let matching = |class: FirstMessageClass| {
            let kind = class.activity().filter(|kind| self.has_type(*kind))?;
            let states = |is_open| {
                let has = |state: &TransactionState| self.has_status(ActivityStatus::of_chain(kind, *state, is_open));
                TransactionState::ALL.into_iter().filter(has).collect::<Vec<_>>()
            };
            let (open, ended) = (states(true), states(false));
            Some(if open == ended {
                vec![MatchingChains { class, states: open, is_open: None }]
            } else {
                [(open, true), (ended, false)]
                    .map(|(states, is_open)| MatchingChains { class, states, is_open: Some(is_open) })
                    .into()
            })
        };
        let chains = FirstMessageClass::all().filter_map(matching).flatten();
        chains.filter(|chains| !chains.states.is_empty()).collect()
    }

    /// The statuses of matching payments.
    pub fn payments(&self) -> Vec<PaymentStatus> {
        let has = |status: &PaymentStatus| ActivityStatus::of_payment(*status).is_some_and(|is| self.has_status(is));
        PaymentStatus::ALL.into_iter().filter(has).collect()
    }

    /// Whether types or statuses are restricted.
    pub fn restricts_type_or_status(&self) -> bool {
        !(self.kinds.is_empty() && self.excluded.is_empty() && self.statuses.is_empty())
    }

    /// Whether a movement matches.
    pub fn matches(&self, activity: &Activity) -> bool {
        self.has_type(activity.kind)
            && self.has_status(activity.status)
            && allows(&self.budgets, &activity.budget)
            && (self.people.is_empty() || activity.person().is_some_and(|person| self.people.contains(&person)))
            && self.card.is_none_or(|card| activity.card() == Some(card))
            && self.currency.is_none_or(|currency| currency == activity.currency)
            && self.from.is_none_or(|from| from <= activity.created_at)
            && self.to.is_none_or(|to| activity.created_at <= to)
            && self.search.as_ref().is_none_or(|search| activity.is_found_by(search))
    }

    fn has_type(&self, kind: ActivityType) -> bool {
        allows(&self.kinds, &kind) && !self.excluded.contains(&kind)
    }

    fn has_status(&self, status: ActivityStatus) -> bool {
        allows(&self.statuses, &status)
    }
}

fn allows<T: PartialEq>(listed: &[T], value: &T) -> bool {
    listed.is_empty() || listed.contains(value)
}

impl Activity {
    /// The counterparty: the merchant, the sender of a credit, or the recipient of a payment.
    pub fn counterparty(&self) -> Option<&str> {
        match &self.detail {
            ActivityDetail::Card(chain) => Some(&chain.first.acceptor.name),
            ActivityDetail::Credit(credit) => credit.as_ref().map(|credit| credit.remitters_name.as_str()),
            ActivityDetail::Payment { payment, .. } => payment.input.recipient.name.as_deref(),
            ActivityDetail::Unload(_) | ActivityDetail::Load(_) | ActivityDetail::TopUp { .. } => None,
        }
    }

    /// The reference of a credit, payment or transfer.
    pub fn reference(&self) -> Option<&str> {
        match &self.detail {
            ActivityDetail::Credit(credit) => credit.as_ref().and_then(|credit| credit.reference.as_deref()),
            ActivityDetail::Payment { payment, .. } => payment.input.effective_reference(),
            ActivityDetail::Unload(transfer) | ActivityDetail::Load(transfer) => transfer.reference.as_deref(),
            ActivityDetail::Card(_) | ActivityDetail::TopUp { .. } => None,
        }
    }

    /// Whether a search finds the movement: by its counterparty, its reference or one of its numbers.
    fn is_found_by(&self, search: &ActivitySearch) -> bool {
        let mut texts = self.counterparty().into_iter().chain(self.reference());
        texts.any(|text| search.is_in(text))
            || search.number().is_some_and(|number| self.numbers().any(|own| own == number))
    }
}
