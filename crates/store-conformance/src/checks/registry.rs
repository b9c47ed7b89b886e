//! Checks of the records that an operator manages.

use crate::check::{CheckResult, checks};
use crate::expect::{duplicate, expect_some, not_found, same};
use crate::factory::Handle;
use crate::seed_data::{Who, account, bank, client, key, noon, parent_of, seed_store, uuid};
use chrono::TimeDelta;
use florin_domain::access::{AccountGrant, ApiClient, ApiKey, Feature, KeyHash};
use florin_domain::address::{Address, UkPostcode};
use florin_domain::ids::{AccountId, ApiKeyId, ClientId};
use florin_domain::mfa::TotpEnrolment;
use florin_domain::page::PageRequest;
use florin_domain::secret::SealedSecret;

checks! {
    "registry.clients.by_name_then_by_id" => clients_in_order,
    "registry.add_client.twice_is_a_duplicate" => client_twice,
    "registry.set_feature.switches_and_is_idempotent" => switches_and_is_idempotent,
    "registry.set_feature.unknown_client_is_not_found" => unknown_client,
    "registry.accounts.by_id" => accounts_in_order,
    "registry.add_account.duplicate_and_not_found" => account_constraints,
    "registry.set_mfa_required.of_one_account" => mfa_policy,
    "registry.enrol.replaces_and_removes" => replaces_and_removes,
    "registry.unlock_enrolment.forgets_wrong_tokens" => forgets_wrong_tokens,
    "registry.keys.oldest_first_and_of_one_client" => keys_in_order,
    "registry.add_key.duplicate_and_not_found" => key_constraints,
    "registry.add_key.all_or_nothing" => key_all_or_nothing,
    "registry.revoke_key.first_time_counts" => first_time_counts,
    "registry.replace_banks.all_or_nothing" => replace_banks,
    "registry.replace_addresses.replaces_all" => replace_addresses,
}

async fn clients_in_order(handle: Handle) -> CheckResult {
    let names = ["", "Ann", "Ann", "Bob", "ann", "Çelik", "\u{ff5e}", "\u{1f600}"];
    let expected: Vec<_> = (1..).zip(names).map(|(number, name)| client(ClientId(uuid(1, number)), name)).collect();
    for place in [3, 7, 2, 0, 6, 1, 5, 4] {
        handle.registry.add_client(expected[place].clone()).await?;
    }
    same("all clients", handle.registry.clients().await?, expected)
}

async fn client_twice(handle: Handle) -> CheckResult {
    let id = ClientId(uuid(1, 1));
    let first = client(id, "first");
    handle.registry.add_client(first.clone()).await?;
    let second = ApiClient { features: [].into(), ..client(id, "second") };
    duplicate("a client of the same id", &handle.registry.add_client(second).await)?;
    handle.registry.add_client(client(ClientId(uuid(1, 2)), "first")).await?;
    same("the clients", handle.registry.clients().await?, vec![first, client(ClientId(uuid(1, 2)), "first")])
}

async fn switches_and_is_idempotent(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let id = Who::Main.client();
    for on in [false, false, true, true, false] {
        handle.registry.set_feature(id, Feature::AddressesLookup, on).await?;
        let clients = handle.registry.clients().await?;
        let of = |id| clients.iter().find(|client| client.id == id).map(|client| client.features.len());
        same("features of both clients", (of(id), of(Who::Other.client())), (Some(1 + usize::from(on)), Some(2)))?;
        let caller = expect_some("the caller", handle.callers.find(&Who::Main.key_hash()).await?)?;
        same("the caller's features", caller.client.features.contains(&Feature::AddressesLookup), on)?;
        same("the client", handle.accounts.client(id).await?, Some((*caller.client).clone()))?;
    }
    Ok(())
}

async fn unknown_client(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    for on in [true, false] {
        let answer = handle.registry.set_feature(ClientId(uuid(1, 99)), Feature::AddressesLookup, on).await;
        not_found("a feature of an unknown client", &answer)?;
    }
    same("an unknown client", handle.accounts.client(ClientId(uuid(1, 99))).await?, None)?;
    Ok(())
}

