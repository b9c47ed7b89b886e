//! Tests of which lookups reach the store.

use super::*;
use chrono::{DateTime, TimeDelta};
use florin_domain::access::{AccountGrant, ApiClient, ApiKey, Environment};
use florin_domain::ids::{ApiKeyId, ClientId};
use florin_domain::world::Timeline;
use florin_ports::{MockAccounts, MockCallers};
use std::collections::BTreeSet;
use uuid::Uuid;

const CLIENT: ClientId = ClientId(Uuid::nil());

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
    };
    let client = ApiClient { id: CLIENT, name: String::new(), allowed_networks: vec![], features: BTreeSet::new() };
    Caller { key, client }
}

fn account(id: &str) -> Account {
    let id = AccountId::parse(id).unwrap();
    let timeline = Timeline::default();
    Account { id, client: CLIENT, name: String::new(), merchant: true, mfa_required: true, timeline }
}

#[tokio::test(start_paused = true)]
async fn known_keys_are_cached_and_unknown_keys_are_not() {
    let mut mock = MockCallers::new();
    mock.expect_find().times(4).returning(|hash| Ok((hash.0[0] != 0).then(|| caller(hash.0[0]))));
    let recent = CachedCallers::new(Arc::new(mock));
    for number in [1, 2, 1, 2, 1] {
        assert_eq!(recent.find(&KeyHash([number; 32])).await, Ok(Some(caller(number))));
    }
    for _ in 0..2 {
        assert_eq!(recent.find(&KeyHash([0; 32])).await, Ok(None));
    }
}

#[tokio::test(start_paused = true)]
async fn a_cached_key_still_expires() {
    let mut mock = MockCallers::new();
    mock.expect_find().times(1).returning(|_| Ok(Some(caller(1))));
    let recent = CachedCallers::new(Arc::new(mock));
    for (minutes, valid) in [(59, true), (60, false)] {
        let found = recent.find(&KeyHash([1; 32])).await.unwrap().unwrap();
        let now = DateTime::UNIX_EPOCH + TimeDelta::minutes(minutes);
        assert_eq!(found.key.is_valid(Environment::Sandbox, now), valid);
    }
}

#[tokio::test(start_paused = true)]
async fn an_account_is_looked_up_once_and_failures_are_returned() {
    let mut mock = MockAccounts::new();
    mock.expect_find().times(4).returning(|id| match id.as_str() {
        "F3" => Err(StoreError::Unavailable("gone".into())),
        id => Ok(Some(account(id))),
    });
    let recent = CachedAccounts::new(Arc::new(mock));
    for id in ["F1", "F2", "F1", "F2"] {
        assert_eq!(recent.find(&account(id).id).await, Ok(Some(account(id))));
    }
    for _ in 0..2 {
        assert_eq!(recent.find(&account("F3").id).await, Err(StoreError::Unavailable("gone".into())));
    }
}

#[tokio::test(start_paused = true)]
async fn an_account_removed_from_the_cache_is_looked_up_again() {
    let mut mock = MockAccounts::new();
    mock.expect_find().times(2).returning(|id| Ok(Some(account(id.as_str()))));
    mock.expect_forget().times(1).return_const(());
    let recent = CachedAccounts::new(Arc::new(mock));
    let id = account("F1").id;
    for _ in 0..2 {
        assert_eq!(recent.find(&id).await, Ok(Some(account("F1"))));
    }
    recent.forget(&id);
    for _ in 0..2 {
        assert_eq!(recent.find(&id).await, Ok(Some(account("F1"))));
    }
}
