//! Checks of callers and accounts.

use crate::check::{CheckResult, checks};
use crate::expect::{expect_some, same};
use crate::factory::Handle;
use crate::seed_data::{BOTH, Who, account, client, key, noon, parent_of, seed_store, uuid};
use chrono::TimeDelta;
use florin_domain::access::{AccountGrant, ApiKey, Caller, KeyHash};
use florin_domain::ids::{AccountId, ApiKeyId};

checks! {
    "callers.find.returns_the_key_with_its_client" => key_with_client,
    "callers.find.shows_revoked_and_expired_keys" => revoked_and_expired,
    "callers.find.compares_the_whole_hash" => whole_hash,
    "callers.find.keys_reach_the_accounts_they_list" => listed_accounts,
    "accounts.find.returns_any_account" => any_account,
    "accounts.find.compares_ids_exactly" => exact_ids,
}

async fn key_with_client(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    for who in BOTH {
        let expected = Caller::new(key(who)?, client(who.client(), &format!("client {}", who.number())));
        same("the caller", handle.callers.find(&who.key_hash()).await?, Some(expected))?;
    }
    same("the caller of an unknown hash", handle.callers.find(&KeyHash([7; 32])).await?, None)
}

async fn revoked_and_expired(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let old = noon() - TimeDelta::days(400);
    let id = ApiKeyId(uuid(4, 9));
    let expired = ApiKey { id, expires_at: Some(old), ..key(Who::Main)? };
    handle.registry.add_key(expired.clone(), KeyHash([9; 32])).await?;
    handle.registry.revoke_key(key(Who::Main)?.id, noon()).await?;
    let found = expect_some("the expired key", handle.callers.find(&KeyHash([9; 32])).await?)?;
    same("the expired key", found.key, expired.into())?;
    let found = expect_some("the revoked key", handle.callers.find(&Who::Main.key_hash()).await?)?;
    let revoked = ApiKey { revoked_at: Some(noon()), ..key(Who::Main)? };
    same("the revoked key", found.key, revoked.into())
}

async fn whole_hash(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let hashes = [0, 8, 31].map(|place| {
        let mut hash = Who::Main.key_hash();
        hash.0[place] ^= 0x80;
        hash
    });
    for (number, hash) in (10..).zip(hashes) {
        same("the caller of a hash that differs in one bit", handle.callers.find(&hash).await?, None)?;
        let other = ApiKey { id: ApiKeyId(uuid(4, number)), ..key(Who::Main)? };
        handle.registry.add_key(other.clone(), hash).await?;
        let found = expect_some("a key", handle.callers.find(&hash).await?)?;
        same("the key of a hash that differs in one bit", found.key, other.into())?;
    }
    let found = expect_some("a key", handle.callers.find(&Who::Main.key_hash()).await?)?;
    same("the first key", found.key, key(Who::Main)?.into())
}

async fn listed_accounts(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let second = AccountId::parse("F11")?;
    let mut more = account(Who::Main)?;
    more.id = second.clone();
    let parent = parent_of(&more)?;
    handle.registry.add_account(more, parent).await?;
    let grants = [
        AccountGrant::AllOfClient,
        AccountGrant::Only([].into()),
        AccountGrant::Only([Who::Main.account()?].into()),
        AccountGrant::Only([Who::Main.account()?, second].into()),
    ];
    for (number, accounts) in (20..).zip(grants) {
        let hash = KeyHash([number; 32]);
        let expected = ApiKey { id: ApiKeyId(uuid(4, number.into())), accounts, ..key(Who::Main)? };
        handle.registry.add_key(expected.clone(), hash).await?;
        let found = expect_some("a key", handle.callers.find(&hash).await?)?;
        same("a key with its accounts", found.key, expected.into())?;
    }
    Ok(())
}

async fn any_account(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    for who in BOTH {
        same("the account", handle.accounts.find(&who.account()?).await?, Some(account(who)?))?;
    }
    Ok(())
}

async fn exact_ids(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    for other in ["f1", "F1 ", " F1", "F", "F1%", "F_", "Ｆ1", "F¹"] {
        let id = AccountId::parse(other)?;
        same(&format!("the account `{other}`"), handle.accounts.find(&id).await?, None)?;
    }
    Ok(())
}
