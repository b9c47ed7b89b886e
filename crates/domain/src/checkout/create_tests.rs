//! Tests of the rules that create sessions and top-ups.

use super::*;
use crate::checkout::{
    BasketItem, CreateTopUpRefusal, CreateTopUpSituation, SessionState, ShippingRate, TopUpRequest,
    decide_create_top_up,
};
use crate::merchant::{BankDetails, Locale, ShippingOptions, WebUrl};
use crate::test_support::{
    a_basket, a_budget, a_checkout, a_payee, a_payment_reference, a_session, a_session_request, a_settlement_account,
    a_shipping, a_shipping_rate, a_top_up, a_top_up_request, money, noon,
};
use chrono::{DateTime, TimeDelta, Utc};
use proptest::prelude::*;

/// A merchant with an ACTIVE SHOPPING checkout, and settlement account 1 as the default.
fn situation() -> CreateSessionSituation {
    CreateSessionSituation {
        known: None,
        checkout: Some(a_checkout()),
        settlement_accounts: vec![
            a_settlement_account(2),
            SettlementAccount { is_default: true, ..a_settlement_account(1) },
        ],
        payee: None,
        taken: BTreeSet::new(),
    }
}

/// A merchant with an ACTIVE `TOP_UP` checkout, and payee 1.
fn top_up_situation() -> CreateSessionSituation {
    let checkout = Some(Checkout { kind: CheckoutKind::TopUp, ..a_checkout() });
    CreateSessionSituation { checkout, payee: Some(a_payee(1)), ..situation() }
}

fn to_payee() -> SessionRequest {
    SessionRequest { target: SessionTarget::TopUp(a_payee(1).id), ..a_session_request("12.50 GBP") }
}

fn shopping(amount: &str, basket: Option<Basket>, shipping: Option<Shipping>) -> SessionRequest {
    SessionRequest { target: SessionTarget::Shopping { basket, shipping }, ..a_session_request(amount) }
}

fn refusal(situation: &CreateSessionSituation, request: &SessionRequest) -> CreateSessionRefusal {
    decide_create_session(situation, request).unwrap_err()
}

fn with_checkout(change: impl FnOnce(&mut Checkout)) -> CreateSessionSituation {
    let mut checkout = a_checkout();
    change(&mut checkout);
    CreateSessionSituation { checkout: Some(checkout), ..situation() }
}

#[test]
fn a_session_is_open_and_expires() {
    let created = decide_create_session(&situation(), &a_session_request("12.50 GBP")).unwrap();
    assert!(created.is_new);
    assert_eq!(created.session, a_session("12.50 GBP"));
    assert_eq!(created.session.expires_at, noon() + TimeDelta::minutes(20));
}

#[test]
fn a_lifetime_beyond_the_calendar_ends_at_its_last_time() {
    let mut request = a_session_request("12.50 GBP");
    request.draft.terms.lifetime = TimeDelta::MAX;
    let session = decide_create_session(&situation(), &request).unwrap().session;
    assert_eq!(session.expires_at, DateTime::<Utc>::MAX_UTC);
}

#[test]
fn a_known_idempotency_key_returns_its_session_as_it_is_now() {
    let state = SessionState::Cancelled { has_begun: false };
    let known = CheckoutSession { state, ..a_session("9.99 GBP") };
    let without_checkout = CreateSessionSituation { known: Some(known.clone()), checkout: None, ..situation() };
    let found = decide_create_session(&without_checkout, &a_session_request("12.50 GBP"));
    assert_eq!(found, Ok(CreatedSession { session: known, is_new: false }));
}

