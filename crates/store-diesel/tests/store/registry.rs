//! Clients, keys, accounts and enrolments.

use crate::support::{Fixture, MINE, OTHER, client, id, key, key_hash, noon, parent, seed_data};
use chrono::TimeDelta;
use florin_domain::access::{Account, AccountGrant, ApiClient, Caller, Feature, KeyHash};
use florin_domain::ids::{ApiKeyId, ClientId};
use florin_domain::test_support::an_account;
use florin_ports::{Accounts, Callers, Registry, Seeding, StoreError};
use uuid::Uuid;

fn expect_not_found<T: std::fmt::Debug>(answer: &Result<T, StoreError>) {
    assert!(matches!(answer, Err(StoreError::NotFound(_))), "{answer:?}");
}

fn expect_duplicate<T: std::fmt::Debug>(answer: &Result<T, StoreError>) {
    assert!(matches!(answer, Err(StoreError::Duplicate(_))), "{answer:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn clients_are_sorted_by_name_and_have_features() {
    let fixture = Fixture::seeded().await;
    let seeded = seed_data(0).clients;
    let unicode = ApiClient {
        id: ClientId(Uuid::from_u128(1)),
        name: "Ångström 🧪".into(),
        allowed_networks: vec![],
        features: [Feature::AddressesLookup].into(),
        disabled_at: None,
    };
    fixture.store.add_client(unicode.clone()).await.unwrap();
    let listed = vec![seeded[0].clone(), seeded[1].clone(), unicode.clone()];
    assert_eq!(fixture.store.clients().await.unwrap(), listed);
    expect_duplicate(&fixture.store.add_client(unicode.clone()).await);

    for on in [true, true, false, false, true] {
        fixture.store.set_feature(client(MINE), Feature::AddressesLookup, on).await.unwrap();
        let caller = Callers::find(&fixture.store, &key_hash(MINE)).await.unwrap().unwrap();
        assert_eq!(caller.client.features.contains(&Feature::AddressesLookup), on);
    }
    expect_not_found(&fixture.store.set_feature(ClientId(Uuid::nil()), Feature::AddressesLookup, true).await);
    expect_not_found(&fixture.store.set_feature(ClientId(Uuid::nil()), Feature::AddressesLookup, false).await);
    let blank = ApiClient { id: ClientId(Uuid::nil()), allowed_networks: vec!["10.0.0.0 /8".into()], ..unicode };
    assert!(matches!(fixture.store.add_client(blank).await, Err(StoreError::Corrupt(_))));
}

#[tokio::test(flavor = "multi_thread")]
async fn accounts_are_sorted_by_id_and_belong_to_a_client() {
    let fixture = Fixture::seeded().await;
    let account = Account { client: client(OTHER), name: "9".into(), ..an_account(id("A9")) };
    fixture.store.add_account(account.clone(), parent(&account.id)).await.unwrap();
    assert_eq!(Accounts::find(&fixture.store, &id("A9")).await.unwrap(), Some(account.clone()));
    let ids: Vec<_> = fixture.store.accounts().await.unwrap().into_iter().map(|account| account.id).collect();
    assert_eq!(ids, [id("A9"), id(MINE), id(OTHER)]);
    expect_duplicate(&fixture.store.add_account(account.clone(), parent(&account.id)).await);
    expect_not_found(
        &fixture
            .store
            .add_account(Account { id: id("A8"), client: ClientId(Uuid::nil()), ..account }, parent(&id("A8")))
            .await,
    );
    assert_eq!(Accounts::find(&fixture.store, &id("A8")).await, Ok(None));
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_are_found_by_their_hash() {
    let fixture = Fixture::seeded().await;
    let found = Callers::find(&fixture.store, &key_hash(MINE)).await.unwrap();
    assert_eq!(found, Some(Caller::new(key(MINE), seed_data(0).clients[0].clone())));
    // Only the last byte is wrong. The first eight bytes, by which a key is looked up, are right.
    let KeyHash(mut almost) = key_hash(MINE);
    almost[31] ^= 1;
    assert_eq!(Callers::find(&fixture.store, &KeyHash(almost)).await, Ok(None));
    // Two keys whose hashes have the same first bytes are distinguished.
    let twin =
        florin_domain::access::ApiKey { id: ApiKeyId(Uuid::nil()), accounts: AccountGrant::AllOfClient, ..key(OTHER) };
    fixture.store.add_key(twin.clone(), KeyHash(almost)).await.unwrap();
    assert_eq!(Callers::find(&fixture.store, &KeyHash(almost)).await.unwrap().unwrap().key, twin.into());
    assert_eq!(Callers::find(&fixture.store, &key_hash(MINE)).await.unwrap().unwrap().key, key(MINE).into());
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_reach_only_accounts_of_their_client() {
    let fixture = Fixture::seeded().await;
    let other = |number, grant| {
        let id = ApiKeyId(Uuid::from_u128(number));
        florin_domain::access::ApiKey { id, accounts: AccountGrant::Only(grant), ..key(MINE) }
    };
    let hash = |byte| KeyHash([byte; 32]);
    expect_not_found(&fixture.store.add_key(other(1, [id(OTHER)].into()), hash(1)).await);
    expect_not_found(&fixture.store.add_key(other(1, [id(MINE), id("F9")].into()), hash(1)).await);
    expect_not_found(
        &fixture
            .store
            .add_key(florin_domain::access::ApiKey { client: ClientId(Uuid::nil()), ..other(1, [].into()) }, hash(1))
            .await,
    );
    assert_eq!(Callers::find(&fixture.store, &hash(1)).await, Ok(None));
    fixture.store.add_key(other(1, [].into()), hash(1)).await.unwrap();
    let none = Callers::find(&fixture.store, &hash(1)).await.unwrap().unwrap().key.accounts.clone();
    assert_eq!(none, AccountGrant::Only([].into()));
    expect_duplicate(&fixture.store.add_key(other(1, [].into()), hash(2)).await);
    expect_duplicate(&fixture.store.add_key(other(2, [].into()), hash(1)).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_are_listed_oldest_first_and_revoked_once() {
    let fixture = Fixture::seeded().await;
    let mut older = key(OTHER);
    older.id = ApiKeyId(Uuid::max());
    older.created_at -= TimeDelta::microseconds(1);
    older.expires_at = Some(noon());
    fixture.store.add_key(older.clone(), KeyHash([9; 32])).await.unwrap();
    assert_eq!(fixture.store.keys(None).await.unwrap(), [older.clone(), key(MINE), key(OTHER)]);
    assert_eq!(fixture.store.keys(Some(client(OTHER))).await.unwrap(), [older.clone(), key(OTHER)]);
    let revoked = noon() + TimeDelta::hours(1);
    fixture.store.revoke_key(older.id, revoked).await.unwrap();
    fixture.store.revoke_key(older.id, revoked + TimeDelta::hours(1)).await.unwrap();
    let found = Callers::find(&fixture.store, &KeyHash([9; 32])).await.unwrap().unwrap().key;
    assert_eq!((found.revoked_at, found.expires_at), (Some(revoked), Some(noon())));
    assert_eq!(Callers::find(&fixture.store, &key_hash(OTHER)).await.unwrap().unwrap().key.revoked_at, None);
    expect_not_found(&fixture.store.revoke_key(ApiKeyId(Uuid::nil()), noon()).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fresh_store_has_neither_clients_nor_accounts() {
    let fixture = Fixture::empty();
    assert!(fixture.store.is_fresh().await.unwrap());
    fixture.store.add_client(seed_data(0).clients[0].clone()).await.unwrap();
    assert!(!fixture.store.is_fresh().await.unwrap());
}
