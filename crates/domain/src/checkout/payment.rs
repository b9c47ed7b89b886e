//! Payments of checkout sessions, and their refunds.

use super::{
    BankAnswer, BankChoice, CheckoutSession, MerchantPaymentKind, MerchantPaymentState, MerchantPaymentStatus,
    PageTokenHash, RefundSource, RefundStatus,
};
use crate::ids::{AccountId, CheckoutSessionId, MerchantOrderId, MerchantPaymentId, RefundId, SettlementAccountId};
use crate::merchant::CheckoutType;
use crate::money::{Minor, Money};
use chrono::{DateTime, Utc};

/// A payment of a session, or a refund of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MerchantPayment {
    /// The id of the row. A refund also has a [`RefundPart::id`].
    pub id: MerchantPaymentId,
    /// The merchant's account.
    pub account: AccountId,
    /// The session that was paid.
    pub session: CheckoutSessionId,
    /// Its state.
    pub state: MerchantPaymentState,
    /// The amount, above zero. This also applies to refunds.
    pub amount: Money,
    /// The bank of the payer.
    pub bank: BankChoice,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// The additional data of a refund. `None`: a payment.
    pub refund: Option<RefundPart>,
}

/// The additional data of a refund.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefundPart {
    /// The id of the refund.
    pub id: RefundId,
    /// The payment that it refunds.
    pub payment: MerchantPaymentId,
    /// The merchant's reason for the refund.
    pub reason: Option<String>,
    /// The hash of the token of the page on which the merchant authorises the refund.
    pub token: PageTokenHash,
    /// The deadline of the authorisation, exclusive.
    pub authorise_before: DateTime<Utc>,
}

impl MerchantPayment {
    /// Returns whether this is a payment or a refund.
    pub const fn kind(&self) -> MerchantPaymentKind {
        if self.refund.is_some() { MerchantPaymentKind::Refund } else { MerchantPaymentKind::Payment }
    }

    /// Returns the status.
    pub const fn status(&self) -> MerchantPaymentStatus {
        self.state.status()
    }

    /// Returns the status of a refund.
    pub const fn refund_status(&self) -> RefundStatus {
        self.state.refund_status()
    }

    /// Returns the time at which something is due on a refund. `None` for a final refund, and for a payment, which is
    /// due with its session.
    pub fn refund_due_at(&self) -> Option<DateTime<Utc>> {
        let refund = self.refund.as_ref()?;
        match self.state {
            MerchantPaymentState::AwaitingAuthorisation => Some(refund.authorise_before),
            MerchantPaymentState::Pending { answer, .. } => answer.map(BankAnswer::due_at),
            MerchantPaymentState::Completed { .. }
            | MerchantPaymentState::Failed { .. }
            | MerchantPaymentState::Cancelled { .. } => None,
        }
    }

    /// Returns whether a refund counts against the refundable amount of its payment.
    pub const fn counts_against_payment(&self) -> bool {
        self.status().counts_against_payment()
    }

    /// Returns whether the order of its session is final.
    pub const fn has_final_order(&self) -> bool {
        self.status().has_final_order(self.kind())
    }
}

/// The data of a session that the overview of a payment shows or needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionOfPayment {
    /// The type of the session's checkout.
    pub checkout_type: CheckoutType,
    /// The settlement account that the payer paid into. Top-ups have none.
    pub settlement_account: Option<SettlementAccountId>,
    /// The order of the session, if it has one.
    pub order: Option<MerchantOrderId>,
    /// The merchant's reference of the session, if it has one.
    pub merchant_reference: Option<String>,
}

impl From<&CheckoutSession> for SessionOfPayment {
    fn from(session: &CheckoutSession) -> Self {
        Self {
            checkout_type: session.purpose.checkout_type(),
            settlement_account: session.purpose.settlement_account(),
            order: session.state.order(),
            merchant_reference: session.merchant_reference.clone(),
        }
    }
}

/// The facts that decide whether a payment can be refunded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refundability {
    /// Whether it is a payment or a refund.
    pub kind: MerchantPaymentKind,
    /// Its status.
    pub status: MerchantPaymentStatus,
    /// Its amount.
    pub amount: Minor,
    /// The sum of its refunds that are neither failed nor cancelled.
    pub refunded_or_pending: Minor,
    /// Whether the settlement account that the payer paid into can pay refunds. `false` for top-ups, which have none.
    pub can_be_paid_back: bool,
}

impl Refundability {
    /// Returns whether at least a part of the payment can be refunded now.
    pub fn is_refundable(self) -> bool {
        self.can_be_paid_back
            && self.kind == MerchantPaymentKind::Payment
            && self.status == MerchantPaymentStatus::Completed
            && self.refunded_or_pending < self.amount
    }
}

/// A payment or refund, with data of its session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PaymentOverview {
    /// The payment or refund.
    pub payment: MerchantPayment,
    /// The type of the session's checkout.
    pub checkout_type: CheckoutType,
    /// The order of the session, if it has one.
    pub order: Option<MerchantOrderId>,
    /// The merchant's reference of the session, if it has one.
    pub merchant_reference: Option<String>,
    /// Whether at least a part of the payment can be refunded now. `false` for a refund.
    pub is_refundable: bool,
}

impl PaymentOverview {
    /// Combines a payment with data of its session. `refunded_or_pending` is the sum of its refunds that are neither
    /// failed nor cancelled.
    pub fn of(
        payment: MerchantPayment,
        session: SessionOfPayment,
        refunded_or_pending: Minor,
        source: RefundSource,
    ) -> Self {
        let refundability = Refundability {
            kind: payment.kind(),
            status: payment.status(),
            amount: payment.amount.minor,
            refunded_or_pending,
            can_be_paid_back: source == RefundSource::Ready && session.settlement_account.is_some(),
        };
        Self {
            checkout_type: session.checkout_type,
            order: session.order,
            merchant_reference: session.merchant_reference,
            payment,
            is_refundable: refundability.is_refundable(),
        }
    }
}