#[test]
fn absent_fields_of_a_session_come_from_the_checkout() {
    let situation = with_checkout(|checkout| checkout.locale = Locale::parse("cy").ok());
    let defaults = decide_create_session(&situation, &a_session_request("12.50 GBP")).unwrap().session;
    assert_eq!((defaults.locale, defaults.return_url), (Locale::parse("cy").ok(), Some(a_checkout().return_url)));
    let mut own = a_session_request("12.50 GBP");
    let (locale, return_url) = (Locale::parse("en-GB").ok(), WebUrl::parse("https://shop.example/12").ok());
    (own.draft.terms.locale, own.draft.terms.return_url) = (locale.clone(), return_url.clone());
    let own = decide_create_session(&situation, &own).unwrap().session;
    assert_eq!((own.locale, own.return_url), (locale, return_url));
}

#[test]
fn the_checkout_must_have_the_type_and_the_currency_of_the_session() {
    let request = a_session_request("12.50 GBP");
    let absent = CreateSessionSituation { checkout: None, ..situation() };
    assert_eq!(refusal(&absent, &request), CreateSessionRefusal::NoCheckout);
    let deactivated = with_checkout(|checkout| checkout.status = CheckoutStatus::Deactivated);
    assert_eq!(refusal(&deactivated, &request), CreateSessionRefusal::Deactivated);
    let other = CreateSessionRefusal::OtherType(CheckoutType::TopUp);
    assert_eq!(refusal(&top_up_situation(), &request), other);
    let other = CreateSessionRefusal::OtherType(CheckoutType::Shopping);
    assert_eq!(refusal(&situation(), &to_payee()), other);
    let euros = a_session_request("12.50 EUR");
    assert_eq!(refusal(&situation(), &euros), CreateSessionRefusal::OtherCurrency(a_checkout().currency));
}

/// If the payer corrects the address, the payer must choose the rate again. Meanwhile the amount is without shipping.
#[test]
fn an_amount_must_remain_without_the_rate_that_the_payer_chooses() {
    let collecting = |rates: Option<&str>| {
        let url = rates.map(|url| WebUrl::parse(url).unwrap());
        let shipping = ShippingOptions::new(true, url).ok();
        with_checkout(|checkout| checkout.kind = CheckoutKind::Shopping { settlement_account: None, shipping })
    };
    let with_rate =
        |rate: &str| shopping("5.00 GBP", None, Some(Shipping { rate: Some(a_shipping_rate(rate)), ..a_shipping() }));
    let dynamic = collecting(Some("https://shop.example/rates"));
    for rate in ["5.00 GBP", "5.01 GBP", "999.00 GBP"] {
        assert_eq!(refusal(&dynamic, &with_rate(rate)), CreateSessionRefusal::NothingBesidesShipping, "{rate}");
        // A rate that the merchant fixed does not change.
        assert!(decide_create_session(&collecting(None), &with_rate(rate)).is_ok(), "{rate}");
        assert!(decide_create_session(&situation(), &with_rate(rate)).is_ok(), "{rate}");
    }
    assert!(decide_create_session(&dynamic, &with_rate("4.99 GBP")).is_ok());
    assert!(decide_create_session(&dynamic, &shopping("5.00 GBP", None, Some(a_shipping()))).is_ok());
}

#[test]
fn the_settlement_account_is_fixed_at_creation() {
    let paying_into = |number: u32| {
        with_checkout(|checkout| {
            let settlement_account = Some(a_settlement_account(number).id);
            let shipping = ShippingOptions::new(true, None).ok();
            checkout.kind = CheckoutKind::Shopping { settlement_account, shipping };
        })
    };
    let request = a_session_request("12.50 GBP");
    let session = decide_create_session(&paying_into(2), &request).unwrap().session;
    assert_eq!(session.purpose.settlement_account(), Some(a_settlement_account(2).id));
    assert!(session.needs_shipping());
    assert_eq!(refusal(&paying_into(3), &request), CreateSessionRefusal::NoSettlementAccount);
    let mut undecided = situation();
    undecided.settlement_accounts[1].approval = ApprovalStatus::Pending;
    assert_eq!(refusal(&undecided, &request), CreateSessionRefusal::NoSettlementAccount);
    let mut no_default = situation();
    no_default.settlement_accounts.pop();
    assert_eq!(refusal(&no_default, &request), CreateSessionRefusal::NoSettlementAccount);
}

