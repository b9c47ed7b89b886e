//! Checks of subscriptions to events.

use crate::check::{CheckResult, Failure, checks};
use crate::commands::request;
use crate::expect::{absent, expect_new, expect_true, mismatch, refused, replayed, same};
use crate::factory::Handle;
use crate::seed_data::{Who, noon, seed_store};
use crate::webhooks::{account_reach, change, claimed, create, id, reach, subscribe, webhook};
use chrono::TimeDelta;
use florin_domain::ids::WebhookId;
use florin_domain::page::PageRequest;
use florin_domain::secret::{SealedSecret, SecretFilter, SecretKeyId, SecretOwner};
use florin_domain::test_support::disabled_by_client;
use florin_domain::webhook::{
    CheckoutIds, DisabledReason, FirstFailure, Webhook, WebhookRefusal, WebhookState, WebhookUrl,
};
use florin_ports::{ChangeWebhookCommand, StoredResponse, StoredSecret, WebhookReach};
use std::sync::Arc;

checks! {
    "webhooks.create.stores_every_member" => create_whole,
    "webhooks.create.counts_the_subscriptions_of_the_client" => counts_the_subscriptions_of_the_client,
    "webhooks.list.oldest_first_in_pages_of_the_reach" => list_oldest_first_in_pages_of_the_reach,
    "webhooks.reach.others_are_absent" => others_are_absent,
    "webhooks.reach.includes_those_without_an_account_if_it_says_so" => includes_those_without_an_account_if_it_says_so,
    "webhooks.change.refusal_changes_nothing" => refusal_changes_nothing,
    "webhooks.delete.deletes_one" => deletes_one,
    "webhooks.repeats.are_replayed_unless_the_answer_was_a_secret" =>
        repeats_are_replayed_unless_the_answer_was_a_secret,
    "webhooks.repeats.keys_are_per_client" => keys_are_per_client,
    "webhooks.records_expire" => records_expire,
    "webhooks.secrets.are_found_and_replaced" => secrets_are_found_and_replaced,
}

async fn create_whole(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let checkout = florin_domain::ids::CheckoutId(crate::seed_data::uuid(70, 1));
    let at = noon() + TimeDelta::microseconds(1);
    let complete = Webhook {
        state: WebhookState::Disabled { at, reason: Some(DisabledReason::Failing) },
        url: WebhookUrl::stored("https://example.com/ünïcode?a=1".into()),
        type_name: "RoqqettPaymentFailed".into(),
        kind: florin_domain::event::EventKind::MerchantPaymentFailed,
        filter: Some(CheckoutIds::new(vec![checkout, florin_domain::ids::CheckoutId(crate::seed_data::uuid(70, 2))])?),
        ordered: true,
        secrets: SealedSecret::new(vec![0, 1, 255]),
        failing: Some(FirstFailure {
            account: Who::Main.account()?,
            since: noon(),
            real_since: noon() - TimeDelta::days(9),
        }),
        updated_at: noon() + TimeDelta::microseconds(3),
        resumptions: 7,
        ..webhook(Who::Main, 1)?
    };
    let plain = Webhook { account: None, ..webhook(Who::Main, 2)? };
    for stored in [complete, plain] {
        same("the answer", expect_new(handle.webhooks.create(create(stored.clone())).await)?, stored.clone())?;
        same("the subscription", handle.webhooks.find(reach(Who::Main), stored.id).await?, Some(stored.clone()))?;
        let state = if stored.state.is_enabled() { disabled_by_client() } else { WebhookState::Enabled };
        let touched = Webhook { updated_at: noon() + TimeDelta::hours(1), state, ..stored };
        let changed = expect_new(handle.webhooks.change(change(Who::Main, touched.clone())).await)?;
        same("the change", changed, touched.clone())?;
        same("the subscription", handle.webhooks.find(reach(Who::Main), touched.id).await?, Some(touched))?;
    }
    Ok(())
}

async fn counts_the_subscriptions_of_the_client(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    subscribe(&handle, Who::Other, 9).await?;
    for number in 1..=2 {
        let mut command = create(webhook(Who::Main, number)?);
        command.decide = Arc::new(|existing| if *existing < 1 { Ok(()) } else { Err(WebhookRefusal::TooMany) });
        let created = handle.webhooks.create(command).await;
        match number {
            1 => drop(expect_new(created)?),
            _ => same("the refusal", refused(created)?, WebhookRefusal::TooMany)?,
        }
    }
    same("the number of subscriptions", handle.webhooks.list(reach(Who::Main), PageRequest::default()).await?.count, 1)
}

async fn list_oldest_first_in_pages_of_the_reach(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let mut all = Vec::new();
    for number in [3, 1, 2] {
        let made =
            Webhook { created_at: noon() + TimeDelta::seconds(i64::from(number != 3)), ..webhook(Who::Main, number)? };
        expect_new(handle.webhooks.create(create(made.clone())).await)?;
        all.push(made);
    }
    subscribe(&handle, Who::Other, 9).await?;
    let mut seen = Vec::new();
    for offset in 0..3 {
        let page = handle.webhooks.list(reach(Who::Main), PageRequest { limit: 1, offset }).await?;
        same("the count", page.count, 3)?;
        seen.extend(page.rows);
    }
    same("my subscriptions", seen, all)?;
    same("all subscriptions", handle.webhooks.all().await?.len(), 4)
}

