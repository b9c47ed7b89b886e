//! Checks of the administration of clients, accounts and keys.

use crate::check::{CheckResult, Failure, checks};
use crate::expect::{duplicate, expect_some, not_found, same};
use crate::factory::Handle;
use crate::seed_data::{Who, key, noon, seed_store, uuid};
use crate::worlds::{command, seed_all_but_my_account};
use chrono::{DateTime, TimeDelta, Utc};
use florin_domain::access::{AccountGrant, ApiClient, ApiKey, ClientChange, KeyHash, KeyRotation, RotateRefusal};
use florin_domain::ids::{AccountId, ApiKeyId, ClientId};
use florin_domain::world::CreateWorldRefusal;
use florin_ports::{CreateWorldCommand, KeyUse, WriteError};
use std::sync::Arc;

checks! {
    "registry.change_client.changes_what_is_given" => change_client,
    "registry.set_disabled.the_first_time_counts" => the_first_time_counts,
    "registry.rename_account.of_one_account" => rename_account_of_one_account,
    "registry.rotate_key.stores_a_successor_and_an_end" => stores_a_successor_and_an_end,
    "registry.rotate_key.refusal_changes_nothing" => rotate_refused,
    "registry.rotate_key.hands_worlds_over" => rotate_worlds,
    "registry.revoke_key.ends_the_keys_of_its_worlds" => revoke_worlds,
    "worlds.create.by_a_revoked_key_is_refused" (Sandbox) => by_a_revoked_key,
    "key_upkeep.record_uses.the_latest_counts" => the_latest_counts,
    "key_upkeep.expiring.in_order_of_their_end" => expiring_in_order_of_their_end,
}

const NEW_HASH: KeyHash = KeyHash([60; 32]);

async fn client(handle: &Handle, id: ClientId) -> Result<ApiClient, Failure> {
    expect_some("the client", handle.registry.clients().await?.into_iter().find(|client| client.id == id))
}

async fn key_of(handle: &Handle, id: ApiKeyId) -> Result<ApiKey, Failure> {
    expect_some("the key", handle.registry.keys(None).await?.into_iter().find(|key| key.id == id))
}

async fn change_client(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let (id, other) = (Who::Main.client(), client(&handle, Who::Other.client()).await?);
    let mut expected = client(&handle, id).await?;
    expected.name = "Renamed".into();
    let renamed = ClientChange { name: Some("Renamed".into()), allowed_networks: None };
    handle.registry.change_client(id, renamed).await?;
    same("the renamed client", client(&handle, id).await?, expected.clone())?;
    for networks in [vec!["192.0.2.0/24".to_owned(), "2001:db8::/32".to_owned()], vec![]] {
        expected.allowed_networks.clone_from(&networks);
        let change = ClientChange { name: None, allowed_networks: Some(networks) };
        handle.registry.change_client(id, change).await?;
        same("the client", client(&handle, id).await?, expected.clone())?;
        let caller = expect_some("the caller", handle.callers.find(&Who::Main.key_hash()).await?)?;
        same("the caller's client", caller.client, expected.clone().into())?;
    }
    same("the other client", client(&handle, other.id).await?, other)?;
    let unknown = handle.registry.change_client(ClientId(uuid(1, 99)), ClientChange::default()).await;
    not_found("a change of an unknown client", &unknown)
}

async fn the_first_time_counts(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let (id, later) = (Who::Main.client(), noon() + TimeDelta::microseconds(1));
    for (at, expected) in
        [(Some(noon()), Some(noon())), (Some(later), Some(noon())), (None, None), (Some(later), Some(later))]
    {
        handle.registry.set_disabled(id, at).await?;
        same("the time at which the client was disabled", client(&handle, id).await?.disabled_at, expected)?;
        let caller = expect_some("the caller", handle.callers.find(&Who::Main.key_hash()).await?)?;
        same("the caller's client", caller.client.disabled_at, expected)?;
    }
    same("the other client", client(&handle, Who::Other.client()).await?.disabled_at, None)?;
    for at in [Some(later), None] {
        not_found("an unknown client", &handle.registry.set_disabled(ClientId(uuid(1, 99)), at).await)?;
    }
    Ok(())
}