#[test]
fn a_payee_must_be_approved_and_receive_the_currency() {
    let session = decide_create_session(&top_up_situation(), &to_payee()).unwrap().session;
    let purpose = SessionPurpose::Payee { checkout: a_checkout().id, payee: a_payee(1).id };
    assert_eq!(session.purpose, purpose);
    let with_payee = |payee| CreateSessionSituation { payee, ..top_up_situation() };
    assert_eq!(refusal(&with_payee(None), &to_payee()), CreateSessionRefusal::NoPayee);
    let in_euros = Payee { details: BankDetails::Iban("DE89370400440532013000".into()), ..a_payee(1) };
    assert_eq!(refusal(&with_payee(Some(in_euros)), &to_payee()), CreateSessionRefusal::PayeeOfOtherCurrency);
    for approval in [ApprovalStatus::Pending, ApprovalStatus::Rejected] {
        let payee = Payee { approval, ..a_payee(1) };
        let expected = CreateSessionRefusal::PayeeNotApproved(approval);
        assert_eq!(refusal(&with_payee(Some(payee)), &to_payee()), expected);
    }
}

#[test]
fn the_basket_and_the_shipping_must_cost_the_amount() {
    let basket = || Some(a_basket(&[(3, "3.50 GBP"), (1, "0.00 GBP")]));
    let shipped = Some(Shipping { rate: Some(a_shipping_rate("2.00 GBP")), ..a_shipping() });
    for good in [
        shopping("10.50 GBP", basket(), None),
        shopping("10.50 GBP", basket(), Some(a_shipping())),
        shopping("12.50 GBP", basket(), shipped.clone()),
        shopping("99.99 GBP", None, shipped.clone()),
    ] {
        let session = decide_create_session(&situation(), &good).unwrap().session;
        assert_eq!(session.amount, good.draft.terms.amount);
    }
    let short = shopping("12.49 GBP", basket(), shipped);
    assert_eq!(refusal(&situation(), &short), CreateSessionRefusal::OtherSum(money("12.50 GBP")));
    let mut expensive = a_basket(&[(100_000, "1.00 GBP")]).items().to_vec();
    expensive[0].unit_price = i64::MAX;
    let expensive = shopping("12.50 GBP", Basket::new(expensive).ok(), None);
    assert_eq!(refusal(&situation(), &expensive), CreateSessionRefusal::SumTooLarge);
}

/// Returns an item of a basket.
fn item(quantity: i64, unit_price: i64) -> BasketItem {
    let basket = a_basket(&[(quantity, "0.00 GBP")]);
    BasketItem { unit_price, ..basket.items()[0].clone() }
}

