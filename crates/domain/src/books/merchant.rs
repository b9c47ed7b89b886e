//! The books of a merchant: the journal, the payments and the sessions, compared with each other (contract 2.7).

use crate::checkout::SessionStatus;
use crate::ids::{AccountId, CheckoutSessionId, MerchantPaymentId};
use crate::money::{Currency, Minor, Total};
use std::collections::BTreeMap;
use uuid::Uuid;

/// Sums over the payments and sessions of accounts, which an adapter loads in one consistent view.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MerchantBooks {
    /// The settlements of each account, by settlement account or payee, and by currency. A posting that names neither a
    /// settlement account nor a payee is counted under the id of its cause.
    pub settlements: BTreeMap<(AccountId, Uuid, Currency), SettlementBooks>,
    /// Payments that have refunds, by id.
    pub refunded: Vec<RefundedPayment>,
    /// Number of sessions, top-ups included.
    pub sessions: i64,
    /// Sessions with a wrong number of COMPLETED payments, by id.
    pub miscounted: Vec<MiscountedSession>,
}

/// The sums of the settlements into one settlement account, or to one payee. A missing source counts as zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SettlementBooks {
    /// The sum of the postings.
    pub settled: Total,
    /// The sum of the COMPLETED payments.
    pub paid: Total,
    /// The sum of the COMPLETED refunds.
    pub refunded: Total,
}

impl SettlementBooks {
    /// Whether the journal agrees with the payments.
    pub fn agrees(&self) -> bool {
        self.settled == self.paid.minus(self.refunded)
    }
}

/// A payment that has refunds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RefundedPayment {
    /// The payment.
    pub payment: MerchantPaymentId,
    /// Its currency.
    pub currency: Currency,
    /// Its amount.
    pub amount: Minor,
    /// The sum of its refunds that are neither FAILED nor CANCELLED.
    pub refunded: Total,
}

impl RefundedPayment {
    /// Whether the refunds are at most the amount of the payment.
    pub fn agrees(&self) -> bool {
        self.refunded <= self.amount.into()
    }
}

/// A session with a number of COMPLETED payments that its status does not allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MiscountedSession {
    /// The session.
    pub session: CheckoutSessionId,
    /// Its status.
    pub status: SessionStatus,
    /// The number of its COMPLETED payments.
    pub payments: i64,
}

impl SessionStatus {
    /// The number of COMPLETED payments that a session of this status must have.
    pub const fn completed_payments(self) -> i64 {
        match self {
            Self::Completed => 1,
            Self::Open | Self::Processing | Self::Cancelled | Self::Abandoned | Self::Expired => 0,
        }
    }
}

impl MerchantBooks {
    /// The settlements on which the journal and the payments disagree.
    pub fn disagreeing_settlements(&self) -> impl Iterator<Item = (Uuid, Currency, SettlementBooks)> {
        let wrong = self.settlements.iter().filter(|(_, books)| !books.agrees());
        wrong.map(|((_, target, currency), books)| (*target, *currency, *books))
    }

    /// The payments that are refunded above their amounts.
    pub fn over_refunded(&self) -> impl Iterator<Item = &RefundedPayment> {
        self.refunded.iter().filter(|payment| !payment.agrees())
    }
}
