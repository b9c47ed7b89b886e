//! Balanced journal transactions.

use crate::ids::{AccountId, BudgetId, JournalId};
use crate::money::{Currency, Minor};
use chrono::{DateTime, Utc};
use std::fmt;
use uuid::Uuid;

/// A pool: where money is. The first three pools belong to a budget; their sum is its ledger balance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Pool {
    /// The money of a budget that can be spent.
    Available(BudgetId),
    /// The money of a budget that open card holds claim.
    Held(BudgetId),
    /// The money of a budget reserved for confirmed payment batches.
    Reserved(BudgetId),
    /// The card networks, which receive cleared purchases and send refunds.
    CardNetwork,
    /// The banks that send credits.
    InboundPayments,
    /// The banks that receive payments of batches.
    OutboundPayments,
    /// Florin's income: the fees of payments.
    Fees,
    /// The banks of payers, which pay merchants and receive refunds.
    PayerBanks,
    /// The settlement account or payee with this id, into which a merchant's payments are settled.
    MerchantSettled(Uuid),
}

impl Pool {
    /// All pools that have no owner.
    const WITHOUT_OWNER: [Self; 5] =
        [Self::CardNetwork, Self::InboundPayments, Self::OutboundPayments, Self::Fees, Self::PayerBanks];

    /// The stored name of the kind of pool.
    pub const fn kind(self) -> &'static str {
        match self {
            Self::Available(_) => "available",
            Self::Held(_) => "held",
            Self::Reserved(_) => "reserved",
            Self::CardNetwork => "card_network",
            Self::InboundPayments => "inbound_payments",
            Self::OutboundPayments => "outbound_payments",
            Self::Fees => "fees",
            Self::PayerBanks => "payer_banks",
            Self::MerchantSettled(_) => "merchant_settled",
        }
    }

    /// Returns the pool of this kind that belongs to a budget, to a settlement account or payee (`settled_to`), or to
    /// nobody. `None` if no such pool exists.
    pub fn named(kind: &str, budget: Option<BudgetId>, settled_to: Option<Uuid>) -> Option<Self> {
        let is_named = |pool: &Self| pool.kind() == kind;
        match (budget, settled_to) {
            (Some(budget), None) => {
                [Self::Available, Self::Held, Self::Reserved].into_iter().map(|pool| pool(budget)).find(is_named)
            }
            (None, Some(settled_to)) => Some(Self::MerchantSettled(settled_to)).filter(is_named),
            (None, None) => Self::WITHOUT_OWNER.into_iter().find(is_named),
            (Some(_), Some(_)) => None,
        }
    }

    /// The settlement account or payee that owns it, if any.
    pub const fn settled_to(self) -> Option<Uuid> {
        match self {
            Self::MerchantSettled(id) => Some(id),
            _ => None,
        }
    }

    /// The budget that owns it, if any.
    pub const fn budget(self) -> Option<BudgetId> {
        match self {
            Self::Available(budget) | Self::Held(budget) | Self::Reserved(budget) => Some(budget),
            Self::CardNetwork
            | Self::InboundPayments
            | Self::OutboundPayments
            | Self::Fees
            | Self::PayerBanks
            | Self::MerchantSettled(_) => None,
        }
    }
}

/// One line of a journal transaction: the amount that a pool gains, or loses if it is negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Posting {
    /// The pool.
    pub pool: Pool,
    /// The amount, never zero in a journal transaction.
    pub amount: Minor,
}

/// The kind of a journal transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JournalKind {
    /// An inbound credit to a budget.
    Credit,
    /// A card message.
    Card,
    /// The reservation of a confirmed payment batch.
    BatchReservation,
    /// The payout of a whole payment batch. Never written; old stores can contain it.
    BatchPayout,
    /// The release of a reservation after a cancellation of its payment batch.
    BatchRelease,
    /// A payment of a batch was paid.
    Payment,
    /// A payment of a batch failed, and its reservation is released.
    PaymentRelease,
    /// A payment of a batch was paid and then returned.
    PaymentReturn,
    /// A transfer between two budgets of the account.
    Transfer,
    /// A payer paid a merchant.
    MerchantPayment,
    /// A merchant refunded a payer.
    MerchantRefund,
    /// A payer paid into a budget.
    TopUp,
}

impl JournalKind {
    /// Whether a transaction of this kind is a row of activity itself. Transactions of other kinds belong to the row of
    /// their cause, such as a payment.
    pub const fn is_activity(self) -> bool {
        matches!(self, Self::Credit | Self::TopUp)
    }

    /// All kinds.
    pub const ALL: [Self; 12] = [
        Self::Credit,
        Self::Card,
        Self::BatchReservation,
        Self::BatchPayout,
        Self::BatchRelease,
        Self::Payment,
        Self::PaymentRelease,
        Self::PaymentReturn,
        Self::Transfer,
        Self::MerchantPayment,
        Self::MerchantRefund,
        Self::TopUp,
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
            Self::MerchantPayment => "merchant_payment",
            Self::MerchantRefund => "merchant_refund",
            Self::TopUp => "top_up",
        }
    }
}

/// One movement of money: postings in one currency that add up to zero. It is never changed or deleted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalTransaction {
    /// Its id.
    pub id: JournalId,
    /// The account that it belongs to.
    pub account: AccountId,
    /// The kind of movement.
    pub kind: JournalKind,
    /// The id of its cause: a card message, credit, batch, payment, transfer, or payment of a checkout session.
    pub cause: Uuid,
    /// The currency of all its postings.
    pub currency: Currency,
    /// When it was booked.
    pub at: DateTime<Utc>,
    postings: Vec<Posting>,
}

/// Postings that do not add up to zero: a bug of the rule that produced them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the postings of a journal transaction do not add up to zero")]
pub struct Unbalanced;

/// A journal transaction without its postings.
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
    /// Creates a transaction of these postings, except those of zero.
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

impl fmt::Display for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.budget() {
            Some(budget) => write!(f, "{}:{budget}", self.kind()),
            None => f.write_str(self.kind()),
        }
    }
}
