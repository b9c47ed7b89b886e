//! The situation and the result of decisions about sessions.

use super::{CheckoutSession, MerchantPayment, SessionStatus};
use crate::budget::Budget;
use crate::event::Event;
use crate::ledger::{AmountOutOfRange, Balances, JournalTransaction};

/// The situation for an action on a session. An adapter loads it under the lock of the session.
#[derive(Clone, Debug)]
pub struct SessionSituation {
    /// The session.
    pub session: CheckoutSession,
    /// The payment of the session that is not final. There is at most one.
    pub pending: Option<MerchantPayment>,
    /// The locked budget that the session credits. `None`: the session credits no budget.
    pub budget: Option<BudgetCredit>,
    /// Whether the merchant has the permission `reconciliation`: its completed payments have an additional event.
    pub may_reconcile: bool,
}

/// A budget that a session can credit.
#[derive(Clone, Debug)]
pub struct BudgetCredit {
    /// The budget.
    pub budget: Budget,
    /// The next free number in the account's sequence of credits, top-ups, transfers and payments, from 1.
    pub number: i64,
}

/// The result of an action on a session. An adapter stores it atomically.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionDecision {
    /// The session after the action.
    pub session: CheckoutSession,
    /// Payments that are new or changed, in the order of their changes, each at most once.
    pub payments: Vec<MerchantPayment>,
    /// The journal transaction, if the session was completed.
    pub journal: Option<JournalTransaction>,
    /// The balances of the credited budget in the session's currency, if the session was completed. The credit uses the
    /// number of the situation.
    pub credited: Option<Balances>,
    /// The events.
    pub events: Vec<Event>,
}

/// Reasons to refuse an action on a session. Nothing changes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SessionRefusal {
    /// The session is not OPEN.
    #[error("the session is {}", .0.as_str())]
    NotOpen(SessionStatus),
    /// The page asks for a shipping address, and the session has none.
    #[error("the payer must enter a shipping address")]
    ShippingRequired,
    /// The page does not ask for a shipping address.
    #[error("the session collects no shipping address")]
    ShippingNotCollected,
    /// The payer must choose a shipping rate first.
    #[error("the payer must choose a shipping rate")]
    RateRequired,
    /// The amount including shipping is above the maximum.
    #[error("the amount with the shipping is above the maximum")]
    AboveMaximum,
    /// The budget is missing, or does not hold the currency.
    #[error("the budget of the session is missing")]
    NoBudget,
    /// A balance would leave its range.
    #[error(transparent)]
    AmountOutOfRange(#[from] AmountOutOfRange),
}
