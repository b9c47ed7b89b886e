//! Balanced journal transactions.

use crate::ids::{AccountId, BudgetId, JournalId};
use crate::money::{Currency, Minor};
use chrono::{DateTime, Utc};
use std::fmt;
use uuid::Uuid;

/// An account of the ledger. The first three belong to a budget: its ledger balance is their sum, its available balance the
/// first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LedgerAccount {
    /// Money of a budget that can be spent.
    Available(BudgetId),
    /// Money of a budget behind open card holds.
    Held(BudgetId),
    /// Money of a budget reserved for confirmed payment batches.
    Reserved(BudgetId),
    /// The card networks, to whom cleared purchases go and from whom refunds come.
    CardNetwork,
    /// The banks that credits come from.
    InboundPayments,
    /// The banks that payments of batches go to.
    OutboundPayments,
    /// Florin's income: the fees of payments.
    Fees,
}

impl LedgerAccount {
    /// The name of the kind of account, as stored.
    pub const fn kind(self) -> &'static str {
        match self {
            Self::Available(_) => "available",
            Self::Held(_) => "held",
            Self::Reserved(_) => "reserved",
            Self::CardNetwork => "card_network",
            Self::InboundPayments => "inbound_payments",
            Self::OutboundPayments => "outbound_payments",
            Self::Fees => "fees",
        }
    }

    /// The account of that kind, of a budget where it belongs to one; `None`: there is no such account.
    pub fn named(kind: &str, budget: Option<BudgetId>) -> Option<Self> {
        let of_budget = [Self::Available, Self::Held, Self::Reserved];
        let others = [Self::CardNetwork, Self::InboundPayments, Self::OutboundPayments, Self::Fees];
        match budget {
            Some(budget) => of_budget.into_iter().map(|account| account(budget)).find(|account| account.kind() == kind),
            None => others.into_iter().find(|account| account.kind() == kind),
        }
    }

    /// The budget it belongs to, where it belongs to one.
    pub const fn budget(self) -> Option<BudgetId> {
        match self {
            Self::Available(budget) | Self::Held(budget) | Self::Reserved(budget) => Some(budget),
            Self::CardNetwork | Self::InboundPayments | Self::OutboundPayments | Self::Fees => None,
        }
    }
}

/// One line of a journal transaction: what an account gains (or, negative, loses).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Posting {
    /// The account.
    pub account: LedgerAccount,
    /// Its gain, never zero.
    pub amount: Minor,
}

/// The kind of movement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JournalKind {
    /// An inbound credit to a budget.
    Credit,
    /// A card message.
    Card,
    /// The reservation of a confirmed payment batch.
    BatchReservation,
    /// The payout of a whole payment batch: of the demo data only, whose finished batches have no payments.
    BatchPayout,
    /// The release of a reservation, because its payment batch was cancelled.
    BatchRelease,
    /// A payment of a batch was paid.
    Payment,
    /// A payment of a batch failed: what was reserved for it can be spent again.
    PaymentRelease,
    /// A payment of a batch was paid and came back.
    PaymentReturn,
    /// A transfer between two budgets of the account.
    Transfer,
}

impl JournalKind {
    /// All kinds.
    pub const ALL: [Self; 9] = [
        Self::Credit,
        Self::Card,
        Self::BatchReservation,
        Self::BatchPayout,
        Self::BatchRelease,
        Self::Payment,
        Self::PaymentRelease,
        Self::PaymentReturn,
        Self::Transfer,
    ];

    /// The name as stored.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Credit => "credit",
            Self::Card => "card",
            Self::BatchReservation => "batch_reservation",
            Self::BatchPayout => "batch_payout",
            Self::BatchRelease => "batch_release",
            Self::Payment => "payment",
            Self::PaymentRelease => "payment_release",
            Self::PaymentReturn => "payment_return",
            Self::Transfer => "transfer",
        }
    }
}

/// One change of money: postings in one currency that add up to zero. Never changed, never deleted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalTransaction {
    /// Its id.
    pub id: JournalId,
    /// The account whose money moved.
    pub account: AccountId,
    /// Why.
    pub kind: JournalKind,
    /// The id of the card message, credit, batch, payment or transfer behind it.
    pub cause: Uuid,
    /// The currency of all its postings.
    pub currency: Currency,
    /// When.
    pub at: DateTime<Utc>,
    postings: Vec<Posting>,
}

/// Postings that do not add up to zero: a bug of the rule that produced them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the postings of a journal transaction do not add up to zero")]
pub struct Unbalanced;

/// The head of a journal transaction.
#[derive(Clone, Debug)]
pub(crate) struct Heading {
    pub(crate) id: JournalId,
    pub(crate) account: AccountId,
    pub(crate) kind: JournalKind,
    pub(crate) cause: Uuid,
    pub(crate) currency: Currency,
    pub(crate) at: DateTime<Utc>,
}

impl JournalTransaction {
    /// A transaction of these postings; those of zero are left out.
    pub fn new(
        id: JournalId,
        account: AccountId,
        (kind, cause): (JournalKind, Uuid),
        currency: Currency,
        at: DateTime<Utc>,
        postings: impl IntoIterator<Item = Posting>,
    ) -> Result<Self, Unbalanced> {
        Self::under(Heading { id, account, kind, cause, currency, at }, postings)
    }

    pub(crate) fn under(heading: Heading, postings: impl IntoIterator<Item = Posting>) -> Result<Self, Unbalanced> {
        let postings: Vec<_> = postings.into_iter().filter(|posting| !posting.amount.is_zero()).collect();
        let sum: i128 = postings.iter().map(|posting| i128::from(posting.amount.0)).sum();
        if sum != 0 {
            return Err(Unbalanced);
        }
        let Heading { id, account, kind, cause, currency, at } = heading;
        Ok(Self { id, account, kind, cause, currency, at, postings })
    }

    /// Its postings, which add up to zero.
    pub fn postings(&self) -> &[Posting] {
        &self.postings
    }
}

impl fmt::Display for LedgerAccount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.budget() {
            Some(budget) => write!(f, "{}:{budget}", self.kind()),
            None => f.write_str(self.kind()),
        }
    }
}
