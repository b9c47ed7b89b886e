//! Sample data of events about checkout sessions, payments and refunds.

use chrono::{DateTime, TimeDelta, Utc};
use florin_domain::checkout::{
    BankChoice, CheckoutSession, MerchantPayment, MerchantPaymentState, PageTokenHash, PaymentFailure,
    PaymentReference, RefundPart, SessionPurpose, SessionState,
};
use florin_domain::event::{EventKind, MerchantPaymentEvent};
use florin_domain::ids::{
    AccountId, CheckoutId, CheckoutSessionId, MerchantOrderId, MerchantPaymentId, RefundId, SettlementAccountId,
};
use florin_domain::merchant::{BankId, Locale, WebUrl};
use florin_domain::money::Money;
use uuid::Uuid;

/// Returns the sample session for an event about a session. The event's kind determines the state of the session.
pub(super) fn session(
    kind: EventKind,
    account: &AccountId,
    at: DateTime<Utc>,
    (id, amount): (Uuid, Money),
) -> CheckoutSession {
    let state = match kind {
        EventKind::MerchantCheckoutSessionCompleted => SessionState::Completed {
            payment: MerchantPaymentId(id),
            order: Some(MerchantOrderId(id)),
            completed_at: at,
        },
        EventKind::MerchantCheckoutSessionCancelled => SessionState::Cancelled { has_begun: true },
        EventKind::MerchantCheckoutSessionAbandoned => SessionState::Abandoned,
        _ => SessionState::Expired,
    };
    CheckoutSession {
        id: CheckoutSessionId(id),
        account: account.clone(),
        purpose: SessionPurpose::Shopping {
            checkout: CheckoutId(id),
            settlement_account: SettlementAccountId(id),
            options: None,
        },
        state,
        idempotency_key: "basket-7".to_owned(),
        merchant_reference: Some("order-7".to_owned()),
        description: Some("Two mugs".to_owned()),
        amount,
        basket: None,
        shipping: None,
        locale: Locale::parse("en-GB").ok(),
        return_url: WebUrl::parse("https://shop.example/paid").ok(),
        token: PageTokenHash([0; 32]),
        payment_reference: PaymentReference::of(id),
        expires_at: at + TimeDelta::minutes(20),
        created_at: at,
        updated_at: at,
    }
}

/// Returns the sample payment or refund for an event about a payment or refund. `None`: the id of the sample bank is
/// invalid.
pub(super) fn payment(
    kind: EventKind,
    account: &AccountId,
    at: DateTime<Utc>,
    (id, amount): (Uuid, Money),
) -> Option<MerchantPaymentEvent> {
    let state = if kind == EventKind::MerchantPaymentFailed {
        MerchantPaymentState::Failed { initiated_at: at, reason: PaymentFailure::RejectedByBank, reported_at: None }
    } else {
        MerchantPaymentState::Completed { initiated_at: at, completed_at: at }
    };
    let refund = RefundPart {
        id: RefundId(id),
        payment: MerchantPaymentId(id),
        reason: Some("Returned".to_owned()),
        token: PageTokenHash([0; 32]),
        authorise_before: at + TimeDelta::minutes(20),
    };
    let payment = MerchantPayment {
        id: MerchantPaymentId(id),
        account: account.clone(),
        session: CheckoutSessionId(id),
        state,
        amount,
        bank: BankChoice { id: BankId::parse("0123456789abcdef0123456789abcdef").ok()?, name: "Bank".to_owned() },
        created_at: at,
        refund: (kind == EventKind::MerchantRefundCompleted).then_some(refund),
    };
    Some(MerchantPaymentEvent { payment, checkout: Some(CheckoutId(id)) })
}
