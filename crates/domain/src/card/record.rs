//! Cards with the data that their message rules do not need.

use super::{
    Card, CardLimit, CardNumber, CardOwner, CardSearch, CardState, Controls, GrantedBudget, PersonalCard, PhysicalCard,
    PinDigest, search_words,
};
use crate::budget::BudgetKind;
use crate::ids::{BudgetId, CardId, PersonId};
use chrono::{DateTime, Utc};
use std::collections::BTreeSet;

/// How far the making of a card is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FulfillmentStatus {
    /// It exists: every virtual card.
    Issued,
    /// A physical card is ordered.
    Ordered,
    /// A physical card is ordered again.
    Reordered,
    /// The order of a physical card was rejected.
    Rejected,
    /// A physical card is on its way.
    Shipped,
    /// It was shown on a screen.
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
    /// The card as the message rules see it.
    pub card: Card,
    /// The person who owns it, with the budgets that it names. `None`: it is shared.
    pub person: Option<PersonalCard>,
    /// Its name.
    pub name: String,
    /// The reason of its last change of state, in the client's words.
    pub state_reason: Option<String>,
    /// How far the making of the card is.
    pub fulfillment: FulfillmentStatus,
    /// The phone number of a shared card.
    pub phone: Option<String>,
    /// The person who has the phone.
    pub phone_person: Option<PersonId>,
    /// Where and how it may be used.
    pub controls: Controls,
    /// The digest of its PIN, if it is set.
    pub pin: Option<PinDigest>,
    /// What it has as a physical card. `None`: it is virtual.
    pub physical: Option<PhysicalCard>,
    /// The card that replaced it.
    pub replaced_by: Option<CardId>,
    /// When it was created. `None` for a seeded card.
    pub created_at: Option<DateTime<Utc>>,
    /// When the client last changed it. `None` for a seeded card.
    pub updated_at: Option<DateTime<Utc>>,
}

impl CardRecord {
    /// The name of a card that was created without one.
    pub const UNNAMED: &'static str = "Card";

    /// A seeded card of its budget.
    pub fn seeded(card: Card) -> Self {
        Self {
            card,
            person: None,
            name: Self::UNNAMED.to_owned(),
            state_reason: None,
            fulfillment: FulfillmentStatus::Issued,
            phone: None,
            phone_person: None,
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
    pub const fn owner(&self) -> CardOwner {
        if self.person.is_some() { CardOwner::People } else { CardOwner::Budget }
    }

    /// The budgets that it names, in order. A shared card names the one that pays.
    pub fn budgets(&self) -> Vec<GrantedBudget> {
        match &self.person {
            Some(personal) => personal.budgets.clone(),
            None => vec![GrantedBudget { budget: self.card.budget, active: true }],
        }
    }

    /// Whether it is physical and not in use yet.
    pub fn awaits_first_use(&self) -> bool {
        self.physical.is_some() && self.card.state == CardState::Unactivated
    }

    /// The last four digits of the card number.
    pub fn last_four(&self) -> String {
        CardNumber::last_four(self.card.id)
    }

    /// The texts under which a search finds it.
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
    /// The state of the physical card: its own, or that of the last one that was ordered for it.
    pub physical_state: Option<CardState>,
}

/// A filter of cards, with the order of the list. The default matches all cards.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CardFilter {
    /// A budget that the card names.
    pub budget: Option<BudgetId>,
    /// The states to match. Empty: all.
    pub states: Vec<CardState>,
    /// The ids to match.
    pub ids: Option<Vec<CardId>>,
    /// The kind of owner to match.
    pub owner: Option<CardOwner>,
    /// The people to match: cards that one of them owns.
    pub people: Option<Vec<PersonId>>,
    /// The earliest time of creation. A seeded card has none and does not match.
    pub created_from: Option<DateTime<Utc>>,
    /// The time before which the card was created.
    pub created_before: Option<DateTime<Utc>>,
    /// A search for the name or the last four digits.
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