async fn accounts_in_order(handle: Handle) -> CheckResult {
    handle.registry.add_client(client(Who::Main.client(), "Ann")).await?;
    let ids = ["1", "F1", "F10", "F2", "f1", "Éa", "\u{ff5e}", "\u{1f600}"];
    let mut expected = Vec::new();
    for id in ids {
        let base = account(Who::Main)?;
        let even = expected.len() % 2 == 0;
        expected.push(florin_domain::access::Account {
            id: AccountId::parse(id)?,
            merchant: even,
            mfa_required: !even,
            unique_budget_names: expected.len() % 3 == 0,
            timeline: florin_domain::world::Timeline::default(),
            ..base
        });
    }
    for place in [5, 0, 7, 1, 6, 3, 2, 4] {
        handle.registry.add_account(expected[place].clone(), parent_of(&expected[place])?).await?;
    }
    same("all accounts", handle.registry.accounts().await?, expected)
}

async fn account_constraints(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let before = handle.registry.accounts().await?;
    let mut taken = account(Who::Main)?;
    taken.client = Who::Other.client();
    duplicate("an account of the same id", &handle.registry.add_account(taken.clone(), parent_of(&taken)?).await)?;
    taken.id = AccountId::parse("F9")?;
    taken.client = ClientId(uuid(1, 99));
    let parent = parent_of(&taken)?;
    not_found("an account of an unknown client", &handle.registry.add_account(taken, parent).await)?;
    same("the accounts", handle.registry.accounts().await?, before)
}

async fn keys_in_order(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let mut expected = vec![key(Who::Main)?, key(Who::Other)?];
    // Two keys of the same age, and two of other ages.
    for (number, age) in [(12, 5), (11, 5), (10, 9), (13, 1)] {
        let id = ApiKeyId(uuid(4, number));
        let who = if number % 2 == 0 { Who::Main } else { Who::Other };
        let one = ApiKey { id, created_at: noon() - TimeDelta::microseconds(age), ..key(who)? };
        handle.registry.add_key(one.clone(), KeyHash([u8::try_from(number).unwrap_or(0); 32])).await?;
        expected.push(one);
    }
    expected.sort_by_key(|key| (key.created_at, key.id));
    same("all keys", handle.registry.keys(None).await?, expected.clone())?;
    expected.retain(|key| key.client == Who::Main.client());
    same("the keys of one client", handle.registry.keys(Some(Who::Main.client())).await?, expected)?;
    same("the keys of nobody", handle.registry.keys(Some(ClientId(uuid(1, 99)))).await?, vec![])
}

async fn key_constraints(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let before = handle.registry.keys(None).await?;
    let new = ApiKey { id: ApiKeyId(uuid(4, 50)), ..key(Who::Main)? };
    let hash = KeyHash([50; 32]);
    duplicate("a key of the same id", &handle.registry.add_key(key(Who::Main)?, hash).await)?;
    duplicate("a key of the same hash", &handle.registry.add_key(new.clone(), Who::Other.key_hash()).await)?;
    let orphan = ApiKey { client: ClientId(uuid(1, 99)), accounts: AccountGrant::AllOfClient, ..new };
    not_found("a key of an unknown client", &handle.registry.add_key(orphan, hash).await)?;
    same("the keys", handle.registry.keys(None).await?, before)
}

async fn key_all_or_nothing(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let hash = KeyHash([50; 32]);
    for stranger in [Who::Other.account()?, AccountId::parse("F99")?] {
        let accounts = AccountGrant::Only([Who::Main.account()?, stranger].into());
        let new = ApiKey { id: ApiKeyId(uuid(4, 50)), accounts, ..key(Who::Main)? };
        not_found("a key with an account that is not its client's", &handle.registry.add_key(new, hash).await)?;
        same("the caller of a key that was not stored", handle.callers.find(&hash).await?, None)?;
        same("the number of keys", handle.registry.keys(None).await?.len(), 2)?;
    }
    Ok(())
}

async fn first_time_counts(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let id = key(Who::Main)?.id;
    let first = noon() + TimeDelta::microseconds(1);
    for at in [first, first + TimeDelta::days(1), first - TimeDelta::days(1)] {
        handle.registry.revoke_key(id, at).await?;
        let caller = expect_some("the caller", handle.callers.find(&Who::Main.key_hash()).await?)?;
        same("when the key was revoked", caller.key.revoked_at, Some(first))?;
    }
    let other = expect_some("the caller", handle.callers.find(&Who::Other.key_hash()).await?)?;
    same("when another key was revoked", other.key.revoked_at, None)?;
    not_found("an unknown key", &handle.registry.revoke_key(ApiKeyId(uuid(4, 99)), first).await)
}

