//! Checks of merchants: profiles and checkouts.

use crate::check::{CheckResult, checks};
use crate::commands::{claim, request};
use crate::expect::{absent, expect_new, expect_some, mismatch, refused, replayed, same};
use crate::factory::Handle;
use crate::merchants::{administer, checkout_id, create_checkout, edit_checkout, edit_profile};
use crate::observe::Observation;
use crate::payments::after;
use crate::seed_data::{Who, account, checkout, gbp, parent_of, profile, seed_store, settlement_account};
use florin_domain::access::Account;
use florin_domain::ids::AccountId;
use florin_domain::merchant::{
    Branding, Checkout, CheckoutEdit, CheckoutFilter, CheckoutKind, CheckoutRefusal, CheckoutSituation, CheckoutStatus,
    Colour, EditCheckoutSituation, EditProfileRefusal, Locale, MerchantName, MerchantPermission, MerchantProfile,
    MerchantStatus, OperatorEdit, ProfileEdit, ShippingOptions, WebUrl,
};
use florin_domain::page::PageRequest;
use florin_domain::text::Text;
use florin_ports::{CreateCheckoutCommand, EditCheckoutCommand, ProfileCommand};
use std::sync::Arc;

checks! {
    "merchants.find.shows_every_member_and_one_account_only" => shows_every_member_and_one_account_only,
    "merchants.find.of_an_unchanged_merchant_has_the_name_of_the_account" =>
        find_of_an_unchanged_merchant_has_the_name_of_the_account,
    "merchants.change.stores_every_member" => stores_every_member,
    "merchants.change.creates_a_profile_for_the_operator_only" => creates_a_profile_for_the_operator_only,
    "merchants.change.refusal_changes_nothing" => refusal_changes_nothing,
    "merchants.change.replay_gives_the_stored_answer" => replay_gives_the_stored_answer,
    "checkouts.create.is_shown_the_merchant_and_stores_every_member" => checkout_created,
    "checkouts.create.counts_those_of_the_account" => counts_those_of_the_account,
    "checkouts.edit.stores_every_member_and_moves_the_counts" => stores_every_member_and_moves_the_counts,
    "checkouts.edit.refusal_changes_nothing" => edit_refusal_changes_nothing,
    "checkouts.edit.replay_gives_the_stored_answer" => edit_replay_gives_the_stored_answer,
    "tenancy.checkouts.find_and_edit_on_one_account_only" => checkouts_find_and_edit_on_one_account_only,
}

/// Creates an account of my client, with a merchant profile or without.
async fn open_account(handle: &Handle, merchant: bool) -> Result<AccountId, crate::check::Failure> {
    let id = AccountId::parse(if merchant { "F8" } else { "F9" })?;
    let fresh = Account { id, merchant, name: "Sklep ✓".into(), ..account(Who::Main)? };
    handle.registry.add_account(fresh.clone(), parent_of(&fresh)?).await?;
    Ok(fresh.id)
}

async fn shows_every_member_and_one_account_only(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    for who in [Who::Main, Who::Other] {
        same("the profile", handle.merchants.find(&who.account()?).await?, Some(profile(who)?))?;
    }
    same("the profile of an unknown account", handle.merchants.find(&AccountId::parse("F99")?).await?, None)
}

async fn find_of_an_unchanged_merchant_has_the_name_of_the_account(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let (merchant, plain) = (open_account(&handle, true).await?, open_account(&handle, false).await?);
    let expected = MerchantProfile::new(merchant.clone(), "Sklep ✓");
    same("the profile of a merchant", handle.merchants.find(&merchant).await?, Some(expected))?;
    same("the profile of an account that is no merchant", handle.merchants.find(&plain).await?, None)
}

