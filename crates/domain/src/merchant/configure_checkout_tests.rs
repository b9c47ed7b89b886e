//! Tests of the rules that create and change checkouts.

use super::*;
use crate::merchant::{ApprovalStatus, BankDetails};
use crate::test_support::{a_checkout_request, a_merchant, a_settlement_account, currency, noon};
use chrono::TimeDelta;
use uuid::Uuid;

const APPROVED: SettlementAccountId = SettlementAccountId(Uuid::from_u128(1));
const PENDING: SettlementAccountId = SettlementAccountId(Uuid::from_u128(2));
const EUROS: SettlementAccountId = SettlementAccountId(Uuid::from_u128(3));
const ABSENT: SettlementAccountId = SettlementAccountId(Uuid::from_u128(9));

fn situation() -> CheckoutSituation {
    let euros = BankDetails::Iban("DE89370400440532013000".into());
    CheckoutSituation {
        profile: a_merchant(),
        accounts: vec![
            SettlementAccount { is_default: true, ..a_settlement_account(1) },
            SettlementAccount { approval: ApprovalStatus::Pending, ..a_settlement_account(2) },
            SettlementAccount { details: euros, ..a_settlement_account(3) },
        ],
        checkouts: 2,
    }
}

fn edit_situation(checkout: &Checkout) -> EditCheckoutSituation {
    EditCheckoutSituation { merchant: situation(), checkout: checkout.clone() }
}

#[test]
fn an_account_has_a_maximum_number_of_checkouts() {
    let request = |max_checkouts| CheckoutRequest { max_checkouts, ..a_checkout_request(shopping(None)) };
    assert!(decide_create_checkout(&situation(), &request(3)).is_ok());
    let refused = decide_create_checkout(&situation(), &request(2));
    assert_eq!(refused, Err(CheckoutRefusal::TooMany { max: 2 }));
}

fn shopping(settlement_account: Option<SettlementAccountId>) -> CheckoutKind {
    CheckoutKind::Shopping { settlement_account, shipping: None }
}

#[test]
fn a_checkout_pays_into_an_approved_account_of_its_currency() {
    let create = |target| decide_create_checkout(&situation(), &a_checkout_request(shopping(target)));
    let created = create(Some(APPROVED)).unwrap();
    assert_eq!((created.status, created.kind), (CheckoutStatus::Active, shopping(Some(APPROVED))));
    assert_eq!(create(None).unwrap().kind, shopping(None));
    assert_eq!(create(Some(PENDING)), Err(CheckoutRefusal::NotApproved));
    assert_eq!(create(Some(EUROS)), Err(CheckoutRefusal::OtherCurrency(MerchantCurrency::Eur)));
    assert_eq!(create(Some(ABSENT)), Err(CheckoutRefusal::NoSettlementAccount));
    let mut without = situation();
    without.accounts.remove(0);
    let refused = decide_create_checkout(&without, &a_checkout_request(shopping(None)));
    assert_eq!(refused, Err(CheckoutRefusal::NoDefault));
}

#[test]
fn a_top_up_checkout_needs_the_permission() {
    let request = a_checkout_request(CheckoutKind::TopUp);
    let mut situation = CheckoutSituation { accounts: Vec::new(), ..situation() };
    assert_eq!(decide_create_checkout(&situation, &request), Err(CheckoutRefusal::TopUpNotEnabled));
    situation.profile.permissions.insert(MerchantPermission::CreateTopUpCheckouts);
    assert_eq!(decide_create_checkout(&situation, &request).unwrap().kind, CheckoutKind::TopUp);
}

