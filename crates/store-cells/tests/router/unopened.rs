//! Tests of a router with a cell that could not be opened: which calls fail, and which do not.

use crate::support::{Stores, kit_client, name};
use crate::{account, client, id, key, parent};
use chrono::{DateTime, Utc};
use florin_domain::access::Account;
use florin_domain::ids::{LeaseId, LogoId};
use florin_domain::merchant::Logo;
use florin_domain::page::{Page, PageRequest};
use florin_domain::test_support::a_webhook;
use florin_domain::webhook::Webhook;
use florin_ports::{
    BatchProcessing, CellDirectory, CellKey, ClaimCommand, ClaimDeliveriesCommand, CreateWebhookCommand, Deliveries,
    DeliveryFilter, KeyUpkeep, KeyUse, Merchants, Registry, SetLogoCommand, StoreError, WebhookReach, Webhooks, Worlds,
    WriteError,
};
use florin_store_cells::{Cell, Cells};
use florin_store_memory::MemoryStore;
use std::sync::Arc;
use uuid::Uuid;

const NOW: DateTime<Utc> = DateTime::UNIX_EPOCH;

/// Creates a router over the home and the cell `a`, which has client 1 with the account and key 1. The cell `c` could
/// not be opened.
async fn router() -> (Stores, Arc<Cells>) {
    let stores = Stores::default();
    stores.home.add(CellKey::Client(kit_client(1)), name("a"), None).await.unwrap();
    let cell = Cell { name: name("a"), store: Arc::new(stores.a.clone()) };
    let home: Arc<MemoryStore> = Arc::new(stores.home.clone());
    let unopened = [(name("c"), "gone".to_owned())].into();
    let router = Arc::new(Cells::new(home.clone(), home, vec![cell], unopened));
    router.add_client(client(1)).await.unwrap();
    let merchant = Account { merchant: true, ..account("F1", kit_client(1)) };
    router.add_account(merchant, parent("F1")).await.unwrap();
    let (key, hash) = key(1, kit_client(1), "F1");
    router.add_key(key, hash).await.unwrap();
    (stores, router)
}

fn gone() -> StoreError {
    StoreError::Unavailable("cell c was not opened at the start: gone".to_owned())
}

#[tokio::test]
async fn the_deliveries_of_a_found_subscription_are_those_of_its_cell() {
    let (_, router) = router().await;
    let webhook = Webhook { client: kit_client(1), ..a_webhook() };
    let command = CreateWebhookCommand { webhook: webhook.clone(), decide: Arc::new(|_| Ok(())), claim: None };
    Webhooks::create(&*router, command).await.unwrap();
    let log = async || {
        let filter = DeliveryFilter { status: None, event: None, from: None, to: None, attempts: 1 };
        Deliveries::log(&*router, webhook.id, filter, PageRequest::default()).await
    };
    // Until the subscription is found, any cell may have it.
    assert_eq!(log().await, Err(gone()));
    let reach = WebhookReach::of_client(kit_client(1));
    assert_eq!(Webhooks::find(&*router, reach, webhook.id).await, Ok(Some(webhook.clone())));
    assert_eq!(log().await, Ok(Page { count: 0, rows: Vec::new() }));
}

#[tokio::test]
async fn a_merchant_gets_a_logo() {
    let (_, router) = router().await;
    let logo = |account| Logo { id: LogoId(Uuid::from_u128(7)), account: id(account), png: vec![1], created_at: NOW };
    Merchants::set_logo(&*router, SetLogoCommand { logo: logo("F1"), claim: None }).await.unwrap();
    assert_eq!(Merchants::logo(&*router, logo("F1").id).await, Ok(Some(logo("F1"))));
    // The id of the new logo is compared with those in the open cells.
    let other = Merchants::set_logo(&*router, SetLogoCommand { logo: logo("F2"), claim: None }).await;
    assert!(matches!(other, Err(WriteError::Store(StoreError::Duplicate(_)))));
}

#[tokio::test]
async fn uses_of_keys_are_recorded() {
    let (stores, router) = router().await;
    let (key, _) = key(1, kit_client(1), "F1");
    router.record_uses(vec![KeyUse { key: key.id, at: NOW }]).await.unwrap();
    let keys = Registry::keys(&stores.a, None).await.unwrap();
    assert_eq!(keys.iter().map(|key| key.last_used_at).collect::<Vec<_>>(), [Some(NOW)]);
}

#[tokio::test]
async fn the_keys_of_a_client_are_those_of_its_cell() {
    let (_, router) = router().await;
    let (key, _) = key(1, kit_client(1), "F1");
    assert_eq!(Registry::keys(&*router, Some(kit_client(1))).await, Ok(vec![key]));
    assert_eq!(Registry::keys(&*router, Some(kit_client(2))).await, Ok(Vec::new()));
    assert_eq!(Registry::keys(&*router, None).await, Err(gone()));
}

#[tokio::test]
async fn a_search_for_work_fails_if_no_other_cell_has_any() {
    let (_, router) = router().await;
    let lease = LeaseId(Uuid::from_u128(1));
    let claim = ClaimCommand { lease, now: NOW, until: NOW, max: 10 };
    assert_eq!(BatchProcessing::claim(&*router, claim).await, Err(gone()));
    assert_eq!(Worlds::delete_expired(&*router, NOW, 10).await, Err(gone()));
    assert_eq!(Deliveries::due(&*router, NOW).await, Err(gone()));
    let claim = ClaimDeliveriesCommand { webhook: a_webhook().id, lease, now: NOW, until: NOW, max: 10 };
    assert_eq!(Deliveries::claim(&*router, claim).await, Err(gone()));
}