async fn others_are_absent(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    subscribe(&handle, Who::Main, 1).await?;
    expect_new(handle.webhooks.create(create(Webhook { account: None, ..webhook(Who::Main, 2)? })).await)?;
    let (mine, other) = (Who::Main.account()?, Who::Other.account()?);
    let cases = [
        (reach(Who::Main), [true, true]),
        (account_reach(Who::Main, mine.clone()), [true, false]),
        (account_reach(Who::Main, other), [false, false]),
        (reach(Who::Other), [false, false]),
        (account_reach(Who::Other, mine.clone()), [false, false]),
        (WebhookReach { accounts: Some([].into()), ..account_reach(Who::Main, mine) }, [false, false]),
    ];
    for (reach, expected) in cases {
        expect_reach(&handle, &reach, expected).await?;
    }
    same("the number of remaining subscriptions", handle.webhooks.all().await?.len(), 2)
}

async fn includes_those_without_an_account_if_it_says_so(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    subscribe(&handle, Who::Main, 1).await?;
    expect_new(handle.webhooks.create(create(Webhook { account: None, ..webhook(Who::Main, 2)? })).await)?;
    let (mine, other) = (Who::Main.account()?, Who::Other.account()?);
    let with_accountless = |reach: WebhookReach| WebhookReach { has_accountless: true, ..reach };
    let cases = [
        (with_accountless(account_reach(Who::Main, mine.clone())), [true, true]),
        (with_accountless(account_reach(Who::Main, other)), [false, true]),
        (with_accountless(account_reach(Who::Other, mine.clone())), [false, false]),
        (account_reach(Who::Main, mine), [true, false]),
        (WebhookReach { has_accountless: false, ..reach(Who::Main) }, [true, false]),
    ];
    for (reach, expected) in &cases {
        expect_reach(&handle, reach, *expected).await?;
    }
    expect_new(handle.webhooks.delete(cases[1].0.clone(), id(2), noon(), None).await)?;
    same("the number of remaining subscriptions", handle.webhooks.all().await?.len(), 1)
}

/// Checks which of the subscriptions 1 and 2 are in reach: these are listed, found and changed, and others are absent.
async fn expect_reach(handle: &Handle, reach: &WebhookReach, expected: [bool; 2]) -> CheckResult {
    let count = handle.webhooks.list(reach.clone(), PageRequest::default()).await?.count;
    same("the count", usize::try_from(count).ok(), Some(expected.iter().filter(|seen| **seen).count()))?;
    for (number, is_seen) in (1..).zip(expected) {
        let found = handle.webhooks.find(reach.clone(), id(number)).await?;
        same("whether it is found", found.is_some(), is_seen)?;
        let to = found.map_or_else(|| webhook(Who::Main, number), Ok)?;
        let command = ChangeWebhookCommand { reach: reach.clone(), ..change(Who::Main, to) };
        let changed = handle.webhooks.change(command).await;
        if is_seen {
            expect_new(changed)?;
        } else {
            absent("a change", &changed)?;
            absent("a deletion", &handle.webhooks.delete(reach.clone(), id(number), noon(), None).await)?;
        }
    }
    Ok(())
}

async fn refusal_changes_nothing(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let before = subscribe(&handle, Who::Main, 1).await?;
    let mut command = change(Who::Main, Webhook { ordered: true, ..before.clone() });
    command.decide = Arc::new(|_| Err(WebhookRefusal::Changed));
    same("the refusal", refused(handle.webhooks.change(command).await)?, WebhookRefusal::Changed)?;
    same("the subscription", handle.webhooks.find(reach(Who::Main), id(1)).await?, Some(before))
}

async fn deletes_one(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    subscribe(&handle, Who::Main, 1).await?;
    let kept = subscribe(&handle, Who::Main, 2).await?;
    expect_new(handle.webhooks.delete(reach(Who::Main), id(1), noon(), None).await)?;
    same("the remaining subscriptions", handle.webhooks.all().await?, vec![kept])?;
    absent("a second deletion", &handle.webhooks.delete(reach(Who::Main), id(1), noon(), None).await)
}