proptest! {
    /// Exactly one amount is accepted: the sum of the basket and the shipping.
    #[test]
    fn only_the_sum_of_the_basket_and_the_shipping_is_accepted(
        items in prop::collection::vec((1_i64..1_000, 0_i64..10_000), 1..20),
        rate in prop::option::of(0_i64..100_000),
        other in prop_oneof![Just(0_i64), -3_i64..4, -1_000_000_i64..1_000_000],
    ) {
        let sum = items.iter().map(|(quantity, price)| quantity * price).sum::<i64>() + rate.unwrap_or(0);
        prop_assume!(sum + other > 0);
        let basket = Basket::new(items.iter().map(|(quantity, price)| item(*quantity, *price)).collect()).unwrap();
        let rate = rate.map(|amount| ShippingRate { amount, ..a_shipping_rate("0.00 GBP") });
        let mut request = shopping("1.00 GBP", Some(basket), Some(Shipping { rate, ..a_shipping() }));
        request.draft.terms.amount.minor = Minor(sum + other);
        let expected = Minor(sum).of(request.draft.terms.amount.currency);
        match decide_create_session(&situation(), &request) {
            Ok(created) => prop_assert_eq!((other, created.session.amount), (0, expected)),
            Err(refusal) => prop_assert_eq!((other != 0, refusal), (true, CreateSessionRefusal::OtherSum(expected))),
        }
    }

    #[test]
    fn a_sum_beyond_64_bits_is_refused(
        items in prop::collection::vec((1_i64..=100_000, prop_oneof![0_i64..1_000, 0..=i64::MAX]), 1..5),
        rate in prop_oneof![0_i64..1_000, 0..=i64::MAX],
    ) {
        let sum = items.iter().map(|(quantity, price)| i128::from(*quantity) * i128::from(*price)).sum::<i128>();
        let sum = i64::try_from(sum + i128::from(rate)).ok();
        let basket = Basket::new(items.iter().map(|(quantity, price)| item(*quantity, *price)).collect()).unwrap();
        let rate = Some(ShippingRate { amount: rate, ..a_shipping_rate("0.00 GBP") });
        let request = shopping("0.01 GBP", Some(basket), Some(Shipping { rate, ..a_shipping() }));
        let currency = request.draft.terms.amount.currency;
        let expected = sum.map_or(CreateSessionRefusal::SumTooLarge, |sum| {
            CreateSessionRefusal::OtherSum(Minor(sum).of(currency))
        });
        if sum != Some(1) {
            prop_assert_eq!(refusal(&situation(), &request), expected);
        }
    }
}

#[test]
fn the_first_free_payment_reference_is_used() {
    let with_taken = |numbers: &[u32]| {
        let taken = numbers.iter().map(|number| a_payment_reference(*number)).collect();
        CreateSessionSituation { taken, ..situation() }
    };
    let request = a_session_request("12.50 GBP");
    let second = decide_create_session(&with_taken(&[1]), &request).unwrap().session;
    assert_eq!(second.payment_reference, a_payment_reference(2));
    assert_eq!(refusal(&with_taken(&[1, 2]), &request), CreateSessionRefusal::NoReference);
}

#[test]
fn a_merchant_accepts_amounts_up_to_a_million() {
    for good in ["0.01 GBP", "1000000.00 GBP"] {
        assert!(check_merchant_amount(money(good).minor).is_ok(), "{good}");
    }
    for wrong in ["0.00 GBP", "-0.01 GBP", "1000000.01 GBP"] {
        assert!(check_merchant_amount(money(wrong).minor).is_err(), "{wrong}");
    }
}

#[test]
fn a_top_up_credits_a_budget_that_holds_its_currency() {
    let budget = Some(a_budget().with("0.00 GBP").build().budget);
    let situation = CreateTopUpSituation { known: None, budget, taken: BTreeSet::new() };
    let created = decide_create_top_up(&situation, &a_top_up_request("12.50 GBP"));
    assert_eq!(created, Ok(CreatedSession { session: a_top_up("12.50 GBP"), is_new: true }));
    let refusal = |situation: &CreateTopUpSituation, request: &TopUpRequest| {
        decide_create_top_up(situation, request).unwrap_err()
    };
    assert_eq!(refusal(&situation, &a_top_up_request("12.50 EUR")), CreateTopUpRefusal::NoBalance);
    let taken = [1, 2].map(a_payment_reference).into();
    let full = CreateTopUpSituation { taken, ..situation.clone() };
    assert_eq!(refusal(&full, &a_top_up_request("12.50 GBP")), CreateTopUpRefusal::NoReference);
    let absent = CreateTopUpSituation { budget: None, ..situation };
    assert_eq!(refusal(&absent, &a_top_up_request("12.50 GBP")), CreateTopUpRefusal::NoBudget);
    let known = CreateTopUpSituation { known: Some(a_top_up("1.00 GBP")), ..absent };
    let found = decide_create_top_up(&known, &a_top_up_request("12.50 GBP"));
    assert_eq!(found, Ok(CreatedSession { session: a_top_up("1.00 GBP"), is_new: false }));
}
