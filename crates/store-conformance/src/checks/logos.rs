//! Checks of the logos of merchants.

use crate::check::{CheckResult, Failure, checks};
use crate::commands::{claim, request};
use crate::expect::{absent, expect_new, expect_some, expect_true, mismatch, replayed, same, store_failed};
use crate::factory::Handle;
use crate::merchants::{administer, edit_profile};
use crate::observe::Observation;
use crate::seed_data::{Who, account, noon, parent_of, profile, seed_store, uuid};
use crate::worlds::{command, copy, restore, seed_all_but_my_account, snapshot};
use chrono::TimeDelta;
use florin_domain::access::Account;
use florin_domain::ids::{AccountId, LogoId};
use florin_domain::merchant::{Logo, MerchantName, MerchantProfile, OperatorEdit, ProfileEdit};
use florin_ports::{SetLogoCommand, StoreError};

checks! {
    "logos.set.stores_every_byte_and_shows_the_id_with_the_profile" =>
        stores_every_byte_and_shows_the_id_with_the_profile,
    "logos.set.replaces_the_previous_logo" => replaces_the_previous_logo,
    "logos.set.needs_a_profile" => no_profile,
    "logos.set.an_id_of_another_account_is_a_duplicate" => an_id_of_another_account_is_a_duplicate,
    "logos.set.replay_gives_the_stored_answer" => replay_gives_the_stored_answer,
    "logos.stay_while_the_profile_changes" => stay_while_the_profile_changes,
    "tenancy.logos.belong_to_one_account" => logos_belong_to_one_account,
    "worlds.restore.puts_the_logo_back" (Sandbox) => puts_the_logo_back,
    "worlds.create.a_copied_logo_has_an_id_of_its_own" (Sandbox) => a_copied_logo_has_an_id_of_its_own,
    "worlds.delete.takes_the_logo" (Sandbox) => takes_the_logo,
}

/// Returns logo `number` of an account. Its bytes are not text.
fn logo(account: &AccountId, number: u8) -> Logo {
    let png = [&b"\x89PNG\0\xff\xfe"[..], &[number; 300], &[0]].concat();
    let created_at = noon() + TimeDelta::microseconds(i64::from(number));
    Logo { id: LogoId(uuid(110, number.into())), account: account.clone(), png, created_at }
}

fn set_logo(account: &AccountId, number: u8) -> SetLogoCommand {
    SetLogoCommand { logo: logo(account, number), claim: None }
}

/// Expects that an account shows logo `number`, and that the logo is found by its id.
async fn expect_logo(handle: &Handle, account: &AccountId, number: u8) -> CheckResult {
    let found = expect_some("the profile", handle.merchants.find(account).await?)?;
    let expected = logo(account, number);
    same("the id with the profile", found.logo, Some(expected.id))?;
    same("the logo", handle.merchants.logo(expected.id).await?, Some(expected))
}

async fn expect_no_logo(handle: &Handle, what: &str, account: &AccountId, number: u8) -> CheckResult {
    same(what, handle.merchants.logo(logo(account, number).id).await?, None)
}

async fn stores_every_byte_and_shows_the_id_with_the_profile(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let mine = Who::Main.account()?;
    let done = expect_new(handle.merchants.set_logo(set_logo(&mine, 1)).await)?;
    same("the answer", done, MerchantProfile { logo: Some(logo(&mine, 1).id), ..profile(Who::Main)? })?;
    expect_logo(&handle, &mine, 1).await?;
    let found = expect_some("the logo", handle.merchants.logo(logo(&mine, 1).id).await?)?;
    same("every byte", found.png, logo(&mine, 1).png)?;
    expect_no_logo(&handle, "an unknown id", &mine, 2).await?;
    // A merchant whose profile was never changed.
    let fresh = Account { id: AccountId::parse("F8")?, ..account(Who::Main)? };
    handle.registry.add_account(fresh.clone(), parent_of(&fresh)?).await?;
    expect_new(handle.merchants.set_logo(set_logo(&fresh.id, 2)).await)?;
    expect_logo(&handle, &fresh.id, 2).await
}

async fn replaces_the_previous_logo(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let mine = Who::Main.account()?;
    for number in [1, 2, 3] {
        expect_new(handle.merchants.set_logo(set_logo(&mine, number)).await)?;
        expect_logo(&handle, &mine, number).await?;
        expect_no_logo(&handle, "the previous logo", &mine, number - 1).await?;
    }
    Ok(())
}

async fn no_profile(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let plain = Account { id: AccountId::parse("F9")?, merchant: false, ..account(Who::Main)? };
    handle.registry.add_account(plain.clone(), parent_of(&plain)?).await?;
    for account in [plain.id, AccountId::parse("F99")?] {
        absent("an account without a profile", &handle.merchants.set_logo(set_logo(&account, 1)).await)?;
        expect_no_logo(&handle, "its logo", &account, 1).await?;
    }
    Ok(())
}