async fn repeats_are_replayed_unless_the_answer_was_a_secret(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let made = webhook(Who::Main, 1)?;
    let claim_for = |key: &str, body: &str, answer: Option<StoredResponse>| claimed(Who::Main, key, body, answer);
    let claimed_create = |number, body: &str| -> Result<_, Failure> {
        let mut command = create(webhook(Who::Main, number)?);
        command.claim = Some(claim_for("create", body, None)?);
        Ok(command)
    };
    expect_new(handle.webhooks.create(claimed_create(1, "a")?).await)?;
    let again = handle.webhooks.create(claimed_create(2, "a")?).await;
    same("a repeated creation", refused(again)?, WebhookRefusal::ShownOnce)?;
    let other = mismatch(handle.webhooks.create(claimed_create(3, "b")?).await)?;
    same("the first request", other.path, request("{}").path)?;
    same("the subscriptions", handle.webhooks.all().await?, vec![made.clone()])?;

    let stored = StoredResponse { status: 200, body: "ünïcode".into() };
    let edit = |ordered| -> Result<_, Failure> {
        let mut command = change(Who::Main, Webhook { ordered, ..made.clone() });
        command.claim = Some(claim_for("edit", "c", Some(stored.clone()))?);
        Ok(command)
    };
    expect_new(handle.webhooks.change(edit(true)?).await)?;
    same("the replay", replayed(handle.webhooks.change(edit(false)?).await)?, stored.clone())?;
    let found = handle.webhooks.find(reach(Who::Main), id(1)).await?;
    expect_true("the replay took effect", found.is_some_and(|found| found.ordered))?;

    let gone = StoredResponse { status: 204, body: String::new() };
    let claim = || claimed(Who::Main, "delete", "", Some(gone.clone()));
    expect_new(handle.webhooks.delete(reach(Who::Main), id(1), noon(), Some(claim()?)).await)?;
    same("the replay", replayed(handle.webhooks.delete(reach(Who::Main), id(1), noon(), Some(claim()?)).await)?, gone)
}

async fn keys_are_per_client(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    for (number, who) in [(1, Who::Main), (2, Who::Other)] {
        let mut command = create(webhook(who, number)?);
        command.claim = Some(claimed(who, "k", "a", None)?);
        expect_new(handle.webhooks.create(command).await)?;
    }
    let mut other_case = create(webhook(Who::Main, 3)?);
    other_case.claim = Some(claimed(Who::Main, "K", "a", None)?);
    expect_new(handle.webhooks.create(other_case).await)?;
    Ok(())
}

async fn records_expire(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let claimed_create = |number| -> Result<_, Failure> {
        let mut command = create(webhook(Who::Main, number)?);
        command.claim = Some(claimed(Who::Main, "k", "a", None)?);
        Ok(command)
    };
    expect_new(handle.webhooks.create(claimed_create(1)?).await)?;
    same("deleted records before any has expired", handle.upkeep.delete_idempotency_records(noon(), 10).await?, 0)?;
    same("deleted", handle.upkeep.delete_idempotency_records(noon() + TimeDelta::microseconds(1), 10).await?, 1)?;
    expect_new(handle.webhooks.create(claimed_create(2)?).await)?;
    Ok(())
}

async fn secrets_are_found_and_replaced(handle: Handle) -> CheckResult {
    const OLD: SecretKeyId = SecretKeyId([1; 8]);
    const NEW: SecretKeyId = SecretKeyId([2; 8]);
    seed_store(&handle).await?;
    let sealed = |key, number| SealedSecret::encrypted(key, &[number; 60]);
    let made = Webhook { secrets: sealed(OLD, 1), ..webhook(Who::Main, 1)? };
    expect_new(handle.webhooks.create(create(made)).await)?;
    let owner = SecretOwner::Webhook(id(1));
    let stored = |owner: &SecretOwner, secret| StoredSecret { owner: owner.clone(), secret };
    let found = handle.secrets.secrets(SecretFilter::NotUnder(NEW), 99).await?;
    expect_true("its secrets are not found", found.contains(&stored(&owner, sealed(OLD, 1))))?;
    let replace =
        async |owner: &SecretOwner, old, new| Ok::<_, Failure>(handle.secrets.replace_secret(owner, &old, new).await?);
    same("a secret that is not the stored one", replace(&owner, sealed(OLD, 2), sealed(NEW, 3)).await?, false)?;
    same(
        "the secret of an unknown subscription",
        replace(&SecretOwner::Webhook(WebhookId(crate::seed_data::uuid(71, 99))), sealed(OLD, 1), sealed(NEW, 3))
            .await?,
        false,
    )?;
    same("the stored secret", replace(&owner, sealed(OLD, 1), sealed(NEW, 4)).await?, true)?;
    let found = handle.webhooks.find(reach(Who::Main), id(1)).await?;
    same(
        "the secrets",
        found.map(|webhook| webhook.secrets.as_bytes().to_vec()),
        Some(sealed(NEW, 4).as_bytes().to_vec()),
    )?;
    let found = handle.secrets.secrets(SecretFilter::NotUnder(NEW), 99).await?;
    expect_true("they are found again", !found.iter().any(|found| found.owner == owner))?;
    expect_new(handle.webhooks.delete(reach(Who::Main), id(1), noon(), None).await)?;
    let found = handle.secrets.secrets(SecretFilter::NotUnder(OLD), 99).await?;
    expect_true("those of a deleted subscription are not found", found.contains(&stored(&owner, sealed(NEW, 4))))?;
    same("the secrets of a deleted subscription", replace(&owner, sealed(NEW, 4), sealed(OLD, 5)).await?, true)?;
    let found = handle.secrets.secrets(SecretFilter::NotUnder(NEW), 99).await?;
    expect_true("they are not replaced", found.contains(&stored(&owner, sealed(OLD, 5))))
}
