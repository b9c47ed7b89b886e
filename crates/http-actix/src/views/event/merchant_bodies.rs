//! The bodies of events about checkout sessions and their payments.

use super::bodies::{Common, bodies};
use crate::views::{Amount, SessionView, Time};
use florin_domain::checkout::{CheckoutSession, MerchantPayment, PaymentFailure};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

bodies! {
    /// A checkout session was completed, cancelled or abandoned, or has expired.
    struct SessionBody as MerchantCheckoutSessionBody in SessionEnded as MerchantCheckoutSessionEvent
        ("^(Merchant|Roqqett)CheckoutSession(Completed|Cancelled|Abandoned|Expired)$")
    {
        /// The session, as in responses of the API, but without `checkoutUrl`.
        checkout_session: SessionView<'a>,
    }
    from |common, session: &'a CheckoutSession| {
        checkout_session: SessionView::from(session),
    }

    /// A payment of a checkout session failed. The payer can choose a bank again until the session expires.
    struct FailedPaymentBody as MerchantPaymentFailedBody in MerchantPaymentFailed as MerchantPaymentFailedEvent
        ("^(Merchant|Roqqett)PaymentFailed$")
    {
        /// The id of the payment.
        #[schema(value_type = String, format = Uuid)]
        payment_id: Uuid,
        /// The id of the session or top-up.
        #[schema(value_type = String, format = Uuid)]
        checkout_session_id: Uuid,
        /// The amount.
        #[schema(value_type = String)]
        amount: Amount,
        /// ISO 4217, alphabetic.
        currency_code: &'static str,
        /// Why the payment failed.
        #[schema(required, pattern = "^(REJECTED_BY_BANK|TIMED_OUT|TECHNICAL_ERROR)$")]
        failure_reason: Option<&'static str>,
    }
    from |common, payment: &'a MerchantPayment| {
        payment_id: payment.id.0,
        checkout_session_id: payment.session.0,
        amount: Amount(payment.amount),
        currency_code: payment.amount.currency.code(),
        failure_reason: payment.state.failure().map(PaymentFailure::as_str),
    }

    /// A refund was completed, or a payment was reconciled.
    struct EndedPaymentBody as MerchantPaymentBody in MerchantPaymentEnded as MerchantPaymentEvent
        ("^(Merchant|Roqqett)(RefundCompleted|PaymentReconciled)$")
    {
        /// The id of the payment. For a refund, the id of the refunded payment.
        #[schema(value_type = String, format = Uuid)]
        payment_id: Uuid,
        /// The id of the refund; null for a payment.
        #[schema(required, value_type = Option<String>, format = Uuid)]
        refund_id: Option<Uuid>,
        /// The amount.
        #[schema(value_type = String)]
        amount: Amount,
        /// ISO 4217, alphabetic.
        currency_code: &'static str,
        /// The merchant's reason for the refund; null if none was given, and for a payment.
        #[schema(required)]
        reason: Option<&'a str>,
    }
    from |common, payment: &'a MerchantPayment| {
        payment_id: payment.refund.as_ref().map_or(payment.id.0, |refund| refund.payment.0),
        refund_id: payment.refund.as_ref().map(|refund| refund.id.0),
        amount: Amount(payment.amount),
        currency_code: payment.amount.currency.code(),
        reason: payment.refund.as_ref().and_then(|refund| refund.reason.as_deref()),
    }
}
