//! Builders of checkout sessions, top-ups, payments and refunds.

use super::ids::{BUDGET, account, noon};
use super::merchant::{a_checkout_request, a_payee_request, a_settlement_account};
use super::money::{minor, money};
use crate::checkout::{
    BankChoice, Basket, BasketItem, CheckoutSession, CountryCode, MerchantPayment, MerchantPaymentState,
    MerchantPaymentStatus, PageTokenHash, PaymentFailure, PaymentReference, Quantity, RefundPart, RefundRequest,
    SessionDraft, SessionPurpose, SessionRequest, SessionState, SessionTarget, SessionTerms, Shipping, ShippingRate,
    TopUpRequest,
};
use crate::ids::{CheckoutSessionId, MerchantOrderId, MerchantPaymentId, RefundId};
use crate::merchant::{
    ApprovalStatus, BankId, Checkout, CheckoutKind, CheckoutStatus, Payee, PayeeRequest, ShippingOptions, WebUrl,
};
use crate::text::Text;
use chrono::TimeDelta;
use uuid::Uuid;

/// The time for which sessions can be paid.
const LIFETIME: TimeDelta = TimeDelta::minutes(20);

/// Returns an ACTIVE SHOPPING checkout for pounds. It names no settlement account and collects no shipping data.
pub fn a_checkout() -> Checkout {
    let request = a_checkout_request(CheckoutKind::Shopping { settlement_account: None, shipping: None });
    Checkout {
        id: request.id,
        account: request.account,
        kind: request.kind,
        name: Some(request.name.into_string()),
        status: CheckoutStatus::Active,
        currency: request.currency,
        return_url: request.return_url,
        locale: None,
        created_at: request.now,
        updated_at: request.now,
    }
}

/// Returns APPROVED payee `number`, for pounds.
pub fn a_payee(number: u32) -> Payee {
    let PayeeRequest { id, account, name, details, now, .. } = a_payee_request(number);
    Payee {
        id,
        account,
        name: name.into_string(),
        details,
        approval: ApprovalStatus::Approved,
        created_at: now,
        updated_at: now,
    }
}

/// Returns payment reference `number`.
pub fn a_payment_reference(number: u32) -> PaymentReference {
    PaymentReference::of(Uuid::from_u128(number.into()))
}

/// Returns a request to create a SHOPPING session of an amount such as `12.50 GBP`. The session can be paid for 20
/// minutes.
pub fn a_session_request(amount: &str) -> SessionRequest {
    SessionRequest {
        draft: a_draft(amount),
        target: SessionTarget::Shopping { basket: None, shipping: None },
        merchant_reference: Text::parse("Invoice 12").unwrap(),
        description: None,
    }
}

/// Returns a request to top up [`BUDGET`] with an amount such as `12.50 GBP`.
pub fn a_top_up_request(amount: &str) -> TopUpRequest {
    let id = CheckoutSessionId(Uuid::from_u128(0x70));
    TopUpRequest { draft: SessionDraft { id, token: PageTokenHash([2; 32]), ..a_draft(amount) }, budget: BUDGET }
}

fn a_draft(amount: &str) -> SessionDraft {
    SessionDraft {
        id: CheckoutSessionId(Uuid::from_u128(0x5e)),
        account: account(),
        terms: SessionTerms {
            idempotency_key: Text::parse("key-1").unwrap(),
            amount: money(amount),
            return_url: None,
            locale: None,
            lifetime: LIFETIME,
        },
        token: PageTokenHash([1; 32]),
        references: vec![a_payment_reference(1), a_payment_reference(2)],
        now: noon(),
    }
}

/// Returns an OPEN SHOPPING session of an amount such as `12.50 GBP`. It can be paid for 20 minutes from noon.
pub fn a_session(amount: &str) -> CheckoutSession {
    let SessionRequest { draft, merchant_reference, .. } = a_session_request(amount);
    CheckoutSession {
        id: draft.id,
        account: draft.account,
        purpose: SessionPurpose::Shopping {
            checkout: a_checkout().id,
            settlement_account: a_settlement_account(1).id,
            options: None,
        },
        state: SessionState::Open { has_begun: false },
        idempotency_key: draft.terms.idempotency_key.into_string(),
        merchant_reference: Some(merchant_reference.into_string()),
        description: None,
        amount: draft.terms.amount,
        basket: None,
        shipping: None,
        locale: None,
        return_url: Some(a_checkout().return_url),
        token: draft.token,
        payment_reference: a_payment_reference(1),
        expires_at: draft.now + LIFETIME,
        created_at: draft.now,
        updated_at: draft.now,
    }
}

/// Returns an OPEN top-up of [`BUDGET`] with an amount such as `12.50 GBP`.
pub fn a_top_up(amount: &str) -> CheckoutSession {
    let TopUpRequest { draft, budget } = a_top_up_request(amount);
    CheckoutSession {
        id: draft.id,
        purpose: SessionPurpose::Budget(budget),
        merchant_reference: None,
        return_url: None,
        token: draft.token,
        ..a_session(amount)
    }
}

