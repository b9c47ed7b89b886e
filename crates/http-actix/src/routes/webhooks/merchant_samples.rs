//! Sample data of events about checkout sessions.

use super::samples::{AMOUNT, ID, gbp};
use chrono::{DateTime, TimeDelta, Utc};
use florin_domain::checkout::{
    BankChoice, CheckoutSession, MerchantPayment, MerchantPaymentStatus, PageTokenHash, PaymentFailure,
    PaymentReference, RefundPart, SessionPurpose, SessionStatus,
};
use florin_domain::event::{EventKind, MerchantPaymentEvent};
use florin_domain::ids::{
    AccountId, CheckoutId, CheckoutSessionId, MerchantOrderId, MerchantPaymentId, RefundId, SettlementAccountId,
};
use florin_domain::merchant::BankId;

/// The session of an event about one.
pub(super) fn session(kind: EventKind, account: &AccountId, at: DateTime<Utc>) -> Option<CheckoutSession> {
    let status = match kind {
        EventKind::MerchantCheckoutSessionCompleted => SessionStatus::Completed,
        EventKind::MerchantCheckoutSessionCancelled => SessionStatus::Cancelled,
        EventKind::MerchantCheckoutSessionAbandoned => SessionStatus::Abandoned,
        _ => SessionStatus::Expired,
    };
    let is_paid = status == SessionStatus::Completed;
    Some(CheckoutSession {
        id: CheckoutSessionId(ID),
        account: account.clone(),
        purpose: SessionPurpose::Shopping {
            checkout: CheckoutId(ID),
            settlement_account: SettlementAccountId(ID),
            options: None,
        },
        status,
        has_begun: status != SessionStatus::Expired,
        idempotency_key: "basket-7".to_owned(),
        merchant_reference: Some("order-7".to_owned()),
        description: Some("Two mugs".to_owned()),
        amount: AMOUNT.of(gbp()?),
        basket: None,
        shipping: None,
        locale: Some("en-GB".to_owned()),
        return_url: Some("https://shop.example/paid".to_owned()),
        token: PageTokenHash([0; 32]),
        payment_reference: PaymentReference::of(ID),
        expires_at: at + TimeDelta::minutes(20),
        due_at: None,
        payment: is_paid.then_some(MerchantPaymentId(ID)),
        order: is_paid.then_some(MerchantOrderId(ID)),
        created_at: at,
        updated_at: at,
        completed_at: is_paid.then_some(at),
    })
}

/// The payment or refund of an event about one.
pub(super) fn payment(kind: EventKind, account: &AccountId, at: DateTime<Utc>) -> Option<MerchantPaymentEvent> {
    let is_failed = kind == EventKind::MerchantPaymentFailed;
    let refund = RefundPart {
        id: RefundId(ID),
        payment: MerchantPaymentId(ID),
        reason: Some("Returned".to_owned()),
        token: PageTokenHash([0; 32]),
        authorise_before: at + TimeDelta::minutes(20),
    };
    let payment = MerchantPayment {
        id: MerchantPaymentId(ID),
        account: account.clone(),
        session: CheckoutSessionId(ID),
        status: if is_failed { MerchantPaymentStatus::Failed } else { MerchantPaymentStatus::Completed },
        amount: AMOUNT.of(gbp()?),
        bank: BankChoice { id: BankId::parse("0123456789abcdef0123456789abcdef").ok()?, name: "Bank".to_owned() },
        report: None,
        failure: is_failed.then_some(PaymentFailure::RejectedByBank),
        initiated_at: Some(at),
        completed_at: (!is_failed).then_some(at),
        created_at: at,
        refund: (kind == EventKind::MerchantRefundCompleted).then_some(refund),
    };
    Some(MerchantPaymentEvent { payment, checkout: CheckoutId(ID) })
}
