//! Cards with the data that their message rules do not need.

use super::{Card, CardState};
use crate::ids::{BudgetId, UserToken};
use chrono::{DateTime, Utc};

/// The owner of a card.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CardOwner {
    /// The budget: the card's `userToken` was created with the card and names no person.
    Budget,
    /// A person, named by the card's `userToken`.
    Person,
}

impl CardOwner {
    /// All kinds of owner.
    pub const ALL: [Self; 2] = [Self::Budget, Self::Person];

    /// The name callers see.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Budget => "BUDGET",
            Self::Person => "PERSON",
        }
    }
}

/// A card with all its data except limits and messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CardRecord {
    /// The card as the message rules see it.
    pub card: Card,
    /// Its owner.
    pub owner: CardOwner,
    /// The client's name for it.
    pub name: Option<String>,
    /// When it was created. `None` for a seeded card.
    pub created_at: Option<DateTime<Utc>>,
}

impl CardRecord {
    /// A seeded card, owned by a person and without a name.
    pub const fn seeded(card: Card) -> Self {
        Self { card, owner: CardOwner::Person, name: None, created_at: None }
    }

    /// The last four digits of the card number, derived from the id because there is no number.
    pub fn last_four(&self) -> String {
        format!("{:04}", self.card.id.0.as_u128() % 10_000)
    }
}

/// A filter of cards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CardFilter {
    /// The budget to match.
    pub budget: Option<BudgetId>,
    /// The state to match.
    pub state: Option<CardState>,
    /// The holder to match.
    pub user: Option<UserToken>,
}