/// Returns a SHOPPING session that was completed at noon, with its payment.
pub fn a_completed_session(amount: &str) -> (CheckoutSession, MerchantPayment) {
    let open = a_session(amount);
    let payment = MerchantPayment {
        state: MerchantPaymentState::Completed { initiated_at: open.created_at, completed_at: noon() },
        ..a_payment_of_session(&open)
    };
    let session = CheckoutSession {
        state: SessionState::Completed {
            payment: payment.id,
            order: Some(MerchantOrderId(Uuid::from_u128(0x0d))),
            completed_at: noon(),
        },
        ..open
    };
    (session, payment)
}

/// Returns a bank that a payer chose.
pub fn a_bank_choice() -> BankChoice {
    BankChoice { id: BankId::parse(&"a".repeat(32)).unwrap(), name: "Bank of Tests".into() }
}

/// Returns a PENDING payment of a session. It was sent to the bank when the session was created.
pub fn a_payment_of_session(session: &CheckoutSession) -> MerchantPayment {
    MerchantPayment {
        id: MerchantPaymentId(Uuid::from_u128(0xfa)),
        account: session.account.clone(),
        session: session.id,
        state: MerchantPaymentState::Pending { initiated_at: session.created_at, answer: None },
        amount: session.amount,
        bank: a_bank_choice(),
        created_at: session.created_at,
        refund: None,
    }
}

/// Returns the state of a payment with this status, which was sent to the bank at noon.
pub fn a_merchant_payment_state(status: MerchantPaymentStatus) -> MerchantPaymentState {
    let initiated_at = noon();
    match status {
        MerchantPaymentStatus::Pending => MerchantPaymentState::Pending { initiated_at, answer: None },
        MerchantPaymentStatus::Completed => MerchantPaymentState::Completed { initiated_at, completed_at: noon() },
        MerchantPaymentStatus::Failed => {
            MerchantPaymentState::Failed { initiated_at, reason: PaymentFailure::TimedOut, reported_at: None }
        }
        MerchantPaymentStatus::Cancelled => MerchantPaymentState::Cancelled { initiated_at: Some(initiated_at) },
    }
}

/// Returns a request to refund an amount such as `5.00 GBP`.
pub fn a_refund_request(amount: &str) -> RefundRequest {
    RefundRequest {
        id: RefundId(Uuid::from_u128(0x4e)),
        payment: MerchantPaymentId(Uuid::from_u128(0xfb)),
        amount: money(amount),
        reason: None,
        token: PageTokenHash([3; 32]),
        now: noon(),
    }
}

/// Returns a refund of a payment. It awaits its authorisation for 20 minutes from noon.
pub fn a_refund_of(payment: &MerchantPayment, amount: &str) -> MerchantPayment {
    let request = a_refund_request(amount);
    MerchantPayment {
        id: request.payment,
        state: MerchantPaymentState::AwaitingAuthorisation,
        amount: request.amount,
        created_at: request.now,
        refund: Some(RefundPart {
            id: request.id,
            payment: payment.id,
            reason: None,
            token: request.token,
            authorise_before: request.now + TimeDelta::minutes(20),
        }),
        ..payment.clone()
    }
}

/// Returns a basket of items, given by quantity and price of one piece, such as `(2, "3.50 GBP")`.
pub fn a_basket(items: &[(i64, &str)]) -> Basket {
    let item = |(quantity, price): &(i64, &str)| BasketItem {
        name: "Socks".into(),
        quantity: Quantity::new(*quantity).unwrap(),
        unit_price: minor(price).0,
        sku: None,
        product_id: None,
        tax_rate: None,
        image_url: None,
    };
    Basket::new(items.iter().map(item).collect()).unwrap()
}

/// Returns a shipping address without a rate.
pub fn a_shipping() -> Shipping {
    Shipping {
        recipient_name: "Ann Archer".into(),
        address_line1: "1 High Street".into(),
        address_line2: None,
        city: "Leeds".into(),
        region: None,
        postcode: "LS1 1AA".into(),
        country_code: CountryCode::parse("GB").unwrap(),
        rate: None,
    }
}

/// Returns a shipping rate with a price such as `2.50 GBP`.
pub fn a_shipping_rate(amount: &str) -> ShippingRate {
    ShippingRate { description: "Next day".into(), amount: minor(amount).0, service_code: None }
}

/// Makes the page of a SHOPPING session collect an address and, if `with_rates`, ask for a rate.
pub fn collecting_shipping(mut session: CheckoutSession, with_rates: bool) -> CheckoutSession {
    let SessionPurpose::Shopping { options, .. } = &mut session.purpose else {
        panic!("only a SHOPPING session ships")
    };
    let dynamic_rates_url = with_rates.then(|| WebUrl::parse("https://shop.example/rates").unwrap());
    *options = Some(ShippingOptions { collect_address: true, dynamic_rates_url });
    session
}
