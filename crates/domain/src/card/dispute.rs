//! Disputes: settled purchases and debits that a cardholder contests (contract 5.7).
//!
//! Sources:
//! - Only settled transactions can be disputed, under the rules of the card network.
//!   <https://docs.stripe.com/issuing/purchases/disputes>

use super::{DisputeState, DisputeStatus};
use crate::ids::{AccountId, CardId, DisputeId, TransactionToken};
use crate::money::{Currency, Minor};
use crate::text::Text;
use chrono::{DateTime, Utc};
use std::fmt;

/// The reason for a dispute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DisputeReason {
    /// The cardholder did not make the transaction.
    Fraud,
    /// The transaction was charged twice.
    Duplicate,
    /// The goods or services did not arrive.
    NotReceived,
    /// The goods or services differ from their description.
    NotAsDescribed,
    /// The amount differs from the agreed amount.
    WrongAmount,
}

impl DisputeReason {
    /// All reasons.
    pub const ALL: [Self; 5] =
        [Self::Fraud, Self::Duplicate, Self::NotReceived, Self::NotAsDescribed, Self::WrongAmount];

    /// The name callers see.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Fraud => "FRAUD",
            Self::Duplicate => "DUPLICATE",
            Self::NotReceived => "NOT_RECEIVED",
            Self::NotAsDescribed => "NOT_AS_DESCRIBED",
            Self::WrongAmount => "WRONG_AMOUNT",
        }
    }
}

/// The decision of the network on a dispute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DisputeOutcome {
    /// For the cardholder.
    Won,
    /// For the merchant.
    Lost,
}

impl DisputeOutcome {
    /// All outcomes.
    pub const ALL: [Self; 2] = [Self::Won, Self::Lost];

    /// The name callers see.
    pub const fn as_str(self) -> &'static str {
        self.status().as_str()
    }

    /// The status of a dispute with this outcome.
    const fn status(self) -> DisputeStatus {
        match self {
            Self::Won => DisputeStatus::Won,
            Self::Lost => DisputeStatus::Lost,
        }
    }
}

/// A text that supports a dispute. It never changes. `Debug` does not print it, because it may contain personal data.
#[derive(Clone, PartialEq, Eq)]
pub struct DisputeEvidence {
    /// The text.
    pub text: String,
    /// When it was added.
    pub created_at: DateTime<Utc>,
}

impl fmt::Debug for DisputeEvidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DisputeEvidence").field("created_at", &self.created_at).finish_non_exhaustive()
    }
}

/// A dispute of a settled purchase or debit, or of a part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dispute {
    /// Its id.
    pub id: DisputeId,
    /// The account.
    pub account: AccountId,
    /// The card.
    pub card: CardId,
    /// The disputed message.
    pub transaction: TransactionToken,
    /// The chain of the disputed message.
    pub chain: TransactionToken,
    /// The card's currency.
    pub currency: Currency,
    /// The disputed amount, above zero.
    pub amount: Minor,
    /// The reason for the dispute.
    pub reason: DisputeReason,
    /// Its state.
    pub state: DisputeState,
    /// The message that credited the amount provisionally, if there is one.
    pub credit: Option<TransactionToken>,
    /// The evidence, oldest first.
    pub evidence: Vec<DisputeEvidence>,
    /// When it was opened.
    pub created_at: DateTime<Utc>,
    /// When it changed last.
    pub updated_at: DateTime<Utc>,
}

impl Dispute {
    /// Maximum number of texts of evidence.
    pub const MAX_EVIDENCE: usize = 20;

    /// The amount that it has credited to the budget.
    pub const fn credited(&self) -> Minor {
        self.state.status().credited(self.amount, self.credit.is_some())
    }
}

/// A text of evidence as a caller sends it.
pub type EvidenceText = Text<1, 2000>;

/// The dispute that a message belongs to, as recorded with the message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DisputeLink {
    /// The dispute.
    pub dispute: DisputeId,
    /// The disputed message.
    pub transaction: TransactionToken,
}

/// An action on a dispute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DisputeAction {
    /// A text of evidence is added.
    Evidence(EvidenceText),
    /// The amount is credited until the network decides.
    Credit,
    /// The network decides.
    Resolve(DisputeOutcome),
}

/// A filter of disputes. It matches the disputes that meet every condition. `None` and an empty list match all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DisputeFilter {
    /// The card to match.
    pub card: Option<CardId>,
    /// The statuses to match.
    pub statuses: Vec<DisputeStatus>,
    /// The disputed message to match, or the first message of its chain.
    pub transaction: Option<TransactionToken>,
}

impl DisputeFilter {
    /// Whether a dispute matches.
    pub fn matches(&self, dispute: &Dispute) -> bool {
        self.card.is_none_or(|card| card == dispute.card)
            && (self.statuses.is_empty() || self.statuses.contains(&dispute.state.status()))
            && self.transaction.is_none_or(|token| token == dispute.transaction || token == dispute.chain)
    }
}