async fn an_id_of_another_account_is_a_duplicate(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let (mine, other) = (Who::Main.account()?, Who::Other.account()?);
    expect_new(handle.merchants.set_logo(set_logo(&other, 1)).await)?;
    let before = Observation::take(&handle, 1).await?;
    let error = store_failed(handle.merchants.set_logo(set_logo(&mine, 1)).await)?;
    expect_true(&format!("not a duplicate: {error:?}"), matches!(error, StoreError::Duplicate(_)))?;
    before.still_holds("a duplicate", &handle).await
}

async fn replay_gives_the_stored_answer(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let mine = Who::Main.account()?;
    let command = |number, body| {
        let claim = Some(claim(Who::Main, "key", body)?);
        Ok::<_, Failure>(SetLogoCommand { claim, ..set_logo(&mine, number) })
    };
    let done = expect_new(handle.merchants.set_logo(command(1, "{}")?).await)?;
    let answer = replayed(handle.merchants.set_logo(command(2, "{}")?).await)?;
    same("the answer", answer.body, format!("{done:?}"))?;
    same("the first request", mismatch(handle.merchants.set_logo(command(2, "[]")?).await)?, request("{}"))?;
    expect_logo(&handle, &mine, 1).await
}

async fn stay_while_the_profile_changes(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let mine = Who::Main.account()?;
    expect_new(handle.merchants.set_logo(set_logo(&mine, 1)).await)?;
    let edit = ProfileEdit { name: Some(MerchantName::parse("New")?), ..ProfileEdit::default() };
    let done = expect_new(handle.merchants.change(edit_profile(Who::Main, edit)?).await)?;
    same("the answer to the merchant", done.logo, Some(logo(&mine, 1).id))?;
    let done = expect_new(handle.merchants.change(administer(Who::Main, OperatorEdit::default())?).await)?;
    same("the answer to the operator", done.logo, Some(logo(&mine, 1).id))?;
    expect_logo(&handle, &mine, 1).await
}

async fn logos_belong_to_one_account(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let (mine, other) = (Who::Main.account()?, Who::Other.account()?);
    expect_new(handle.merchants.set_logo(set_logo(&mine, 1)).await)?;
    same("the other profile", handle.merchants.find(&other).await?, Some(profile(Who::Other)?))?;
    expect_new(handle.merchants.set_logo(set_logo(&other, 2)).await)?;
    expect_logo(&handle, &mine, 1).await?;
    expect_logo(&handle, &other, 2).await
}

async fn puts_the_logo_back(handle: Handle) -> CheckResult {
    seed_all_but_my_account(&handle).await?;
    handle.worlds.create(command()?).await?;
    let mine = Who::Main.account()?;
    expect_new(handle.worlds.take_snapshot(snapshot(1)?).await)?;
    expect_new(handle.merchants.set_logo(set_logo(&mine, 1)).await)?;
    expect_new(handle.worlds.take_snapshot(snapshot(2)?).await)?;
    expect_new(handle.merchants.set_logo(set_logo(&mine, 2)).await)?;
    expect_new(handle.worlds.restore(restore(2)?).await)?;
    expect_logo(&handle, &mine, 1).await?;
    expect_no_logo(&handle, "the later logo", &mine, 2).await?;
    expect_new(handle.worlds.restore(restore(1)?).await)?;
    expect_no_logo(&handle, "the logo of no snapshot", &mine, 1).await?;
    same("the profile", handle.merchants.find(&mine).await?, Some(profile(Who::Main)?))
}

async fn a_copied_logo_has_an_id_of_its_own(handle: Handle) -> CheckResult {
    seed_all_but_my_account(&handle).await?;
    handle.worlds.create(command()?).await?;
    let mine = Who::Main.account()?;
    expect_new(handle.merchants.set_logo(set_logo(&mine, 1)).await)?;
    expect_new(handle.worlds.take_snapshot(snapshot(1)?).await)?;
    for (name, key) in [("W1", 102), ("W2", 103)] {
        handle.worlds.create(copy(name, key, None)?).await?;
        let account = AccountId::parse(name)?;
        let original = logo(&mine, 1);
        let expected = Logo { id: original.id.copied_to(&account), account: account.clone(), ..original };
        let found = expect_some("the profile of the copy", handle.merchants.find(&account).await?)?;
        same("the id of the copy", found.logo, Some(expected.id))?;
        same("the logo of the copy", handle.merchants.logo(expected.id).await?, Some(expected))?;
    }
    expect_logo(&handle, &mine, 1).await?;
    handle.worlds.delete(&mine).await?;
    let one = AccountId::parse("W1")?;
    let kept = handle.merchants.logo(logo(&mine, 1).id.copied_to(&one)).await?;
    same("the copy outlives the original", kept.map(|logo| logo.png), Some(logo(&mine, 1).png))
}

async fn takes_the_logo(handle: Handle) -> CheckResult {
    seed_all_but_my_account(&handle).await?;
    handle.worlds.create(command()?).await?;
    let (mine, other) = (Who::Main.account()?, Who::Other.account()?);
    expect_new(handle.merchants.set_logo(set_logo(&mine, 1)).await)?;
    expect_new(handle.merchants.set_logo(set_logo(&other, 2)).await)?;
    handle.worlds.delete(&mine).await?;
    expect_no_logo(&handle, "the logo of a deleted world", &mine, 1).await?;
    expect_logo(&handle, &other, 2).await
}