#[test]
fn only_what_is_sent_changes() {
    let later = noon() + TimeDelta::hours(1);
    let mut request = a_checkout_request(shopping(None));
    request.locale = Locale::parse("cy").ok();
    let checkout = decide_create_checkout(&situation(), &request).unwrap();
    let edit = |checkout: &Checkout, edit: CheckoutEdit| decide_edit_checkout(&edit_situation(checkout), &edit, later);
    assert_eq!(edit(&checkout, CheckoutEdit::default()), Ok(checkout.clone()));
    let options = ShippingOptions { collect_address: true, dynamic_rates_url: None };
    let edited = edit(
        &checkout,
        CheckoutEdit {
            name: Text::parse("New").ok(),
            status: Some(CheckoutStatus::Deactivated),
            return_url: WebUrl::parse("https://new.example").ok(),
            locale: Some(None),
            settlement_account: Some(Some(APPROVED)),
            shipping: Some(Some(options.clone())),
        },
    );
    let expected = Checkout {
        name: Some("New".into()),
        status: CheckoutStatus::Deactivated,
        return_url: WebUrl::parse("https://new.example").unwrap(),
        locale: None,
        kind: CheckoutKind::Shopping { settlement_account: Some(APPROVED), shipping: Some(options) },
        updated_at: later,
        ..checkout.clone()
    };
    assert_eq!(edited, Ok(expected.clone()));
    let cleared = CheckoutEdit { settlement_account: Some(None), shipping: Some(None), ..CheckoutEdit::default() };
    assert_eq!(edit(&expected, cleared).unwrap().kind, shopping(None));
    let active = CheckoutEdit { status: Some(CheckoutStatus::Active), ..CheckoutEdit::default() };
    assert_eq!(edit(&expected, active).unwrap().status, CheckoutStatus::Active);
}

#[test]
fn a_change_names_an_approved_account_or_the_same_as_before() {
    let edit = |checkout: &Checkout, target| {
        let edit = CheckoutEdit { settlement_account: Some(Some(target)), ..CheckoutEdit::default() };
        decide_edit_checkout(&edit_situation(checkout), &edit, noon())
    };
    let checkout = decide_create_checkout(&situation(), &a_checkout_request(shopping(None))).unwrap();
    assert_eq!(edit(&checkout, PENDING), Err(CheckoutRefusal::NotApproved));
    assert_eq!(edit(&checkout, EUROS), Err(CheckoutRefusal::OtherCurrency(MerchantCurrency::Eur)));
    assert_eq!(edit(&checkout, ABSENT), Err(CheckoutRefusal::NoSettlementAccount));
    let old = Checkout { kind: shopping(Some(ABSENT)), ..checkout };
    assert_eq!(edit(&old, ABSENT), Ok(old));
}

#[test]
fn a_top_up_checkout_has_no_members_of_shopping() {
    let options = ShippingOptions { collect_address: false, dynamic_rates_url: None };
    let members = vec![ShoppingMember::SettlementAccount, ShoppingMember::ShippingOptions];
    let kind = checkout_kind(CheckoutType::TopUp, Some(APPROVED), Some(options.clone()));
    assert_eq!(kind, Err(members.clone()));
    assert_eq!(checkout_kind(CheckoutType::TopUp, None, None), Ok(CheckoutKind::TopUp));
    assert_eq!(checkout_kind(CheckoutType::Shopping, None, None), Ok(shopping(None)));
    let mut situation = situation();
    situation.profile.permissions.insert(MerchantPermission::CreateTopUpCheckouts);
    let request = CheckoutRequest { currency: currency("EUR"), ..a_checkout_request(CheckoutKind::TopUp) };
    let checkout = decide_create_checkout(&situation, &request).unwrap();
    let situation = EditCheckoutSituation { merchant: situation, checkout };
    let edit = CheckoutEdit {
        settlement_account: Some(Some(APPROVED)),
        shipping: Some(Some(options)),
        ..CheckoutEdit::default()
    };
    assert_eq!(decide_edit_checkout(&situation, &edit, noon()), Err(CheckoutRefusal::ShoppingMembers(members)));
    let cleared = CheckoutEdit { settlement_account: Some(None), shipping: Some(None), ..CheckoutEdit::default() };
    assert_eq!(decide_edit_checkout(&situation, &cleared, noon()), Ok(situation.checkout));
}
