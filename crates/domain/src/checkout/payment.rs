//! Payments of sessions, and their refunds.

use super::{BankChoice, BankReport, CheckoutSession, PageTokenHash, PaymentFailure, RefundSource, RefundStatus};
use crate::ids::{AccountId, CheckoutSessionId, MerchantOrderId, MerchantPaymentId, RefundId};
use crate::merchant::CheckoutType;
use crate::money::{Minor, Money};
use chrono::{DateTime, Utc};

/// Whether money goes to the merchant or back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MerchantPaymentKind {
    /// From the payer to the merchant.
    Payment,
    /// From the merchant back to the payer.
    Refund,
}

impl MerchantPaymentKind {
    /// Both kinds.
    pub const ALL: [Self; 2] = [Self::Payment, Self::Refund];

    /// The name callers use.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Payment => "PAYMENT",
            Self::Refund => "REFUND",
        }
    }
}

/// The status of a payment or refund.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MerchantPaymentStatus {
    /// Not final.
    Pending,
    /// The money has moved.
    Completed,
    /// The bank did not move the money.
    Failed,
    /// Given up before the bank got it.
    Cancelled,
}

impl MerchantPaymentStatus {
    /// All statuses.
    pub const ALL: [Self; 4] = [Self::Pending, Self::Completed, Self::Failed, Self::Cancelled];

    /// The name callers use.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "PENDING",
            Self::Completed => "COMPLETED",
            Self::Failed => "FAILED",
            Self::Cancelled => "CANCELLED",
        }
    }
}

/// A payment of a session, or the refund of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MerchantPayment {
    /// Its id.
    pub id: MerchantPaymentId,
    /// The merchant's account.
    pub account: AccountId,
    /// The session.
    pub session: CheckoutSessionId,
    /// Its status.
    pub status: MerchantPaymentStatus,
    /// The amount, above zero also for a refund.
    pub amount: Money,
    /// The payer's bank.
    pub bank: BankChoice,
    /// What the bank reports, once it has the approval.
    pub report: Option<BankReport>,
    /// Why it failed.
    pub failure: Option<PaymentFailure>,
    /// When it was sent to the bank.
    pub initiated_at: Option<DateTime<Utc>>,
    /// When the money moved.
    pub completed_at: Option<DateTime<Utc>>,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// What only a refund has.
    pub refund: Option<RefundPart>,
}

/// What only a refund has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefundPart {
    /// The id of the refund.
    pub id: RefundId,
    /// The payment that it refunds.
    pub payment: MerchantPaymentId,
    /// Why the merchant refunds.
    pub reason: Option<String>,
    /// The hash of the token of the page on which the merchant authorises it.
    pub token: PageTokenHash,
    /// From this moment on it can't be authorised.
    pub authorise_before: DateTime<Utc>,
    /// When its bank, which has the authorisation and no result yet, is asked again.
    pub ask_again_at: Option<DateTime<Utc>>,
}

impl MerchantPayment {
    /// Whether it is a payment or a refund.
    pub const fn kind(&self) -> MerchantPaymentKind {
        if self.refund.is_some() { MerchantPaymentKind::Refund } else { MerchantPaymentKind::Payment }
    }

    /// The status as a refund.
    pub const fn refund_status(&self) -> RefundStatus {
        match (self.status, self.initiated_at) {
            (MerchantPaymentStatus::Pending, None) => RefundStatus::AwaitingAuthorisation,
            (MerchantPaymentStatus::Pending, Some(_)) => RefundStatus::Pending,
            (MerchantPaymentStatus::Completed, _) => RefundStatus::Completed,
            (MerchantPaymentStatus::Failed, _) => RefundStatus::Failed,
            (MerchantPaymentStatus::Cancelled, _) => RefundStatus::Cancelled,
        }
    }

    /// When something happens to a refund by itself. `None` for a payment, whose session is due, and for a final refund.
    pub fn refund_due_at(&self) -> Option<DateTime<Utc>> {
        let refund = self.refund.as_ref()?;
        match self.refund_status() {
            RefundStatus::AwaitingAuthorisation => Some(refund.authorise_before),
            RefundStatus::Pending => self.report.map(|report| report.at).or(refund.ask_again_at),
            RefundStatus::Completed | RefundStatus::Failed | RefundStatus::Cancelled => None,
        }
    }

    /// Whether a refund takes up a part of its payment.
    pub const fn takes_up(&self) -> bool {
        matches!(self.status, MerchantPaymentStatus::Pending | MerchantPaymentStatus::Completed)
    }
}

/// A payment or refund, with what its session says about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PaymentOverview {
    /// The payment or refund.
    pub payment: MerchantPayment,
    /// The type of its checkout.
    pub checkout_type: CheckoutType,
    /// The order of its session.
    pub order: Option<MerchantOrderId>,
    /// The merchant's reference of its session.
    pub merchant_reference: Option<String>,
    /// Whether a part of it can be refunded now.
    pub is_refundable: bool,
}

impl PaymentOverview {
    /// Combines a payment with its session. `taken_up` is the sum of its refunds that are neither failed nor cancelled.
    pub fn of(payment: MerchantPayment, session: &CheckoutSession, taken_up: Minor, source: RefundSource) -> Self {
        let is_refundable = source == RefundSource::Ready
            && session.purpose.settlement_account().is_some()
            && payment.kind() == MerchantPaymentKind::Payment
            && payment.status == MerchantPaymentStatus::Completed
            && taken_up < payment.amount.minor;
        Self {
            checkout_type: session.purpose.checkout_type(),
            order: session.order,
            merchant_reference: session.merchant_reference.clone(),
            payment,
            is_refundable,
        }
    }
}
