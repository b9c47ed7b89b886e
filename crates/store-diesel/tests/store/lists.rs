//! Order, paging and filters of lists.

use crate::support::{Fixture, MINE, OTHER, gbp, id, noon, seed_data};
use chrono::TimeDelta;
use florin_domain::address::{Address, UkPostcode};
use florin_domain::ids::{CheckoutId, SettlementAccountId};
use florin_domain::merchant::{
    Bank, BankId, Checkout, CheckoutFilter, CheckoutKind, CheckoutStatus, CheckoutType, ShippingOptions, WebUrl,
};
use florin_domain::page::PageRequest;
use florin_ports::{AddressBook, Banks, Checkouts, Registry, Seeding};
use uuid::Uuid;

fn checkout(account: &str, number: u128, kind: CheckoutKind, status: CheckoutStatus) -> Checkout {
    Checkout {
        id: CheckoutId(Uuid::from_u128(number)),
        account: id(account),
        kind,
        name: Some("Käse & 🧀".into()),
        status,
        currency: gbp(),
        return_url: WebUrl::parse("https://shop.example/done").unwrap(),
        locale: None,
        created_at: noon() + TimeDelta::microseconds(7),
        updated_at: noon() + TimeDelta::microseconds(8),
    }
}

fn shopping(collect_address: bool) -> CheckoutKind {
    let dynamic_rates_url = WebUrl::parse("https://shop.example/rates").ok();
    let shipping = ShippingOptions { collect_address, dynamic_rates_url };
    CheckoutKind::Shopping {
        settlement_account: Some(SettlementAccountId(Uuid::from_u128(77))),
        shipping: Some(shipping),
    }
}

async fn fixture_with(checkouts: Vec<Checkout>) -> Fixture {
    let fixture = Fixture::empty();
    let mut data = seed_data(0);
    for checkout in checkouts {
        let seed = data.accounts.iter_mut().find(|seed| seed.account.id == checkout.account).unwrap();
        seed.checkouts.push(checkout);
    }
    fixture.store.seed(data).await.unwrap();
    fixture
}

