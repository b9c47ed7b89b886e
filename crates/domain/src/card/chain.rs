//! Chains: first messages and their follow-ups.

use super::{CountedAmount, MerchantSide};
use crate::ids::{AccountId, BudgetId, CardId, TransactionToken};
use crate::money::{Currency, Minor};
use chrono::{DateTime, Utc};

/// The kind of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChainKind {
    /// A purchase.
    Purchase,
    /// An ATM withdrawal.
    Atm,
    /// A refund.
    Refund,
    /// A debit in a single message.
    Debit,
    /// A question about the balance, which nothing follows.
    Inquiry,
    /// A fee of the network, which nothing follows.
    Fee,
    /// The money of a dispute.
    Dispute,
}

impl ChainKind {
    /// All kinds.
    pub const ALL: [Self; 7] =
        [Self::Purchase, Self::Atm, Self::Refund, Self::Debit, Self::Inquiry, Self::Fee, Self::Dispute];

    /// Whether a chain of this kind can hold money.
    pub const fn can_hold(self) -> bool {
        matches!(self, Self::Purchase | Self::Atm)
    }

    /// The name as stored.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Purchase => "purchase",
            Self::Atm => "atm",
            Self::Refund => "refund",
            Self::Debit => "debit",
            Self::Inquiry => "inquiry",
            Self::Fee => "fee",
            Self::Dispute => "dispute",
        }
    }
}

/// What ended a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChainEnd {
    /// A clearing, or a message that ends its chain immediately, such as an account check or a debit.
    Cleared,
    /// A reversal of the whole hold, or of all that was cleared.
    Reversed,
    /// The expiry of its hold.
    Expired,
}

impl ChainEnd {
    /// All ends.
    pub const ALL: [Self; 3] = [Self::Cleared, Self::Reversed, Self::Expired];

    /// The name as stored.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Cleared => "cleared",
            Self::Reversed => "reversed",
            Self::Expired => "expired",
        }
    }
}

/// The state of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChainState {
    /// It accepts follow-ups.
    Open {
        /// The amount held. Zero unless it is a purchase or an ATM withdrawal.
        held: Minor,
    },
    /// It ended, and holds nothing.
    Ended(ChainEnd),
}

impl ChainState {
    /// The state with this hold and this end. `None` if an ended chain still holds money.
    pub const fn from_parts(held: Minor, end: Option<ChainEnd>) -> Option<Self> {
        match end {
            None => Some(Self::Open { held }),
            Some(end) if held.is_zero() => Some(Self::Ended(end)),
            Some(_) => None,
        }
    }
}

/// A chain: an approved first message, its follow-ups, and its hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain {
    /// The token of its first message.
    pub id: TransactionToken,
    /// The account.
    pub account: AccountId,
    /// The card.
    pub card: CardId,
    /// The budget that pays.
    pub budget: BudgetId,
    /// The currency of all its amounts.
    pub currency: Currency,
    /// Its kind.
    pub kind: ChainKind,
    /// The amount of its first message.
    pub authorised: Minor,
    /// Whether it is open, and what it holds.
    pub state: ChainState,
    /// The amount cleared so far.
    pub cleared: Minor,
    /// The part of it that took nothing from the hold, because its clearing was forced; in the merchant's currency.
    pub forced: Minor,
    /// The part of it that open and won disputes claim. It can't be returned as well.
    pub disputed: Minor,
    /// When its first message was recorded.
    pub created_at: DateTime<Utc>,
    /// When its hold expires, which is decided when the hold opens. `None` if it cannot hold money, or has ended.
    pub expires_at: Option<DateTime<Utc>>,
    /// Its amounts in the merchant's currency. `None` if that is the card's currency.
    pub merchant: Option<MerchantSide>,
    /// What the limits of the card counted of it, oldest window first.
    pub counted: Vec<CountedAmount>,
}

impl Chain {
    /// The amount held; zero after its end.
    pub const fn held(&self) -> Minor {
        match self.state {
            ChainState::Open { held } => held,
            ChainState::Ended(_) => Minor::ZERO,
        }
    }

    /// What ended it; `None` while it is open.
    pub const fn end(&self) -> Option<ChainEnd> {
        match self.state {
            ChainState::Open { .. } => None,
            ChainState::Ended(end) => Some(end),
        }
    }

    /// When its hold is due to expire. `None` if nothing is held.
    pub fn due_at(&self) -> Option<DateTime<Utc>> {
        self.expires_at.filter(|_| !self.held().is_zero())
    }
}
