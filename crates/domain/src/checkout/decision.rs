//! What decisions about sessions see, and what they store.

use super::{CheckoutSession, MerchantPayment, SessionStatus};
use crate::budget::Budget;
use crate::event::Event;
use crate::ledger::{AmountOverflow, Balances, JournalTransaction};

/// What an adapter loads under the lock of a session.
#[derive(Clone, Debug)]
pub struct SessionSituation {
    /// The session.
    pub session: CheckoutSession,
    /// Its payment that is not final. There is at most one.
    pub pending: Option<MerchantPayment>,
    /// The budget that it credits, locked. `None` for a session that credits no budget.
    pub budget: Option<BudgetCredit>,
    /// Whether the operator reconciles the merchant's payments.
    pub reconciles: bool,
}

/// A budget that a session can credit.
#[derive(Clone, Debug)]
pub struct BudgetCredit {
    /// The budget.
    pub budget: Budget,
    /// The account's next free number of transactions, from 1.
    pub number: i64,
}

/// What an adapter stores atomically after a decision about a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionDecision {
    /// The session.
    pub session: CheckoutSession,
    /// Payments that are new or changed, in the order of their changes, each at most once.
    pub payments: Vec<MerchantPayment>,
    /// The movement of money, if the session was completed.
    pub journal: Option<JournalTransaction>,
    /// The balances of the credited budget in the session's currency. The credit has the number of the situation.
    pub credited: Option<Balances>,
    /// The events.
    pub events: Vec<Event>,
}

/// Reasons to refuse a step of a session. Nothing changes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SessionRefusal {
    /// The session is not OPEN.
    #[error("the session is {}", .0.as_str())]
    NotOpen(SessionStatus),
    /// The page asks where to ship, and nothing says it.
    #[error("the payer must say where to ship")]
    ShippingRequired,
    /// The page does not ask where to ship.
    #[error("the session collects no shipping address")]
    ShippingNotCollected,
    /// The page asks for a shipping rate.
    #[error("the payer must choose a shipping rate")]
    RateRequired,
    /// The amount with the shipping is above the maximum.
    #[error("the amount with the shipping is above the maximum")]
    AboveMaximum,
    /// The budget does not hold the currency any more, or is missing.
    #[error("the budget of the session is missing")]
    NoBudget,
    /// A balance would overflow 64 bits.
    #[error(transparent)]
    AmountOverflow(#[from] AmountOverflow),
}