async fn replace_banks(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let new = vec![bank(2, "renamed")?, bank(3, "third")?];
    handle.registry.replace_banks(new.clone()).await?;
    same("the new banks", handle.banks.list(PageRequest::default()).await?.rows, new.clone())?;
    let twice = vec![bank(7, "a")?, bank(8, "b")?, bank(7, "c")?];
    duplicate("a bank list with an id twice", &handle.registry.replace_banks(twice).await)?;
    same("the banks after a failure", handle.banks.list(PageRequest::default()).await?.rows, new)?;
    handle.registry.replace_banks(vec![]).await?;
    same("the count of no banks", handle.banks.list(PageRequest::default()).await?.count, 0)
}

async fn replace_addresses(handle: Handle) -> CheckResult {
    let address =
        |postcode: &str, city: &str| Address { postcode: postcode.into(), city: city.into(), ..Address::default() };
    let (first, second) = (UkPostcode::parse("SW1A1AA")?, UkPostcode::parse("M11AE")?);
    handle.registry.replace_addresses(vec![address("SW1A1AA", "one"), address("SW1A1AA", "one")]).await?;
    same("equal addresses", handle.addresses.find(&first).await?.len(), 2)?;
    handle.registry.replace_addresses(vec![address("M11AE", "two")]).await?;
    same("addresses that were replaced", handle.addresses.find(&first).await?, vec![])?;
    same("the new addresses", handle.addresses.find(&second).await?, vec![address("M11AE", "two")])
}

async fn mfa_policy(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let (mine, other) = (&Who::Main.account()?, &Who::Other.account()?);
    let before = expect_some("the other account", handle.accounts.find(other).await?)?;
    for required in [false, false, true] {
        handle.registry.set_mfa_required(mine, required).await?;
        same("the policy", expect_some("the account", handle.accounts.find(mine).await?)?.mfa_required, required)?;
    }
    handle.registry.set_mfa_required(mine, false).await?;
    same("the other account", expect_some("the other account", handle.accounts.find(other).await?)?, before)?;
    not_found("an unknown account", &handle.registry.set_mfa_required(&AccountId::parse("F404")?, true).await)
}

async fn forgets_wrong_tokens(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let mine = &Who::Main.account()?;
    let secret = SealedSecret::new(vec![1; 20]);
    let locked = TotpEnrolment {
        used_steps: vec![7],
        wrong_at: vec![noon()],
        locked_until: Some(noon()),
        unforgiven: 59,
        forgiven_at: Some(noon()),
        ..TotpEnrolment::new(mine.clone(), secret)
    };
    handle.registry.enrol(locked.clone()).await?;
    let elsewhere = handle.mfa.enrolment(&Who::Other.account()?).await?;
    same("whether there is one", handle.registry.unlock_enrolment(mine).await?, true)?;
    same("the enrolment", handle.mfa.enrolment(mine).await?, Some(locked.unlocked()))?;
    same("the enrolment of the other account", handle.mfa.enrolment(&Who::Other.account()?).await?, elsewhere)?;
    handle.registry.remove_enrolment(mine).await?;
    same("whether there is one", handle.registry.unlock_enrolment(mine).await?, false)?;
    not_found("an unknown account", &handle.registry.unlock_enrolment(&AccountId::parse("F404")?).await)
}

async fn replaces_and_removes(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let (mine, other) = (&Who::Main.account()?, &Who::Other.account()?);
    let fresh = |account: &AccountId, byte| TotpEnrolment::new(account.clone(), SealedSecret::new(vec![byte; 20]));
    let elsewhere = handle.mfa.enrolment(other).await?;
    let with_attempts =
        TotpEnrolment { used_steps: vec![7], wrong_at: vec![noon()], locked_until: Some(noon()), ..fresh(mine, 1) };
    for enrolment in [with_attempts, fresh(mine, 2)] {
        handle.registry.enrol(enrolment.clone()).await?;
        same("the enrolment", handle.mfa.enrolment(mine).await?, Some(enrolment))?;
    }
    for exists in [true, false] {
        same("whether there was one", handle.registry.remove_enrolment(mine).await?, exists)?;
        same("the enrolment", handle.mfa.enrolment(mine).await?, None)?;
    }
    same("the enrolment of the other account", handle.mfa.enrolment(other).await?, elsewhere)?;
    let nobody = AccountId::parse("F404")?;
    not_found("an unknown account", &handle.registry.enrol(fresh(&nobody, 3)).await)?;
    not_found("an unknown account", &handle.registry.remove_enrolment(&nobody).await)
}