async fn stores_every_member(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let edit = ProfileEdit {
        name: Some(MerchantName::parse(" Ève ")?),
        return_policy_url: Some(None),
        hide_service_logo: Some(false),
        primary: Some(None),
        ..ProfileEdit::default()
    };
    let done = expect_new(handle.merchants.change(edit_profile(Who::Main, edit)?).await)?;
    let expected = MerchantProfile {
        name: " Ève ".into(),
        return_policy_url: None,
        branding: Branding::default(),
        ..profile(Who::Main)?
    };
    same("the answer", &done, &expected)?;
    let operator = OperatorEdit {
        status: Some(MerchantStatus::Deactivated),
        permissions: [
            (MerchantPermission::Reconciliation, false),
            (MerchantPermission::CustomiseColours, true),
            (MerchantPermission::CreateTopUpCheckouts, true),
        ]
        .into(),
    };
    expect_new(handle.merchants.change(administer(Who::Main, operator)?).await)?;
    let edit = ProfileEdit {
        return_policy_url: Some(Some(WebUrl::parse("https://shop.example/%C3%A8ve")?)),
        primary: Some(Some(Colour::PRIMARY)),
        background: Some(Some(Colour::WHITE)),
        hide_service_logo: Some(true),
        ..ProfileEdit::default()
    };
    let done = expect_new(handle.merchants.change(edit_profile(Who::Main, edit)?).await)?;
    let permissions = [
        MerchantPermission::CustomiseColours,
        MerchantPermission::HideServiceLogo,
        MerchantPermission::CreateTopUpCheckouts,
    ];
    let branding =
        Branding { primary: Some(Colour::PRIMARY), background: Some(Colour::WHITE), hide_service_logo: true };
    let expected = MerchantProfile {
        status: MerchantStatus::Deactivated,
        return_policy_url: Some(WebUrl::parse("https://shop.example/%C3%A8ve")?),
        branding,
        permissions: permissions.into(),
        ..expected
    };
    same("the second answer", &done, &expected)?;
    same("what is stored", handle.merchants.find(&Who::Main.account()?).await?, Some(expected))?;
    same("the other profile", handle.merchants.find(&Who::Other.account()?).await?, Some(profile(Who::Other)?))
}

async fn creates_a_profile_for_the_operator_only(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let plain = open_account(&handle, false).await?;
    let on = |command: ProfileCommand| ProfileCommand { account: plain.clone(), ..command };
    let edit = on(edit_profile(Who::Main, ProfileEdit::default())?);
    absent("a change by the merchant", &handle.merchants.change(edit).await)?;
    let done = expect_new(handle.merchants.change(on(administer(Who::Main, OperatorEdit::default())?)).await)?;
    same("the new profile", &done, &MerchantProfile::new(plain.clone(), "Sklep ✓"))?;
    same("what is stored", handle.merchants.find(&plain).await?, Some(done))?;
    let listed = handle.registry.accounts().await?.into_iter().find(|account| account.id == plain);
    same("the account is a merchant", expect_some("the account", listed)?.merchant, true)?;
    let nobody = AccountId::parse("F99")?;
    let unknown = ProfileCommand { account: nobody, ..administer(Who::Main, OperatorEdit::default())? };
    absent("an unknown account", &handle.merchants.change(unknown).await)
}

async fn refusal_changes_nothing(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let before = Observation::take(&handle, 1).await?;
    let edit = ProfileEdit { permissions: [(MerchantPermission::CustomiseColours, true)].into(), ..Default::default() };
    let mut command = edit_profile(Who::Main, edit)?;
    command.claim = Some(claim(Who::Main, "key", "{}")?);
    let refusal = EditProfileRefusal::NotEnabled(MerchantPermission::CustomiseColours);
    same("the refusal", refused(handle.merchants.change(command).await)?, refusal)?;
    before.still_holds("a refused change", &handle).await?;
    let mut command = edit_profile(Who::Main, ProfileEdit::default())?;
    command.claim = Some(claim(Who::Main, "key", "{}")?);
    expect_new(handle.merchants.change(command).await).map(drop)
}