async fn rename_account_of_one_account(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let (mine, other) = (Who::Main.account()?, Who::Other.account()?);
    let before = expect_some("the other account", handle.accounts.find(&other).await?)?;
    let mut expected = expect_some("the account", handle.accounts.find(&mine).await?)?;
    expected.name = "Çelik".into();
    handle.registry.rename_account(&mine, "Çelik".into()).await?;
    same("the account", expect_some("the account", handle.accounts.find(&mine).await?)?, expected)?;
    same("the other account", expect_some("the other account", handle.accounts.find(&other).await?)?, before)?;
    not_found("an unknown account", &handle.registry.rename_account(&AccountId::parse("F404")?, "x".into()).await)
}

/// Returns a rule that rotates a key with an overlap of one hour.
fn rotation_rule(id: u128) -> impl Fn(&ApiKey) -> Result<KeyRotation, RotateRefusal> + Clone {
    move |key| key.rotate(ApiKeyId(uuid(4, id)), noon(), TimeDelta::hours(1), None)
}

async fn stores_a_successor_and_an_end(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let old = key(Who::Main)?;
    let rotation = handle.registry.rotate_key(old.id, NEW_HASH, Arc::new(rotation_rule(60))).await?;
    same("the rotation", &Ok(rotation.clone()), &rotation_rule(60)(&old))?;
    let successor = expect_some("the successor", handle.callers.find(&NEW_HASH).await?)?.key;
    same("the successor", &*successor, &rotation.successor)?;
    same("its accounts", &successor.accounts, &old.accounts)?;
    let replaced_by = Some(rotation.successor.id);
    let ends = ApiKey { expires_at: Some(noon() + TimeDelta::hours(1)), replaced_by, ..old };
    let found = expect_some("the old key", handle.callers.find(&Who::Main.key_hash()).await?)?;
    same("the old key", found.key, ends.into())?;
    same("another key", key_of(&handle, key(Who::Other)?.id).await?, key(Who::Other)?)
}

async fn rotate_refused(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let before = handle.registry.keys(None).await?;
    let id = key(Who::Main)?.id;
    let refused = handle.registry.rotate_key(id, NEW_HASH, Arc::new(|_| Err(RotateRefusal::Revoked))).await;
    same("a refusal", refused, Err(WriteError::Refused(RotateRefusal::Revoked)))?;
    let absent = handle.registry.rotate_key(ApiKeyId(uuid(4, 99)), NEW_HASH, Arc::new(rotation_rule(60))).await;
    same("an unknown key", absent, Err(WriteError::Absent))?;
    let taken = handle.registry.rotate_key(id, Who::Other.key_hash(), Arc::new(rotation_rule(60))).await;
    match taken {
        Err(WriteError::Store(error)) => duplicate("a hash in use", &Err::<(), _>(error))?,
        other => same("a hash in use", other.is_err(), true)?,
    }
    same("the keys", handle.registry.keys(None).await?, before)
}

/// Creates a key of my client, and the key of a world that this key created. Key 71 is of a world that another key
/// created.
async fn maker_and_made(handle: &Handle) -> Result<(ApiKeyId, ApiKeyId), Failure> {
    seed_store(handle).await?;
    let maker = key(Who::Main)?.id;
    let made = ApiKey { id: ApiKeyId(uuid(4, 70)), made_by: Some(maker), ..key(Who::Main)? };
    handle.registry.add_key(made.clone(), KeyHash([70; 32])).await?;
    let unrelated = ApiKey { id: ApiKeyId(uuid(4, 71)), made_by: Some(key(Who::Other)?.id), ..key(Who::Main)? };
    handle.registry.add_key(unrelated, KeyHash([71; 32])).await?;
    Ok((maker, made.id))
}

