//! Payments and refunds of merchants in responses.

use super::{DryRunView, MoneyView, Time};
use florin_domain::checkout::{ListedPayment, MerchantPayment, PaymentFailure};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

/// A payment of a checkout session, or a refund of such a payment.
#[derive(Serialize, ToSchema)]
#[schema(as = MerchantPayment)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MerchantPaymentView<'a> {
    /// The id of the payment or refund. A refund also has a `refundId`.
    #[schema(value_type = String, format = Uuid)]
    id: Uuid,
    /// `PAYMENT`: from the payer to the merchant. `REFUND`: back to the payer.
    #[serde(rename = "type")]
    #[schema(pattern = "^(PAYMENT|REFUND)$")]
    kind: &'static str,
    /// The status of the payment.
    #[schema(pattern = "^(PENDING|COMPLETED|FAILED|CANCELLED)$")]
    status: &'static str,
    /// The amount. It is above zero for refunds, too.
    amount: MoneyView,
    /// The type of the session's checkout; `TOP_UP` for a top-up of a budget.
    #[schema(pattern = "^(SHOPPING|TOP_UP)$")]
    checkout_type: &'static str,
    /// The id of the session.
    #[schema(value_type = String, format = Uuid)]
    checkout_session_id: Uuid,
    /// The id of the refunded payment; null for a payment.
    #[schema(required, value_type = Option<String>, format = Uuid)]
    refunded_payment_id: Option<Uuid>,
    /// The id of the refund; null for a payment.
    #[schema(required, value_type = Option<String>, format = Uuid)]
    refund_id: Option<Uuid>,
    /// The id of the session's order; null if it has none.
    #[schema(required, value_type = Option<String>, format = Uuid)]
    order_id: Option<Uuid>,
    /// The merchant's reference of the session; null if it has none.
    #[schema(required)]
    merchant_reference: Option<&'a str>,
    /// The name of the payer's bank.
    payer_bank_name: &'a str,
    /// Why the payment failed; null if it did not fail.
    #[schema(required, pattern = "^(REJECTED_BY_BANK|TIMED_OUT|TECHNICAL_ERROR)$")]
    failure_reason: Option<&'static str>,
    /// Whether the payment, or a part of it, can be refunded now.
    is_refundable: bool,
    /// When the payment was sent to the bank. For a refund: when the merchant authorised it. Null until then.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    initiated_at: Option<Time>,
    /// When the money moved; null until then.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    completed_at: Option<Time>,
    /// When the payment or refund was created.
    #[schema(value_type = String, format = DateTime)]
    created_at: Time,
}

impl<'a> From<&'a ListedPayment> for MerchantPaymentView<'a> {
    fn from(payment: &'a ListedPayment) -> Self {
        Self {
            id: payment.id.0,
            kind: payment.kind().as_str(),
            status: payment.status.as_str(),
            amount: payment.amount.into(),
            checkout_type: payment.checkout_type.as_str(),
            checkout_session_id: payment.session.0,
            refunded_payment_id: payment.refund.map(|refund| refund.payment.0),
            refund_id: payment.refund.map(|refund| refund.id.0),
            order_id: payment.order.map(|id| id.0),
            merchant_reference: payment.merchant_reference.as_deref(),
            payer_bank_name: &payment.bank_name,
            failure_reason: payment.failure.map(PaymentFailure::as_str),
            is_refundable: payment.is_refundable,
            initiated_at: payment.initiated_at.map(Time),
            completed_at: payment.completed_at.map(Time),
            created_at: Time(payment.created_at),
        }
    }
}

/// A refund, or its dry run.
#[derive(Serialize, ToSchema)]
#[schema(as = MerchantRefundAnswer)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RefundAnswer<'a> {
    #[serde(flatten)]
    refund: RefundView<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    dry_run: Option<DryRunView>,
}

impl<'a> RefundAnswer<'a> {
    /// Builds the view of a refund. `url` returns the URL of the page on which the merchant authorises it; a dry run
    /// has none. `None`: `payment` is not a refund.
    pub(crate) fn of(
        payment: &'a MerchantPayment,
        url: Option<&dyn Fn(Uuid) -> String>,
        dry_run: Option<DryRunView>,
    ) -> Option<Self> {
        let url = url.filter(|_| dry_run.is_none());
        Some(Self { refund: RefundView::of(payment, url)?, dry_run })
    }
}

/// A refund of a payment.
#[derive(Serialize, ToSchema)]
#[schema(as = MerchantRefund)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RefundView<'a> {
    /// The id of the refund.
    #[schema(value_type = String, format = Uuid)]
    id: Uuid,
    /// The id of the refunded payment.
    #[schema(value_type = String, format = Uuid)]
    payment_id: Uuid,
    /// `AWAITING_AUTHORISATION`: the merchant must authorise the refund. `PENDING`: the bank has not reported the
    /// result. `COMPLETED`: the money was paid back. `FAILED`: the bank did not move the money. `CANCELLED`: the
    /// merchant did not authorise the refund.
    #[schema(pattern = "^(AWAITING_AUTHORISATION|PENDING|COMPLETED|FAILED|CANCELLED)$")]
    status: &'static str,
    /// The amount of the refund.
    amount: MoneyView,
    /// The merchant's reason for the refund; null if none was given.
    #[schema(required)]
    reason: Option<&'a str>,
    /// The URL of the page on which the merchant authorises the refund. Null except in the response that creates the
    /// refund.
    #[schema(required, format = "uri")]
    authorisation_url: Option<String>,
    /// When the refund was created.
    #[schema(value_type = String, format = DateTime)]
    created_at: Time,
    /// When the money moved; null until then.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    completed_at: Option<Time>,
}

impl<'a> RefundView<'a> {
    /// Builds the view of a refund. `url` returns the URL of the page on which the merchant authorises it. `None`:
    /// `payment` is not a refund.
    pub(crate) fn of(payment: &'a MerchantPayment, url: Option<&dyn Fn(Uuid) -> String>) -> Option<Self> {
        let refund = payment.refund.as_ref()?;
        Some(Self {
            id: refund.id.0,
            payment_id: refund.payment.0,
            status: payment.refund_status().as_str(),
            amount: payment.amount.into(),
            reason: refund.reason.as_deref(),
            authorisation_url: url.map(|url| url(refund.id.0)),
            created_at: Time(payment.created_at),
            completed_at: payment.state.completed_at().map(Time),
        })
    }
}
