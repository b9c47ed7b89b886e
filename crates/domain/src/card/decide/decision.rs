//! Decisions on card messages, and refusals of them.

use crate::card::{
    CardLimit, CardTransaction, Chain, DecisionQuestion, DeclineExplanation, MessageKind, MultiClearing,
    TransactionState,
};
use crate::fault::Flaw;
use crate::ledger::{AmountOutOfRange, Balances, JournalTransaction};
use crate::money::Money;

/// The decision on a message. An adapter stores it atomically. A decline is a decision, too; it changes no balance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CardDecision {
    /// The record of the message.
    pub transaction: CardTransaction,
    /// The chain after the message: new for an approved first message, changed by a follow-up, `None` on a decline.
    pub chain: Option<Chain>,
    /// The new state of the chain's first message, if the chain has ended.
    pub first_state: Option<TransactionState>,
    /// The journal transaction, if money moved.
    pub journal: Option<JournalTransaction>,
    /// The budget's balances in the card's currency after the message.
    pub balances: Balances,
    /// The spending limits that changed.
    pub limits: Vec<CardLimit>,
    /// The explanation of the decline. `None` if the message was approved.
    pub declined: Option<DeclineExplanation>,
}

impl CardDecision {
    /// Sets the place of the message among several clearings.
    #[must_use]
    pub const fn placed(mut self, place: MultiClearing) -> Self {
        self.transaction.details.multi_clearing = place;
        self
    }
}

/// Reasons to refuse a message. Nothing changes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CardRefusal {
    /// The amount does not fit the card's currency, or the merchant's.
    #[error("{}", .0.message)]
    Amount(Flaw),
    /// The acquirer's fee does not fit the currency of the message.
    #[error("{}", .0.message)]
    Fee(Flaw),
    /// The cash back does not fit the currency of the message, or exceeds the amount.
    #[error("{}", .0.message)]
    CashBack(Flaw),
    /// No rate exists from the merchant's currency to the card's.
    #[error("{}", .0.message)]
    Currency(Flaw),
    /// This message can't follow the message that the token names.
    #[error("cannot follow a message of type {} in state {}", found.as_str(), state.as_str())]
    WrongKind {
        /// The kind of the message that the token names.
        found: MessageKind,
        /// Its state.
        state: TransactionState,
    },
    /// The chain was cleared, or a partial clearing excludes this message.
    #[error("cannot follow a cleared transaction")]
    AlreadyCleared,
    /// The chain was reversed.
    #[error("cannot follow a reversed transaction")]
    AlreadyReversed,
    /// The hold has expired.
    #[error("cannot follow a transaction whose hold has expired")]
    Expired,
    /// The reversal exceeds the hold.
    #[error("must be at most the amount held, {held} {}", held.currency)]
    ExceedsHold {
        /// The amount held.
        held: Money,
    },
    /// The refund clearing exceeds the authorised amount.
    #[error("must be at most the amount authorised, {authorised} {}", authorised.currency)]
    ExceedsAuthorization {
        /// The amount authorised.
        authorised: Money,
    },
    /// The clearing exceeds the hold by more than the account's settings allow.
    #[error("must be at most {max} {}, the network's maximum for this merchant", max.currency)]
    ExceedsMargin {
        /// The maximum amount of this clearing.
        max: Money,
    },
    /// The return exceeds the amount that can still be returned.
    #[error("must be at most the amount that is left, {rest} {}", rest.currency)]
    ExceedsRemainder {
        /// The amount that can still be returned.
        rest: Money,
    },
    /// The decision endpoint of the account must be asked first.
    #[error("the decision endpoint was not asked yet")]
    EndpointNotAsked(Box<DecisionQuestion>),
    /// The world was restored or replaced while the decision endpoint was asked.
    #[error("the world was restored during the request")]
    WorldRestored,
    /// A balance would leave its range.
    #[error(transparent)]
    AmountOutOfRange(#[from] AmountOutOfRange),
}
