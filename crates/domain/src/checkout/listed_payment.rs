//! Rows of lists of payments and refunds.

use super::{MerchantPaymentKind, MerchantPaymentStatus, PaymentFailure, PaymentOverview, RefundStatus};
use crate::ids::{CheckoutSessionId, MerchantOrderId, MerchantPaymentId, RefundId};
use crate::merchant::CheckoutType;
use crate::money::Money;
use chrono::{DateTime, Utc};

/// A payment or refund in a list. Stores read no other columns for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedPayment {
    /// The id of the row. A refund also has a [`ListedRefund::id`].
    pub id: MerchantPaymentId,
    /// The session that was paid.
    pub session: CheckoutSessionId,
    /// Its status.
    pub status: MerchantPaymentStatus,
    /// The amount, above zero. This also applies to refunds.
    pub amount: Money,
    /// The name of the payer's bank.
    pub bank_name: String,
    /// The reason for the failure. `None`: it did not fail.
    pub failure: Option<PaymentFailure>,
    /// When it was sent to the bank. `None`: a refund that nobody has authorised.
    pub initiated_at: Option<DateTime<Utc>>,
    /// When the money moved. `None`: it has not moved.
    pub completed_at: Option<DateTime<Utc>>,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// The ids of a refund. `None`: a payment.
    pub refund: Option<ListedRefund>,
    /// The type of the session's checkout.
    pub checkout_type: CheckoutType,
    /// The order of the session, if it has one.
    pub order: Option<MerchantOrderId>,
    /// The merchant's reference of the session, if it has one.
    pub merchant_reference: Option<String>,
    /// Whether at least a part of the payment can be refunded now. `false` for a refund.
    pub is_refundable: bool,
}

/// The ids of a refund.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListedRefund {
    /// The id of the refund.
    pub id: RefundId,
    /// The payment that it refunds.
    pub payment: MerchantPaymentId,
}

impl ListedPayment {
    /// Returns whether this is a payment or a refund.
    pub const fn kind(&self) -> MerchantPaymentKind {
        if self.refund.is_some() { MerchantPaymentKind::Refund } else { MerchantPaymentKind::Payment }
    }

    /// Returns the status of a refund.
    pub const fn refund_status(&self) -> RefundStatus {
        self.status.of_refund(self.initiated_at.is_some())
    }
}

impl From<PaymentOverview> for ListedPayment {
    fn from(overview: PaymentOverview) -> Self {
        let payment = overview.payment;
        Self {
            id: payment.id,
            session: payment.session,
            status: payment.status(),
            amount: payment.amount,
            bank_name: payment.bank.name,
            failure: payment.state.failure(),
            initiated_at: payment.state.initiated_at(),
            completed_at: payment.state.completed_at(),
            created_at: payment.created_at,
            refund: payment.refund.map(|refund| ListedRefund { id: refund.id, payment: refund.payment }),
            checkout_type: overview.checkout_type,
            order: overview.order,
            merchant_reference: overview.merchant_reference,
            is_refundable: overview.is_refundable,
        }
    }
}
