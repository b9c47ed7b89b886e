//! What is known of a card beside what decides its messages.

use super::{Card, CardState};
use crate::ids::{BudgetId, UserToken};
use chrono::{DateTime, Utc};

/// Whose card it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CardOwner {
    /// The budget's: its `userToken` was minted with it, and is nobody's.
    Budget,
    /// A person's, whom its `userToken` names.
    Person,
}

impl CardOwner {
    /// All kinds.
    pub const ALL: [Self; 2] = [Self::Budget, Self::Person];

    /// The name callers see.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Budget => "BUDGET",
            Self::Person => "PERSON",
        }
    }
}

/// A card with all that is known of it, but for its limits and messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CardRecord {
    /// What decides its messages.
    pub card: Card,
    /// Whose it is.
    pub owner: CardOwner,
    /// What its client calls it.
    pub name: Option<String>,
    /// When it was made; `None` where it was seeded, not made by a client.
    pub created_at: Option<DateTime<Utc>>,
}

impl CardRecord {
    /// A card that was seeded: a person's, without a name.
    pub const fn seeded(card: Card) -> Self {
        Self { card, owner: CardOwner::Person, name: None, created_at: None }
    }

    /// The last four digits of its number. There is no number: they follow from the id, so that they are always the same.
    pub fn last_four(&self) -> String {
        format!("{:04}", self.card.id.0.as_u128() % 10_000)
    }
}

/// Which cards are wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CardFilter {
    /// Only those that this budget pays for.
    pub budget: Option<BudgetId>,
    /// Only those in this state.
    pub state: Option<CardState>,
    /// Only those of this holder.
    pub user: Option<UserToken>,
}
