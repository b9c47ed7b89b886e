//! A database whose payments do not carry what lists show of their sessions, and its expected state after an
//! upgrade.

use florin_domain::checkout::{MerchantPaymentFilter, PaymentSort};
use florin_domain::ids::{AccountId, MerchantOrderId};
use florin_domain::merchant::CheckoutType;
use florin_domain::page::PageRequest;
use florin_ports::{BooksCheck, MerchantPayments};
use uuid::Uuid;

/// The first migration that is missing.
pub(crate) const MIGRATION: &str = "2026-11-26-000053";
/// The rows of the database.
pub(crate) const ROWS: &str = include_str!("before_payment_lists.sql");

/// Checks the list and the books after the upgrade.
pub(crate) async fn check_list(store: &(impl BooksCheck + MerchantPayments)) {
    let account = AccountId::parse("F1").unwrap();
    let (filter, page) = (MerchantPaymentFilter::default(), PageRequest::default());
    let found = store.list(&account, filter, PaymentSort::OldestFirst, page).await.unwrap();
    let seen: Vec<_> =
        found.rows.iter().map(|row| (row.checkout_type, row.order, row.merchant_reference.as_deref())).collect();
    let order = Some(MerchantOrderId(Uuid::from_u128(0xf1)));
    assert_eq!((found.count, seen), (3, vec![(CheckoutType::Shopping, order, Some("reference")); 3]));
    assert_eq!(store.check_all().await.unwrap().discrepancies, []);
}
