//! Cards and the messages that card networks send about them (contract 5.1, 5.3 to 5.5).
//!
//! [`decide`] is the heart: pure functions from (state, message) to (record, chain, postings, balances).

mod acceptor;
mod chain;
mod conversion;
pub mod decide;
mod explanation;
mod network;
mod response;
mod spending;
mod story;
mod transaction;

pub use acceptor::{Acceptor, AcceptorInput};
pub use chain::{Chain, ChainEnd, ChainKind};
pub use conversion::{Conversion, MerchantSide};
pub use explanation::{Explanation, LimitSeen, Rule};
pub use network::Network;
pub use response::Response;
pub use spending::{SpendingLimit, SpendingWindow};
pub use story::{ChainStory, HoldStep, ToldMessage};
pub use transaction::{CardTransaction, MessageKind, TransactionState};

use crate::ids::{AccountId, BudgetId, CardId, UserToken};
use crate::money::Currency;
use chrono::{DateTime, NaiveDate, Utc};

/// Where a card stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CardState {
    /// Made, not in use yet.
    Unactivated,
    /// In use.
    Active,
    /// Paused.
    Suspended,
    /// Another card took its place.
    Replaced,
    /// Ended.
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
}

/// A card of one account, paid from one budget.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Card {
    /// Its id, which is also its `cardToken`.
    pub id: CardId,
    /// The account.
    pub account: AccountId,
    /// The budget that pays.
    pub budget: BudgetId,
    /// The currency of its messages; its budget always holds it.
    pub currency: Currency,
    /// Where it stands.
    pub state: CardState,
    /// Its holder.
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