async fn rotate_worlds(handle: Handle) -> CheckResult {
    let (maker, made) = maker_and_made(&handle).await?;
    let rotation = handle.registry.rotate_key(maker, NEW_HASH, Arc::new(rotation_rule(60))).await?;
    same("the maker", key_of(&handle, made).await?.made_by, Some(rotation.successor.id))?;
    same("the maker of another key", key_of(&handle, ApiKeyId(uuid(4, 71))).await?.made_by, Some(key(Who::Other)?.id))?;
    handle.registry.revoke_key(maker, noon()).await?;
    same("the key of the world after the old key was revoked", key_of(&handle, made).await?.revoked_at, None)
}

async fn revoke_worlds(handle: Handle) -> CheckResult {
    let (maker, made) = maker_and_made(&handle).await?;
    handle.registry.revoke_key(maker, noon()).await?;
    same("the key of the world", key_of(&handle, made).await?.revoked_at, Some(noon()))?;
    same("the key of another world", key_of(&handle, ApiKeyId(uuid(4, 71))).await?.revoked_at, None)?;
    handle.registry.revoke_key(made, noon() + TimeDelta::hours(1)).await?;
    same("the time of the first revocation", key_of(&handle, made).await?.revoked_at, Some(noon()))
}

async fn by_a_revoked_key(handle: Handle) -> CheckResult {
    seed_all_but_my_account(&handle).await?;
    let maker = ApiKey { id: ApiKeyId(uuid(4, 80)), accounts: AccountGrant::AllOfClient, ..key(Who::Main)? };
    handle.registry.add_key(maker.clone(), KeyHash([80; 32])).await?;
    handle.registry.revoke_key(maker.id, noon()).await?;
    let base = command()?;
    let key = ApiKey { made_by: Some(maker.id), ..base.key.clone() };
    let refused = handle.worlds.create(CreateWorldCommand { key, ..base }).await;
    same("a world of a revoked key", refused.err(), Some(WriteError::Refused(CreateWorldRefusal::KeyRevoked)))?;
    same("the account", handle.accounts.find(&Who::Main.account()?).await?, None)
}

async fn the_latest_counts(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let (mine, other) = (key(Who::Main)?.id, key(Who::Other)?.id);
    let unknown = ApiKeyId(uuid(4, 99));
    let at = |seconds| noon() + TimeDelta::seconds(seconds);
    let used = |key, seconds| KeyUse { key, at: at(seconds) };
    for (seconds, expected) in [(5, 5), (3, 5), (9, 9)] {
        handle.key_upkeep.record_uses(vec![used(unknown, 1), used(mine, seconds)]).await?;
        same("the last use", key_of(&handle, mine).await?.last_used_at, Some(at(expected)))?;
    }
    same("the last use of another key", key_of(&handle, other).await?.last_used_at, None)?;
    handle.key_upkeep.record_uses(vec![]).await?;
    same("the keys", handle.registry.keys(None).await?.len(), 2)
}

async fn expiring_in_order_of_their_end(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let at = |hours| noon() + TimeDelta::hours(hours);
    let ending = |number, expires_at: DateTime<Utc>| {
        Ok::<_, Failure>(ApiKey { id: ApiKeyId(uuid(4, number)), expires_at: Some(expires_at), ..key(Who::Main)? })
    };
    let keys = [
        ending(50, at(3))?,
        ending(51, at(1))?,
        ending(52, at(0))?,
        ending(53, at(3) + TimeDelta::microseconds(1))?,
        ending(54, at(2))?,
        ApiKey { revoked_at: Some(noon()), ..ending(55, at(2))? },
        ApiKey { made_by: Some(key(Who::Main)?.id), ..ending(56, at(2))? },
        ApiKey { client: Who::Other.client(), accounts: AccountGrant::AllOfClient, ..ending(57, at(2))? },
    ];
    for (number, key) in (50..).zip(&keys) {
        handle.registry.add_key(key.clone(), KeyHash([number; 32])).await?;
    }
    handle.registry.set_disabled(Who::Other.client(), Some(noon())).await?;
    let found = handle.key_upkeep.expiring(noon(), at(3), 9).await?;
    same("the keys that expire", found, vec![keys[1].clone(), keys[4].clone(), keys[0].clone()])?;
    same("the first", handle.key_upkeep.expiring(noon(), at(3), 1).await?, vec![keys[1].clone()])
}
