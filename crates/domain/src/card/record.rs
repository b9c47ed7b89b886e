//! Cards with all their data, and filters of cards.

use super::{
    Card, CardLimit, CardNumber, CardOwnerKind, CardPhone, CardSearch, CardState, Controls, GrantedBudget,
    IndividualHolder, PhysicalCard, PinDigest, search_words,
};
use crate::budget::BudgetKind;
use crate::ids::{BudgetId, CardId, PersonId};
use chrono::{DateTime, Utc};
use std::collections::BTreeSet;

/// The stage of a card's production and delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FulfillmentStatus {
    /// The card is issued: the first stage of a virtual card.
    Issued,
    /// A physical card is ordered.
    Ordered,
    /// A physical card is ordered again.
    Reordered,
    /// The order of a physical card was rejected.
    Rejected,
    /// A physical card is on its way.
    Shipped,
    /// The card was shown on a screen.
    DigitallyPresented,
}

impl FulfillmentStatus {
    /// All values.
    pub const ALL: [Self; 6] =
        [Self::Issued, Self::Ordered, Self::Reordered, Self::Rejected, Self::Shipped, Self::DigitallyPresented];

    /// The name callers see.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Issued => "ISSUED",
            Self::Ordered => "ORDERED",
            Self::Reordered => "REORDERED",
            Self::Rejected => "REJECTED",
            Self::Shipped => "SHIPPED",
            Self::DigitallyPresented => "DIGITALLY_PRESENTED",
        }
    }
}

/// A card with all its data except limits and messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CardRecord {
    /// The data that the rules for messages read.
    pub card: Card,
    /// The owner of an individual card, and the budgets that the card names. `None` for a shared card.
    pub person: Option<IndividualHolder>,
    /// Its name.
    pub name: String,
    /// The reason for its current state, if one was given.
    pub state_reason: Option<String>,
    /// The stage of its production and delivery.
    pub fulfillment: FulfillmentStatus,
    /// The phone of a shared card.
    pub phone: CardPhone,
    /// The controls of the card.
    pub controls: Controls,
    /// The digest of its PIN, if it is set.
    pub pin: Option<PinDigest>,
    /// The data that only physical cards have. `None` for a virtual card.
    pub physical: Option<PhysicalCard>,
    /// The card that replaced it.
    pub replaced_by: Option<CardId>,
    /// When it was created. `None` for a seeded card.
    pub created_at: Option<DateTime<Utc>>,
    /// When it last changed. `None` for a seeded card that was never changed.
    pub updated_at: Option<DateTime<Utc>>,
}

impl CardRecord {
    /// The name of a card that was created without one.
    pub const UNNAMED: &'static str = "Card";

    /// Creates a seeded card that belongs to its budget.
    pub fn seeded(card: Card) -> Self {
        Self {
            card,
            person: None,
            name: Self::UNNAMED.to_owned(),
            state_reason: None,
            fulfillment: FulfillmentStatus::Issued,
            phone: CardPhone::default(),
            controls: Controls::default(),
            pin: None,
            physical: None,
            replaced_by: None,
            created_at: None,
            updated_at: None,
        }
    }

    /// Removes the address to which a physical card was sent.
    pub(super) fn forget_recipient(&mut self) {
        if let Some(physical) = &mut self.physical {
            physical.recipient = None;
        }
    }

    /// The kind of its owner.
    pub const fn owner(&self) -> CardOwnerKind {
        if self.person.is_some() { CardOwnerKind::People } else { CardOwnerKind::Budget }
    }

    /// The budgets that it names, in order. A shared card names only the budget that pays.
    pub fn budgets(&self) -> Vec<GrantedBudget> {
        match &self.person {
            Some(personal) => personal.budgets.clone(),
            None => vec![GrantedBudget { budget: self.card.budget, active: true }],
        }
    }

    /// Whether it is a physical card that is still UNACTIVATED.
    pub fn awaits_first_use(&self) -> bool {
        self.physical.is_some() && self.card.state == CardState::Unactivated
    }

    /// The last four digits of the card number.
    pub fn last_four(&self) -> String {
        CardNumber::last_four(self.card.id)
    }

    /// The texts that a search compares with.
    pub fn search_words(&self) -> BTreeSet<String> {
        search_words(&self.name, &self.last_four())
    }
}

/// A budget that a card names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CardBudget {
    /// The budget.
    pub id: BudgetId,
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: BudgetKind,
    /// Whether the card may spend from it.
    pub active: bool,
}

/// A card as callers see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CardProfile {
    /// Its record.
    pub record: CardRecord,
    /// The budgets that it names, in order.
    pub budgets: Vec<CardBudget>,
    /// Its limits, by window.
    pub limits: Vec<CardLimit>,
    /// The state of this card if it is physical, otherwise of the last physical card that was ordered for it, if any.
    pub physical_state: Option<CardState>,
}

/// A filter of cards, with the order of the list. The default matches all cards.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CardFilter {
    /// A budget that the card must name.
    pub budget: Option<BudgetId>,
    /// The states to match. Empty: all.
    pub states: Vec<CardState>,
    /// The ids to match. `None`: all.
    pub ids: Option<Vec<CardId>>,
    /// The kind of owner to match.
    pub owner: Option<CardOwnerKind>,
    /// The people to match: cards that one of them owns.
    pub people: Option<Vec<PersonId>>,
    /// The earliest time of creation. A seeded card has none and does not match.
    pub created_from: Option<DateTime<Utc>>,
    /// The time before which the card must have been created. A seeded card does not match.
    pub created_before: Option<DateTime<Utc>>,
    /// A search in the name and the last four digits.
    pub search: Option<CardSearch>,
    /// Whether the list is in descending order.
    pub descending: bool,
}

impl CardFilter {
    /// Whether a card matches.
    pub fn matches(&self, record: &CardRecord) -> bool {
        let CardRecord { card, person, created_at, .. } = record;
        let found = |search: &CardSearch| record.search_words().iter().any(|word| word.starts_with(search.as_str()));
        let is_of = |people: &Vec<PersonId>| person.as_ref().is_some_and(|own| people.contains(&own.person));
        self.budget.is_none_or(|budget| record.budgets().iter().any(|granted| granted.budget == budget))
            && (self.states.is_empty() || self.states.contains(&card.state))
            && self.ids.as_ref().is_none_or(|ids| ids.contains(&card.id))
            && self.owner.is_none_or(|kind| record.owner() == kind)
            && self.people.as_ref().is_none_or(is_of)
            && self.created_from.is_none_or(|from| created_at.is_some_and(|at| at >= from))
            && self.created_before.is_none_or(|before| created_at.is_some_and(|at| at < before))
            && self.search.as_ref().is_none_or(found)
    }
}
