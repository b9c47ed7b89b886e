//! Cards and their states.

use crate::ids::{AccountId, BudgetId, CardId, UserToken};
use crate::money::Currency;
use chrono::{DateTime, NaiveDate, Utc};

/// The state of a card.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CardState {
    /// Created, not in use yet.
    Unactivated,
    /// In use.
    Active,
    /// Paused.
    Suspended,
    /// Replaced by another card.
    Replaced,
    /// Ended permanently.
    Terminated,
}

impl CardState {
    /// All states.
    pub const ALL: [Self; 5] = [Self::Unactivated, Self::Active, Self::Suspended, Self::Replaced, Self::Terminated];

    /// The name callers see.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Unactivated => "UNACTIVATED",
            Self::Active => "ACTIVE",
            Self::Suspended => "SUSPENDED",
            Self::Replaced => "REPLACED",
            Self::Terminated => "TERMINATED",
        }
    }

    /// Whether no state may follow this one.
    pub const fn is_final(self) -> bool {
        self.next_states().is_empty()
    }

    /// The states that may follow this one; a final state has none.
    pub const fn next_states(self) -> &'static [Self] {
        match self {
            Self::Unactivated => &[Self::Active, Self::Terminated],
            Self::Active => &[Self::Suspended, Self::Replaced, Self::Terminated],
            Self::Suspended => &[Self::Active, Self::Replaced, Self::Terminated],
            Self::Replaced | Self::Terminated => &[],
        }
    }
}

/// A card of an account. It spends from one budget.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Card {
    /// Its id, which is also its `cardToken`.
    pub id: CardId,
    /// The account.
    pub account: AccountId,
    /// The budget that pays.
    pub budget: BudgetId,
    /// The currency in which its budget is charged. It is always one of the budget's currencies.
    pub currency: Currency,
    /// Its state.
    pub state: CardState,
    /// Its `userToken`. Every created card gets its own, even if one person owns several; two demo cards share one.
    pub user_token: UserToken,
    /// The last day on which it is valid (UTC).
    pub expires_on: NaiveDate,
}

impl Card {
    /// Whether its expiry date has passed.
    pub fn is_expired(&self, now: DateTime<Utc>) -> bool {
        now.date_naive() > self.expires_on
    }
}
