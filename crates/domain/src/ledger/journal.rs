//! Journal transactions: legs that move money between pools.

use super::AmountOutOfRange;
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
    pub fn from_columns(kind: &str, budget: Option<BudgetId>, settled_to: Option<Uuid>) -> Option<Self> {
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

/// One line of a journal transaction: it moves an amount above zero from one pool to another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leg {
    from: Pool,
    to: Pool,
    amount: Minor,
}

impl Leg {
    /// Creates the leg that moves an amount from one pool to another one. A negative amount is moved the other way
    /// round. `None` if nothing moves: the amount is zero, or both pools are the same.
    pub fn new(from: Pool, to: Pool, amount: Minor) -> Result<Option<Self>, AmountOutOfRange> {
        if amount.is_zero() || from == to {
            return Ok(None);
        }
        Ok(Some(if amount.is_negative() {
            Self { from: to, to: from, amount: amount.negated().ok_or(AmountOutOfRange::Overflow)? }
        } else {
            Self { from, to, amount }
        }))
    }

    /// The pool that loses the amount.
    pub const fn from(&self) -> Pool {
        self.from
    }

    /// The pool that gains the amount.
    pub const fn to(&self) -> Pool {
        self.to
    }

    /// The amount, above zero.
    pub const fn amount(&self) -> Minor {
        self.amount
    }

    /// The loss of the first pool and the gain of the second.
    pub fn postings(&self) -> [Posting; 2] {
        // The negative of an amount above zero fits.
        [
            Posting { pool: self.from, amount: Minor(self.amount.0.wrapping_neg()) },
            Posting { pool: self.to, amount: self.amount },
        ]
    }
}

/// The amount that a journal transaction adds to one pool, or takes from it if negative.
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

/// A movement of money: legs in one currency, each from one pool to another. It is never changed or deleted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalTransaction {
    /// Its id.
    pub id: JournalId,
    /// The account that it belongs to.
    pub account: AccountId,
    /// The kind of movement.
    pub kind: JournalKind,
    /// The id of its cause: a card message, credit, batch, payment, transfer, or payment or refund of a checkout
    /// session.
    pub cause: Uuid,
    /// The currency of all its legs.
    pub currency: Currency,
    /// When it was booked.
    pub at: DateTime<Utc>,
    /// The number of a top-up, a payment or a returned payment within its account. `None` for other kinds:
    /// credits and transfers have their numbers in their own records.
    pub number: Option<i64>,
    legs: Vec<Leg>,
}

impl JournalTransaction {
    /// Creates a transaction of these legs. Refuses a gain or loss of a pool that does not fit in 64 bits.
    pub fn new(
        id: JournalId,
        account: AccountId,
        (kind, cause): (JournalKind, Uuid),
        currency: Currency,
        at: DateTime<Utc>,
        legs: impl IntoIterator<Item = Leg>,
    ) -> Result<Self, AmountOutOfRange> {
        let legs: Vec<_> = legs.into_iter().collect();
        // One leg always fits.
        if legs.len() > 1 && gains(&legs).any(|(_, gain)| i64::try_from(gain).is_err()) {
            return Err(AmountOutOfRange::Overflow);
        }
        Ok(Self { id, account, kind, cause, currency, at, number: None, legs })
    }

    /// The same transaction, with the number that it took.
    #[must_use]
    pub fn numbered(self, number: i64) -> Self {
        Self { number: Some(number), ..self }
    }

    /// Its legs.
    pub fn legs(&self) -> &[Leg] {
        &self.legs
    }

    /// The net gain or loss of each pool, unless it is zero. The pools are in the order of the legs; for a card
    /// message, in the order available, held, network.
    pub fn postings(&self) -> Vec<Posting> {
        // The constructor checked that all gains fit.
        let gains = gains(&self.legs).filter_map(|(pool, gain)| Some((pool, i64::try_from(gain).ok()?)));
        let mut postings: Vec<_> =
            gains.filter(|(_, gain)| *gain != 0).map(|(pool, gain)| Posting { pool, amount: Minor(gain) }).collect();
        if self.kind == JournalKind::Card {
            postings.sort_by_key(|posting| posting.pool);
        }
        postings
    }
}

/// The net gain of each pool, in the order in which the legs name them.
fn gains(legs: &[Leg]) -> impl Iterator<Item = (Pool, i128)> {
    let mut gains: Vec<(Pool, i128)> = Vec::with_capacity(legs.len() + 1);
    for Posting { pool, amount } in legs.iter().flat_map(Leg::postings) {
        let amount = i128::from(amount.0);
        match gains.iter_mut().find(|(known, _)| *known == pool) {
            Some((_, gain)) => *gain += amount,
            None => gains.push((pool, amount)),
        }
    }
    gains.into_iter()
}

impl fmt::Display for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.budget() {
            Some(budget) => write!(f, "{}:{budget}", self.kind()),
            None => f.write_str(self.kind()),
        }
    }
}

#[cfg(test)]
#[path = "journal_tests.rs"]
mod tests;
