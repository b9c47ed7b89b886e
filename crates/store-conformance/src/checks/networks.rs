//! Checks of the profiles of accounts, and of the networks that clients may call from.

use super::people::second_account;
use crate::check::{CheckResult, Failure, checks};
use crate::expect::{expect_some, same};
use crate::factory::Handle;
use crate::seed_data::{Who, account, gbp, jpy, key, noon, seed_store, uuid};
use florin_domain::access::{
    AccountGrant, AccountProfile, AllowedNetwork, ApiKey, ClientChange, NetworkRefusal, NewNetwork, decide_add_network,
};
use florin_domain::ids::{AccountId, ClientId, NetworkId};
use florin_domain::money::Currency;
use florin_domain::page::PageRequest;
use florin_domain::text::Text;
use florin_domain::world::CreationClaim;
use florin_ports::{Decide, WriteError};
use std::sync::Arc;

checks! {
    "networks.networks.are_those_of_the_operator_and_of_callers" => networks_are_those_of_the_operator_and_of_callers,
    "networks.change_networks.stores_every_member_and_decides_who_may_call" =>
        stores_every_member_and_decides_who_may_call,
    "networks.change_networks.refusal_changes_nothing" => refusal_changes_nothing,
    "networks.change_networks.follows_the_operator" => follows_the_operator,
    "account_profiles.profile.has_the_currencies_of_the_parent_budget" =>
        profile_has_the_currencies_of_the_parent_budget,
    "account_profiles.profiles.are_those_that_the_key_reaches" => profiles_are_those_that_the_key_reaches,
}

type Change = Decide<Vec<AllowedNetwork>, Result<Vec<AllowedNetwork>, NetworkRefusal>>;

/// The networks of the seeded clients.
const SEEDED: [&str; 2] = ["10.0.0.0/8", "fd00::/8"];

/// Returns network `number`, with a value for every member.
fn entry(number: u128, network: &str) -> Result<AllowedNetwork, Failure> {
    Ok(AllowedNetwork {
        id: NetworkId(uuid(97, number)),
        network: network.into(),
        description: Some(Text::parse("Büro \"Süd\" ✓")?),
        created_at: Some(noon()),
        claim: Some(CreationClaim { key: format!("key {number}"), request: "a".repeat(64) }),
    })
}

/// Builds the rule that adds a network.
pub(super) fn rule_that_adds(number: u128, network: &str) -> Result<Change, Failure> {
    let new = NewNetwork { entry: entry(number, network)?, covers_caller: true, max: 100 };
    Ok(Arc::new(move |listed: &Vec<AllowedNetwork>| decide_add_network(listed, &new)))
}

fn of_operator() -> Vec<AllowedNetwork> {
    SEEDED.map(|network| AllowedNetwork::of_operator(Who::Main.client(), network.into())).into()
}

async fn networks_are_those_of_the_operator_and_of_callers(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let (mine, nobody) = (Who::Main.client(), ClientId(uuid(1, 99)));
    same("the networks that the operator allows", handle.networks.networks(mine).await?, of_operator())?;
    same("the networks of an unknown client", handle.networks.networks(nobody).await?, vec![])?;
    let absent = handle.networks.change_networks(nobody, rule_that_adds(1, "192.0.2.0/24")?).await;
    same("a change of an unknown client", absent, Err(WriteError::Absent))
}

async fn stores_every_member_and_decides_who_may_call(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let (mine, other) = (Who::Main.client(), Who::Other.client());
    let mut expected = of_operator();
    for (number, network) in [(1, "192.0.2.0/24"), (2, "2001:db8::1/128")] {
        expected.push(entry(number, network)?);
        let changed = handle.networks.change_networks(mine, rule_that_adds(number, network)?).await?;
        same("what was changed", &changed, &expected)?;
        same("what is found", handle.networks.networks(mine).await?, expected.clone())?;
    }
    let caller = expect_some("the caller", handle.callers.find(&Who::Main.key_hash()).await?)?;
    let networks: Vec<_> = expected.iter().map(|entry| entry.network.clone()).collect();
    same("what decides who may call", &caller.client.allowed_networks, &networks)?;
    let left = expected.remove(2);
    let only: Change = Arc::new(move |listed: &Vec<AllowedNetwork>| {
        Ok(listed.iter().filter(|entry| entry.id == left.id).cloned().collect())
    });
    let changed = handle.networks.change_networks(mine, only).await?;
    same("what is left", &changed, &vec![entry(1, "192.0.2.0/24")?])?;
    same("what is found", handle.networks.networks(mine).await?, changed)?;
    let theirs = handle.networks.networks(other).await?;
    same("the other client", theirs.len(), SEEDED.len())
}

async fn refusal_changes_nothing(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let mine = Who::Main.client();
    let refused = handle.networks.change_networks(mine, rule_that_adds(1, SEEDED[0])?).await;
    same("a network on the list", refused, Err(WriteError::Refused(NetworkRefusal::AlreadyListed)))?;
    same("the networks", handle.networks.networks(mine).await?, of_operator())
}

async fn follows_the_operator(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let mine = Who::Main.client();
    handle.networks.change_networks(mine, rule_that_adds(1, "192.0.2.0/24")?).await?;
    let networks = vec!["192.0.2.0/24".to_owned(), "198.51.100.0/24".to_owned()];
    let change = ClientChange { name: None, allowed_networks: Some(networks) };
    handle.registry.change_client(mine, change).await?;
    let expected = vec![entry(1, "192.0.2.0/24")?, AllowedNetwork::of_operator(mine, "198.51.100.0/24".into())];
    same("after the operator's change", handle.networks.networks(mine).await?, expected)
}

fn profile_of(account: florin_domain::access::Account) -> Result<AccountProfile, Failure> {
    let currencies = vec![Currency::parse("EUR")?, gbp()?, jpy()?];
    Ok(AccountProfile { account, opened_at: Some(noon()), currencies })
}

async fn profile_has_the_currencies_of_the_parent_budget(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let found = expect_some("the profile", handle.profiles.profile(&Who::Main.account()?).await?)?;
    same("the profile", found, profile_of(account(Who::Main)?)?)?;
    same("the profile of an unknown account", handle.profiles.profile(&AccountId::parse("F404")?).await?, None)
}

async fn profiles_are_those_that_the_key_reaches(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let second = second_account(&handle).await?;
    let mine = Who::Main.account()?;
    let list = async |accounts: AccountGrant, limit, offset| {
        let key = ApiKey { accounts, ..key(Who::Main)? };
        let page = handle.profiles.profiles(&key, PageRequest { limit, offset }).await?;
        Ok::<_, Failure>((page.count, page.rows))
    };
    let of = |id: &AccountId| profile_of(florin_domain::access::Account { id: id.clone(), ..account(Who::Main)? });
    let only = |ids: Vec<AccountId>| AccountGrant::Only(ids.into_iter().collect());
    same("all profiles", list(AccountGrant::AllOfClient, 9, 0).await?, (2, vec![of(&mine)?, of(&second)?]))?;
    same("a page of profiles", list(AccountGrant::AllOfClient, 1, 1).await?, (2, vec![of(&second)?]))?;
    same("profiles for a key of one account", list(only(vec![second.clone()]), 9, 0).await?, (1, vec![of(&second)?]))?;
    let foreign = only(vec![Who::Other.account()?, mine.clone()]);
    same(
        "profiles for a key that also names an account of another client",
        list(foreign, 9, 0).await?,
        (1, vec![of(&mine)?]),
    )?;
    same("profiles for a key of no account", list(only(vec![]), 9, 0).await?, (0, vec![]))
}