async fn replay_gives_the_stored_answer(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let command = |name: &str, body| {
        let edit = ProfileEdit { name: Some(MerchantName::parse(name)?), ..ProfileEdit::default() };
        let claim = Some(claim(Who::Main, "key", body)?);
        Ok::<_, crate::check::Failure>(ProfileCommand { claim, ..edit_profile(Who::Main, edit)? })
    };
    let done = expect_new(handle.merchants.change(command("One", "{}")?).await)?;
    let answer = replayed(handle.merchants.change(command("Two", "{}")?).await)?;
    same("the answer", answer.body, format!("{done:?}"))?;
    same("the first request", mismatch(handle.merchants.change(command("Two", "[]")?).await)?, request("{}"))?;
    let found = handle.merchants.find(&Who::Main.account()?).await?;
    same("the name", expect_some("the profile", found)?.name.as_str(), "One")
}

async fn checkout_created(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let mine = Who::Main.account()?;
    let mut command = create_checkout(Who::Main, 1, Some(Who::Main.settlement_account()))?;
    let rule = command.decide;
    let expected = (profile(Who::Main)?, vec![settlement_account(Who::Main)?]);
    command.decide = Arc::new(move |situation: &CheckoutSituation| {
        if (&situation.profile, &situation.accounts) == (&expected.0, &expected.1) {
            rule(situation)
        } else {
            Err(CheckoutRefusal::NoDefault)
        }
    });
    let made = expect_new(handle.checkouts.create(command).await)?;
    same("what is found", handle.checkouts.find(&mine, checkout_id(1)).await?, Some(made.clone()))?;
    let listed = handle.checkouts.list(&mine, CheckoutFilter::default(), PageRequest::default()).await?;
    same("the count", (listed.count, listed.rows.contains(&made)), (2, true))?;
    let refusal =
        refused(handle.checkouts.create(create_checkout(Who::Main, 2, Some(Who::Other.settlement_account()))?).await)?;
    same("a foreign settlement account", refusal, CheckoutRefusal::NoSettlementAccount)?;
    let nobody = create_checkout(Who::Main, 3, None)?;
    let plain = open_account(&handle, false).await?;
    let command = CreateCheckoutCommand { account: plain, ..nobody };
    absent("an account without a profile", &handle.checkouts.create(command).await)
}

async fn counts_those_of_the_account(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    expect_new(handle.checkouts.create(create_checkout(Who::Main, 1, None)?).await)?;
    let edit = CheckoutEdit { status: Some(CheckoutStatus::Deactivated), ..CheckoutEdit::default() };
    expect_new(handle.checkouts.edit(edit_checkout(Who::Main, checkout_id(1), edit, after(1))?).await)?;
    let (mine, page) = (Who::Main.account()?, PageRequest::default());
    let listed = handle.checkouts.list(&mine, CheckoutFilter::default(), page).await?.count.unsigned_abs();
    let count = |situation: &CheckoutSituation| Err(CheckoutRefusal::TooMany { max: situation.checkouts });
    let command = CreateCheckoutCommand { decide: Arc::new(count), ..create_checkout(Who::Main, 2, None)? };
    same("the checkouts", refused(handle.checkouts.create(command).await)?, CheckoutRefusal::TooMany { max: listed })
}