async fn page(fixture: &Fixture, filter: CheckoutFilter, limit: i64, offset: i64) -> (i64, Vec<u128>) {
    let page = Checkouts::list(&fixture.store, &id(MINE), filter, PageRequest { limit, offset }).await.unwrap();
    (page.count, page.rows.iter().map(|row| row.id.0.as_u128()).collect())
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_of_checkouts_with_equal_times_do_not_overlap() {
    let bare = CheckoutKind::Shopping { settlement_account: None, shipping: None };
    let mut checkouts: Vec<_> =
        (1..=6).map(|number| checkout(MINE, number, bare.clone(), CheckoutStatus::Active)).collect();
    checkouts[2].created_at += TimeDelta::microseconds(1);
    checkouts[4].created_at -= TimeDelta::microseconds(1);
    checkouts.push(checkout(OTHER, 9, bare, CheckoutStatus::Active));
    let fixture = fixture_with(checkouts).await;
    let all = CheckoutFilter::default();
    assert_eq!(page(&fixture, all, 100, 0).await, (6, vec![3, 6, 4, 2, 1, 5]));
    assert_eq!(page(&fixture, all, 2, 0).await, (6, vec![3, 6]));
    assert_eq!(page(&fixture, all, 2, 2).await, (6, vec![4, 2]));
    assert_eq!(page(&fixture, all, 2, 4).await, (6, vec![1, 5]));
    assert_eq!(page(&fixture, all, 2, 6).await, (6, vec![]));
    assert_eq!(page(&fixture, all, 1, i64::MAX).await, (6, vec![]));
}

#[tokio::test(flavor = "multi_thread")]
async fn filters_apply_to_the_count() {
    let fixture = fixture_with(vec![
        checkout(MINE, 1, shopping(true), CheckoutStatus::Active),
        checkout(MINE, 2, shopping(false), CheckoutStatus::Deactivated),
        checkout(MINE, 3, CheckoutKind::TopUp, CheckoutStatus::Active),
    ])
    .await;
    let filter = |checkout_type, status| CheckoutFilter { checkout_type, status };
    let (shop, top_up) = (Some(CheckoutType::Shopping), Some(CheckoutType::TopUp));
    let (active, deactivated) = (Some(CheckoutStatus::Active), Some(CheckoutStatus::Deactivated));
    assert_eq!(page(&fixture, filter(shop, None), 1, 0).await, (2, vec![2]));
    assert_eq!(page(&fixture, filter(None, active), 9, 0).await, (2, vec![3, 1]));
    assert_eq!(page(&fixture, filter(shop, active), 9, 0).await, (1, vec![1]));
    assert_eq!(page(&fixture, filter(top_up, deactivated), 9, 0).await, (0, vec![]));
}

#[tokio::test(flavor = "multi_thread")]
async fn checkouts_round_trip() {
    let seeded = vec![
        checkout(MINE, 4, shopping(false), CheckoutStatus::Deactivated),
        checkout(MINE, 3, CheckoutKind::TopUp, CheckoutStatus::Active),
    ];
    let fixture = fixture_with(seeded.clone()).await;
    let page =
        Checkouts::list(&fixture.store, &id(MINE), CheckoutFilter::default(), PageRequest::default()).await.unwrap();
    assert_eq!(page.rows, seeded);
}

#[tokio::test(flavor = "multi_thread")]
async fn banks_are_sorted_by_code_points() {
    let fixture = Fixture::empty();
    let bank = |digit: &str, name: &str| Bank {
        id: BankId::parse(&digit.repeat(32)).unwrap(),
        name: name.into(),
        icon_url: "https://banks.example/icon.svg".into(),
        supports_refunds: digit == "a",
    };
    let sorted = [
        bank("5", "Alpha"),
        bank("1", "Zeta"),
        bank("3", "alpha"),
        bank("a", "alpha"),
        bank("2", "Ärzte"),
        bank("0", "\u{ff21}"),
        bank("4", "\u{1f3e6}"),
    ];
    let mut shuffled = sorted.to_vec();
    shuffled.rotate_left(3);
    shuffled.swap(0, 4);
    fixture.store.replace_banks(vec![bank("9", "gone")]).await.unwrap();
    fixture.store.replace_banks(shuffled).await.unwrap();
    let page = Banks::list(&fixture.store, PageRequest::default()).await.unwrap();
    assert_eq!((page.count, page.rows), (7, sorted.to_vec()));
    let page = Banks::list(&fixture.store, PageRequest { limit: 2, offset: 3 }).await.unwrap();
    assert_eq!((page.count, page.rows), (7, sorted[3..5].to_vec()));
    // The list is replaced completely or not at all.
    let error = fixture.store.replace_banks(vec![bank("8", "new"), bank("8", "again")]).await.unwrap_err();
    assert!(matches!(error, florin_ports::StoreError::Duplicate(_)), "{error:?}");
    assert_eq!(Banks::list(&fixture.store, PageRequest::default()).await.unwrap().rows, sorted);
}

#[tokio::test(flavor = "multi_thread")]
async fn addresses_are_in_the_order_of_the_file() {
    let fixture = Fixture::empty();
    let address = |line: &str, postcode: &str| Address {
        address_line1: line.into(),
        city: "Köln-on-Sea".into(),
        postcode: postcode.into(),
        ..Address::default()
    };
    let postcode = UkPostcode::parse("SW1A 1AA").unwrap();
    fixture.store.replace_addresses(vec![address("gone", "SW1A1AA")]).await.unwrap();
    let file =
        vec![address("2", "sw1a 1aa"), address("other", "M11AE"), address("10", "SW1A1AA"), address("1", "SW1A1AA")];
    fixture.store.replace_addresses(file).await.unwrap();
    let found = AddressBook::find(&fixture.store, &postcode).await.unwrap();
    assert_eq!(found, [address("2", "SW1A1AA"), address("10", "SW1A1AA"), address("1", "SW1A1AA")]);
    assert_eq!(AddressBook::find(&fixture.store, &UkPostcode::parse("M1 1AF").unwrap()).await, Ok(vec![]));
    let many = (0..1201).map(|number| address(&number.to_string(), "M11AE")).collect::<Vec<_>>();
    fixture.store.replace_addresses(many.clone()).await.unwrap();
    assert_eq!(AddressBook::find(&fixture.store, &UkPostcode::parse("M1 1AE").unwrap()).await.unwrap(), many);
}
