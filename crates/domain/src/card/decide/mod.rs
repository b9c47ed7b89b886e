//! The card-message rules: from (state, message) to what is to be stored.

mod booking;
mod expiry;
#[cfg(test)]
mod extension_tests;
mod first;
mod follow_up;
#[cfg(test)]
mod properties;
mod rules;
mod step;
#[cfg(test)]
mod testing;

pub use expiry::decide_expiry;
pub use first::{Extras, FirstMessage, FirstSituation, decide_first};
pub use follow_up::{ChainSituation, FollowUp, decide_follow_up};

use super::{CardTransaction, Chain, Explanation, MessageKind, SpendingLimit, TransactionState};
use crate::fault::Flaw;
use crate::ids::{JournalId, TransactionToken};
use crate::ledger::{AmountOverflow, Balances, JournalTransaction, Unbalanced};
use crate::money::Money;
use chrono::{DateTime, Utc};

/// Ids and time, handed in so that decisions are pure.
#[derive(Clone, Copy, Debug)]
pub struct MessageStamp {
    /// The token of the message.
    pub token: TransactionToken,
    /// The id of its journal transaction, if money moves.
    pub journal: JournalId,
    /// Now.
    pub now: DateTime<Utc>,
}

/// What is to be stored, whole or not at all. A decline is one, too: it changes no balance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CardDecision {
    /// The record of the message.
    pub transaction: CardTransaction,
    /// The chain as it is now: new with an approved first message, changed by a follow-up, `None` on a decline.
    pub chain: Option<Chain>,
    /// The new state of the chain's first message, where this message ended the chain.
    pub first_state: Option<TransactionState>,
    /// The journal transaction, where money moved.
    pub journal: Option<JournalTransaction>,
    /// The budget's balances in the card's currency afterwards.
    pub balances: Balances,
    /// The spending limits that changed.
    pub limits: Vec<SpendingLimit>,
    /// Why it was declined; `None` where it was not.
    pub declined: Option<Explanation>,
}

/// Why a message is refused. Nothing changes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CardRefusal {
    /// The amount does not fit the card's currency, or the merchant's.
    #[error("the amount does not fit the card's currency")]
    Amount(Flaw),
    /// The acquirer's fee does not fit the currency of the message.
    #[error("the acquirer's fee does not fit the currency")]
    Fee(Flaw),
    /// There is no rate from the merchant's currency to the card's.
    #[error("there is no rate from the merchant's currency to the card's")]
    Currency(Flaw),
    /// The token is of a message that this one can't follow.
    #[error("a {} message ({}) can't be followed by this one", found.as_str(), state.as_str())]
    WrongKind {
        /// What the token names.
        found: MessageKind,
        /// Its state.
        state: TransactionState,
    },
    /// A clearing has ended the chain, or stands in the way.
    #[error("the transaction is already cleared")]
    AlreadyCleared,
    /// A reversal has ended the chain.
    #[error("the transaction is already reversed")]
    AlreadyReversed,
    /// The hold has expired.
    #[error("the hold of the transaction has expired")]
    Expired,
    /// A reversal of more than is held.
    #[error("the amount exceeds the hold of {held}")]
    ExceedsHold {
        /// What is held.
        held: Money,
    },
    /// A refund clearing of more than was authorised.
    #[error("the amount exceeds the authorised {authorised}")]
    ExceedsAuthorization {
        /// What was authorised.
        authorised: Money,
    },
    /// A balance would leave 64 bits.
    #[error(transparent)]
    AmountOverflow(#[from] AmountOverflow),
    /// A rule made postings that do not balance: a bug.
    #[error(transparent)]
    Unbalanced(#[from] Unbalanced),
}
