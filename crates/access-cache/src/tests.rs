//! Tests of which lookups reach the store.

use super::*;
use chrono::{DateTime, TimeDelta};
use florin_domain::access::{AccountGrant, ApiClient, ApiKey, Environment};
use florin_domain::ids::{ApiKeyId, ClientId};
use florin_domain::test_support::{CLIENT, an_account};
use florin_ports::{MockAccounts, MockCallers};
use std::collections::BTreeSet;
use std::sync::atomic::AtomicUsize;
use uuid::Uuid;

fn caller(number: u8) -> Caller {
    let key = ApiKey {
        id: ApiKeyId(Uuid::from_u128(number.into())),
        client: CLIENT,
        environment: Environment::Sandbox,
        scopes: BTreeSet::new(),
        accounts: AccountGrant::AllOfClient,
        created_at: DateTime::UNIX_EPOCH,
        expires_at: Some(DateTime::UNIX_EPOCH + TimeDelta::hours(1)),
        revoked_at: None,
        made_by: None,
        replaced_by: None,
        last_used_at: None,
    };
    let client = ApiClient {
        id: CLIENT,
        name: String::new(),
        allowed_networks: vec![],
        features: BTreeSet::new(),
        disabled_at: None,
    };
    Caller::new(key, client)
}

fn account(id: &str) -> Account {
    an_account(AccountId::parse(id).unwrap())
}

#[tokio::test(start_paused = true)]
async fn known_keys_are_cached_and_unknown_keys_are_not() {
    let mut mock = MockCallers::new();
    mock.expect_find().times(4).returning(|hash| Ok((hash.0[0] != 0).then(|| caller(hash.0[0]))));
    let cache = CachedCallers::new(Arc::new(mock));
    for number in [1, 2, 1, 2, 1] {
        assert_eq!(cache.find(&KeyHash([number; 32])).await, Ok(Some(caller(number))));
    }
    for _ in 0..2 {
        assert_eq!(cache.find(&KeyHash([0; 32])).await, Ok(None));
    }
}

#[tokio::test(start_paused = true)]
async fn a_cached_key_still_expires() {
    let mut mock = MockCallers::new();
    mock.expect_find().times(1).returning(|_| Ok(Some(caller(1))));
    let cache = CachedCallers::new(Arc::new(mock));
    for (minutes, valid) in [(59, true), (60, false)] {
        let found = cache.find(&KeyHash([1; 32])).await.unwrap().unwrap();
        let now = DateTime::UNIX_EPOCH + TimeDelta::minutes(minutes);
        assert_eq!(found.key.is_valid(Environment::Sandbox, now), valid);
    }
}

#[tokio::test(start_paused = true)]
async fn a_key_that_may_list_a_world_is_looked_up_once_for_each_request() {
    let mut of_world = caller(1);
    Arc::make_mut(&mut of_world.key).accounts = AccountGrant::Only([account("W1").id].into());
    // In reverse order: the last call returns `None`.
    let mut results = vec![None, Some(of_world.clone()), Some(of_world.clone())];
    let mut mock = MockCallers::new();
    mock.expect_find().times(3).returning(move |_| Ok(results.pop().unwrap()));
    let cache = CachedCallers::new(Arc::new(mock));
    for expected in [Some(of_world.clone()), Some(of_world), None] {
        assert_eq!(cache.find(&KeyHash([1; 32])).await, Ok(expected));
    }
}

#[tokio::test(start_paused = true)]
async fn an_account_is_looked_up_once_and_failures_are_returned() {
    let mut mock = MockAccounts::new();
    mock.expect_find().times(4).returning(|id| match id.as_str() {
        "F3" => Err(StoreError::Unavailable("gone".into())),
        id => Ok(Some(account(id))),
    });
    let cache = CachedAccounts::new(Arc::new(mock));
    for id in ["F1", "F2", "F1", "F2"] {
        assert_eq!(cache.find(&account(id).id).await, Ok(Some(account(id))));
    }
    for _ in 0..2 {
        assert_eq!(cache.find(&account("F3").id).await, Err(StoreError::Unavailable("gone".into())));
    }
}

#[tokio::test(start_paused = true)]
async fn an_account_removed_from_the_cache_is_looked_up_again() {
    let mut mock = MockAccounts::new();
    mock.expect_find().times(2).returning(|id| Ok(Some(account(id.as_str()))));
    mock.expect_forget().times(1).return_const(());
    let cache = CachedAccounts::new(Arc::new(mock));
    let id = account("F1").id;
    for _ in 0..2 {
        assert_eq!(cache.find(&id).await, Ok(Some(account("F1"))));
    }
    cache.forget(&id);
    for _ in 0..2 {
        assert_eq!(cache.find(&id).await, Ok(Some(account("F1"))));
    }
}

/// Returns whether a key reaches an account, and how often the store was asked. An earlier request of the owner has put
/// the account into the cache. The id selects the kind of account: `FOREIGN` belongs to another client, `ABSENT` does
/// not exist, and any other belongs to the key's client.
async fn reach_and_lookups(key: &ApiKey, id: &str) -> (bool, usize) {
    let lookups = Arc::new(AtomicUsize::new(0));
    let mut mock = MockAccounts::new();
    let counted = Arc::clone(&lookups);
    mock.expect_find().returning(move |id| {
        counted.fetch_add(1, Ordering::Relaxed);
        let foreign = ClientId(Uuid::from_u128(7));
        Ok(match id.as_str() {
            "FOREIGN" => Some(Account { client: foreign, ..account("FOREIGN") }),
            "ABSENT" => None,
            id => Some(account(id)),
        })
    });
    let cache = CachedAccounts::new(Arc::new(mock));
    let id = AccountId::parse(id).unwrap();
    // The earlier request of the owner.
    cache.find(&id).await.unwrap();
    lookups.store(0, Ordering::Relaxed);
    let reached = cache.reach(key, &id).await.unwrap();
    (reached.is_some(), lookups.load(Ordering::Relaxed))
}

#[tokio::test(start_paused = true)]
async fn a_foreign_account_costs_as_much_as_an_absent_one() {
    let mut key = caller(1).key;
    assert_eq!(reach_and_lookups(&key, "OWN").await, (true, 0));
    assert_eq!(reach_and_lookups(&key, "FOREIGN").await, (false, 1));
    assert_eq!(reach_and_lookups(&key, "ABSENT").await, (false, 1));
    Arc::make_mut(&mut key).accounts = AccountGrant::Only(BTreeSet::from([account("OWN").id]));
    assert_eq!(reach_and_lookups(&key, "OWN").await, (true, 0));
    for id in ["OTHER", "FOREIGN", "ABSENT"] {
        assert_eq!(reach_and_lookups(&key, id).await, (false, 0), "{id}");
    }
}

#[tokio::test(start_paused = true)]
async fn each_request_for_a_foreign_account_asks_the_store_once() {
    let mut mock = MockAccounts::new();
    let foreign = Account { client: ClientId(Uuid::from_u128(7)), ..account("F1") };
    mock.expect_find().times(3).returning(move |_| Ok(Some(foreign.clone())));
    let cache = CachedAccounts::new(Arc::new(mock));
    for _ in 0..3 {
        assert_eq!(cache.reach(&caller(1).key, &account("F1").id).await, Ok(None));
    }
}