async fn stores_every_member_and_moves_the_counts(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let mine = Who::Main.account()?;
    let made = expect_new(handle.checkouts.create(create_checkout(Who::Main, 1, None)?).await)?;
    let (return_url, locale) = (WebUrl::parse("https://shop.example/other")?, Locale::parse("zh-Hant-TW")?);
    let dynamic_rates_url = Some(WebUrl::parse("https://rates.example/")?);
    let options = ShippingOptions { collect_address: true, dynamic_rates_url };
    let edit = CheckoutEdit {
        name: Some(Text::parse(" Žluťoučký ")?),
        status: Some(CheckoutStatus::Deactivated),
        return_url: Some(return_url.clone()),
        locale: Some(Some(locale.clone())),
        settlement_account: Some(Some(Who::Main.settlement_account())),
        shipping: Some(Some(options.clone())),
    };
    let command = edit_checkout(Who::Main, checkout_id(1), edit, after(5))?;
    let done = expect_new(handle.checkouts.edit(command).await)?;
    let expected = Checkout {
        name: Some(" Žluťoučký ".into()),
        status: CheckoutStatus::Deactivated,
        return_url,
        locale: Some(locale),
        kind: CheckoutKind::Shopping {
            settlement_account: Some(Who::Main.settlement_account()),
            shipping: Some(options),
        },
        updated_at: after(5),
        ..made
    };
    same("the answer", &done, &expected)?;
    same("what is found", handle.checkouts.find(&mine, checkout_id(1)).await?, Some(expected.clone()))?;
    let count = async |status| {
        let filter = CheckoutFilter { checkout_type: None, status: Some(status) };
        Ok::<_, crate::check::Failure>(handle.checkouts.list(&mine, filter, PageRequest::default()).await?.count)
    };
    same("deactivated", count(CheckoutStatus::Deactivated).await?, 1)?;
    same("active", count(CheckoutStatus::Active).await?, 1)?;
    let clear = CheckoutEdit {
        status: Some(CheckoutStatus::Active),
        locale: Some(None),
        settlement_account: Some(None),
        shipping: Some(None),
        ..CheckoutEdit::default()
    };
    expect_new(handle.checkouts.edit(edit_checkout(Who::Main, checkout_id(1), clear, after(6))?).await)?;
    same("active again", (count(CheckoutStatus::Active).await?, count(CheckoutStatus::Deactivated).await?), (2, 0))?;
    let kind = CheckoutKind::Shopping { settlement_account: None, shipping: None };
    let expected = Checkout { status: CheckoutStatus::Active, locale: None, kind, updated_at: after(6), ..expected };
    same("what is cleared", handle.checkouts.find(&mine, checkout_id(1)).await?, Some(expected))?;
    let report = handle.books_check.check_all().await?;
    same("whether the check of the books finds nothing", report.discrepancies.is_empty(), true)
}

async fn edit_refusal_changes_nothing(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let before = Observation::take(&handle, 1).await?;
    let edit = CheckoutEdit { status: Some(CheckoutStatus::Deactivated), ..CheckoutEdit::default() };
    let id = checkout(Who::Main, 1)?.id;
    let mut command = edit_checkout(Who::Main, id, edit, after(1))?;
    command.claim = Some(claim(Who::Main, "key", "{}")?);
    command.decide = Arc::new(|_: &EditCheckoutSituation| Err(CheckoutRefusal::NoDefault));
    refused(handle.checkouts.edit(command).await)?;
    before.still_holds("a refused change", &handle).await
}

async fn edit_replay_gives_the_stored_answer(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let id = checkout(Who::Main, 1)?.id;
    let command = |name: &str| {
        let edit = CheckoutEdit { name: Some(Text::parse(name)?), ..CheckoutEdit::default() };
        let claim = Some(claim(Who::Main, "key", "{}")?);
        Ok::<_, crate::check::Failure>(EditCheckoutCommand { claim, ..edit_checkout(Who::Main, id, edit, after(1))? })
    };
    let done = expect_new(handle.checkouts.edit(command("One")?).await)?;
    let answer = replayed(handle.checkouts.edit(command("Two")?).await)?;
    same("the answer", answer.body, format!("{done:?}"))?;
    let found = handle.checkouts.find(&Who::Main.account()?, id).await?;
    same("the name", expect_some("the checkout", found)?.name.as_deref(), Some("One"))
}

async fn checkouts_find_and_edit_on_one_account_only(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let before = Observation::take(&handle, 1).await?;
    let theirs = checkout(Who::Other, 1)?;
    same("a foreign checkout", handle.checkouts.find(&Who::Main.account()?, theirs.id).await?, None)?;
    same("its currency", theirs.currency, gbp()?)?;
    let edit = CheckoutEdit { status: Some(CheckoutStatus::Deactivated), ..CheckoutEdit::default() };
    let command = edit_checkout(Who::Main, theirs.id, edit, after(1))?;
    absent("a change of a foreign checkout", &handle.checkouts.edit(command).await)?;
    before.still_holds("foreign ids", &handle).await
}
