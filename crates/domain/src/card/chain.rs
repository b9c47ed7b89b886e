//! Chains: first messages and their follow-ups.

use super::{CountedAmount, MerchantAmounts};
use crate::ids::{AccountId, BudgetId, CardId, TransactionToken};
use crate::money::{Currency, Minor};
use chrono::{DateTime, Utc};

/// The kind of a chain. It determines which follow-ups are possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChainKind {
    /// A purchase, an account check, or a clearing without an authorization.
    Purchase,
    /// An ATM withdrawal.
    Atm,
    /// A refund, with or without an authorization.
    Refund,
    /// A debit in a single message.
    Debit,
    /// A balance inquiry. It has no follow-ups.
    Inquiry,
    /// A fee that the network charges or pays back. It has no follow-ups.
    Fee,
    /// The provisional credit or chargeback of a dispute.
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

/// How a chain ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChainEnd {
    /// A clearing, or a message that ends its chain immediately, such as an account check or a debit.
    Cleared,
    /// A reversal that leaves no hold, a refund reversal, or the return of the whole cleared amount.
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
    /// The chain accepts follow-ups.
    Open {
        /// The amount held. Zero unless the chain is a purchase or an ATM withdrawal.
        held: Minor,
    },
    /// The chain has ended and holds nothing.
    Ended(ChainEnd),
}

impl ChainState {
    /// Returns the state of a chain with this hold and end. `None` for an ended chain that still holds money.
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
    /// The budget that the card spends from.
    pub budget: BudgetId,
    /// The card's currency. All amounts are in it, except `forced` and `merchant`.
    pub currency: Currency,
    /// Its kind.
    pub kind: ChainKind,
    /// The approved amount of its first message, without the acquirer's fee.
    pub authorised: Minor,
    /// Whether the chain is open, and how much it holds.
    pub state: ChainState,
    /// The amount cleared so far, less returns.
    pub cleared: Minor,
    /// The part of the cleared amount that comes from forced clearings, not from the hold, in the currency of the first
    /// message.
    pub forced: Minor,
    /// The part of the cleared amount that open and won disputes claim. The merchant can't also return it.
    pub disputed: Minor,
    /// When its first message was recorded.
    pub created_at: DateTime<Utc>,
    /// When its hold expires, decided when the hold opens. `None` if the chain cannot hold money or has ended.
    pub expires_at: Option<DateTime<Utc>>,
    /// The held and cleared amounts in the merchant's currency. `None` if that is the card's currency.
    pub merchant: Option<MerchantAmounts>,
    /// The amounts that limits of the card counted for the chain, oldest window first.
    pub counted: Vec<CountedAmount>,
}

impl Chain {
    /// The amount held: zero after the end of the chain.
    pub const fn held(&self) -> Minor {
        match self.state {
            ChainState::Open { held } => held,
            ChainState::Ended(_) => Minor::ZERO,
        }
    }

    /// Returns how the chain ended. `None` while it is open.
    pub const fn end(&self) -> Option<ChainEnd> {
        match self.state {
            ChainState::Open { .. } => None,
            ChainState::Ended(end) => Some(end),
        }
    }

    /// Returns the time at which its hold is due to expire. `None` if nothing is held.
    pub fn due_at(&self) -> Option<DateTime<Utc>> {
        self.expires_at.filter(|_| !self.held().is_zero())
    }
}
