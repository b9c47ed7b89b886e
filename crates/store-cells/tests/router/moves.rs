//! Calls of a client that is moved.

use super::{LateDirectory, account, client, id, key, parent, world};
use crate::support::{Stores, kit_client, name};
use chrono::{DateTime, TimeDelta};
use florin_domain::access::KeyHash;
use florin_domain::checkout::PageTokenHash;
use florin_domain::ids::MoveId;
use florin_domain::test_support::a_webhook;
use florin_ports::{
    Accounts, Budgets, Callers, CellDirectory, CellKey, CellMove, CellName, CheckoutSessions, Events, KeyOfWorld,
    Registry, StoreError, WebhookReach, Webhooks, Worlds, WriteError,
};
use std::sync::Arc;
use std::time::Duration;
use uuid::Uuid;

/// The keys of the entries of the client's account and API key.
fn keys() -> Vec<KeyOfWorld> {
    [CellKey::Account(id("F1")), CellKey::ApiKey(KeyHash([1; 32]))].map(|key| KeyOfWorld { key, world: None }).into()
}

fn to_a() -> CellMove {
    CellMove { id: MoveId(Uuid::from_u128(1)), client: kit_client(1), from: CellName::home(), to: name("a") }
}

/// Creates a client with an account and a key in the home, without entries in the directory. The cell `a` has the same
/// objects, as if the client had moved there.
async fn old_client() -> Stores {
    let stores = Stores::default();
    for store in [&stores.home, &stores.a] {
        store.add_client(client(1)).await.unwrap();
        store.add_account(account("F1", kit_client(1)), parent("F1")).await.unwrap();
        let (key, hash) = key(1, kit_client(1), "F1");
        store.add_key(key, hash).await.unwrap();
    }
    // Only one of the two accounts has been renamed.
    stores.a.rename_account(&id("F1"), "moved".to_owned()).await.unwrap();
    stores
}

#[tokio::test]
async fn a_client_is_unavailable_until_its_move_ends() {
    let stores = old_client().await;
    let router = stores.router();
    let before = Events::sequence(&*router, kit_client(1)).await.unwrap();
    assert_eq!(Accounts::find(&*router, &id("F1")).await.unwrap().unwrap().name, "F1");
    assert_eq!(stores.home.begin_move(to_a(), keys()).await, Ok(Some(to_a())));
    // Wait until the cached entries have expired.
    std::thread::sleep(Duration::from_millis(260));
    let refused = [
        Accounts::find(&*router, &id("F1")).await.map(drop),
        Accounts::client(&*router, kit_client(1)).await.map(drop),
        Callers::find(&*router, &KeyHash([1; 32])).await.map(drop),
        Budgets::find(&*router, &id("F1"), parent("F1").budget.id).await.map(drop),
        Events::sequence(&*router, kit_client(1)).await.map(drop),
        // The token may be of a session of the client.
        CheckoutSessions::with_token(&*router, PageTokenHash([0; 32])).await.map(drop),
    ];
    for refusal in refused {
        assert_eq!(refusal, Err(StoreError::Moving("cell a".to_owned())));
    }
    assert_eq!(stores.home.end_move(to_a(), keys(), name("a")).await, Ok(true));
    assert_eq!(Accounts::find(&*router, &id("F1")).await.unwrap().unwrap().name, "moved");
    assert!(Callers::find(&*router, &KeyHash([1; 32])).await.unwrap().is_some());
    assert_ne!(Events::sequence(&*router, kit_client(1)).await.unwrap(), before);
    assert!(CheckoutSessions::with_token(&*router, PageTokenHash([0; 32])).await.unwrap().is_none());
}

#[tokio::test]
async fn entries_of_a_world_stay_while_its_client_moves() {
    let stores = Stores::default();
    let router = stores.router();
    router.add_client(client(1)).await.unwrap();
    Worlds::create(&*router, world(kit_client(1), "W1", 1)).await.unwrap();
    let entries = stores.home.of_world(&id("W1")).await.unwrap();
    let keys: Vec<_> = entries.into_iter().map(|entry| KeyOfWorld { key: entry.key, world: entry.world }).collect();
    assert_eq!(keys.len(), 2);
    assert_eq!(stores.home.begin_move(to_a(), keys).await, Ok(Some(to_a())));
    // The world has left the home. A worker that deletes an expired world with this id must not remove the entries.
    assert_eq!(Worlds::delete(&stores.home, &id("W1")).await, Ok(true));
    stores.b.add_client(client(1)).await.unwrap();
    Worlds::create(&stores.b, world(kit_client(1), "W1", 1)).await.unwrap();
    let late = DateTime::UNIX_EPOCH + TimeDelta::hours(2);
    assert_eq!(router.delete_expired(late, 10).await, Ok(vec![id("W1")]));
    assert_eq!(stores.home.of_world(&id("W1")).await.unwrap().len(), 2);
}

#[tokio::test]
async fn a_slow_call_whose_client_begins_to_move_has_an_unknown_outcome() {
    for number in 0..5 {
        let stores = Stores::default();
        stores.home.add_client(client(1)).await.unwrap();
        stores.home.add_account(account("F1", kit_client(1)), parent("F1")).await.unwrap();
        let directory = LateDirectory { inner: stores.home.clone(), is_broken: false.into(), moves: Some(to_a()) };
        let router = stores.router_by(Arc::new(directory));
        let answer = match number {
            0 => {
                let reach = WebhookReach::of_client(kit_client(1));
                Webhooks::find(&*router, reach, a_webhook().id).await.map(drop)
            }
            1 => Registry::keys(&*router, Some(kit_client(1))).await.map(drop),
            2 => {
                let (key, hash) = key(1, kit_client(1), "F1");
                router.add_key(key, hash).await
            }
            3 => router.add_account(account("F2", kit_client(1)), parent("F2")).await,
            _ => match Worlds::create(&*router, world(kit_client(1), "W1", 1)).await {
                Err(WriteError::Store(error)) => Err(error),
                other => Err(StoreError::Corrupt(format!("{other:?}"))),
            },
        };
        assert!(matches!(answer, Err(StoreError::OutcomeUnknown(_))), "{number}: {answer:?}");
    }
}
