//! Checks of decision endpoints, and of the stored verdicts.

use super::people::second_account;
use crate::check::{CheckResult, Failure, checks};
use crate::commands::{first, follow_up, message, purchase, request, stamp, token};
use crate::expect::{absent, expect_new, expect_some, expect_true, mismatch, refused, replayed, same};
use crate::factory::Handle;
use crate::observe::{Observation, books_are_right};
use crate::seed_data::{Who, gbp, noon, seed_store};
use crate::webhooks::claimed;
use crate::worlds::{command, copy, restore, seed_all_but_my_account, snapshot};
use chrono::TimeDelta;
use florin_domain::access::ApiKey;
use florin_domain::card::decide::{
    CardRefusal, Extras, FirstKind, FirstMessage, FollowUp, decide_follow_up_with_endpoint,
};
use florin_domain::card::{
    DecisionCheck, DecisionCode, DecisionEndpoint, DecisionReply, DecisionTime, EndpointChange, EndpointDecision,
    EndpointRefusal, EndpointSettings, Fallback, NoDecision, Verdict, put_endpoint, remove_endpoint,
};
use florin_domain::ids::AccountId;
use florin_domain::money::Minor;
use florin_domain::page::PageRequest;
use florin_domain::secret::{SealedSecret, SecretFilter, SecretKeyId, SecretOwner};
use florin_domain::webhook::WebhookUrl;
use florin_ports::{EndpointCommand, StoredResponse, StoredSecret, WriteError};
use std::sync::Arc;

checks! {
    "decision_endpoints.change.stores_every_member" => stores_every_member,
    "decision_endpoints.change.of_one_account" => change_of_one_account,
    "decision_endpoints.change.refusal_changes_nothing" => refusal_changes_nothing,
    "decision_endpoints.repeats.are_replayed_unless_the_answer_was_a_secret" =>
        repeats_are_replayed_unless_the_answer_was_a_secret,
    "decision_endpoints.secrets.are_found_and_replaced" => secrets_are_found_and_replaced,
    "decision_endpoints.worlds.snapshots_do_not_contain_them" (Sandbox) => snapshots_do_not_contain_them,
    "decision_endpoints.cards.decisions_are_stored_with_their_messages" => decisions_are_stored_with_their_messages,
    "decision_endpoints.cards.a_question_stores_nothing" => a_question_stores_nothing,
}

fn endpoint(who: Who) -> Result<DecisionEndpoint, Failure> {
    Ok(DecisionEndpoint {
        account: who.account()?,
        settings: EndpointSettings {
            url: WebhookUrl::stored("https://example.com/".into()),
            enabled: true,
            time_limit: DecisionTime::DEFAULT,
            fallback: Fallback::Decline,
        },
        secrets: SealedSecret::new(vec![1, 2, 3]),
        created_at: noon(),
        updated_at: noon(),
    })
}

/// Returns a command that stores this endpoint, and replaces an existing one.
fn put(to: &DecisionEndpoint) -> EndpointCommand {
    let (account, to) = (to.account.clone(), to.clone());
    let decide =
        move |_: &Option<DecisionEndpoint>| Ok(EndpointChange { endpoint: Some(to.clone()), has_new_secret: true });
    EndpointCommand { account, decide: Arc::new(decide), claim: None }
}

fn remove(account: AccountId) -> EndpointCommand {
    let decide = |current: &Option<DecisionEndpoint>| remove_endpoint(current.as_ref());
    EndpointCommand { account, decide: Arc::new(decide), claim: None }
}

/// Expects that every port shows this endpoint of an account.
async fn expect_endpoint(handle: &Handle, account: &AccountId, expected: Option<&DecisionEndpoint>) -> CheckResult {
    same("the endpoint", handle.decision_endpoints.endpoint(account).await?.as_ref(), expected)?;
    let found = expect_some("the account", handle.accounts.find(account).await?)?;
    same("the endpoint of the account", found.decision_endpoint.as_deref(), expected)?;
    let profile = expect_some("the profile", handle.profiles.profile(account).await?)?;
    same("the endpoint of the profile", profile.account.decision_endpoint.as_deref(), expected)
}

async fn stores_every_member(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let mine = Who::Main.account()?;
    expect_endpoint(&handle, &mine, None).await?;
    let plain = endpoint(Who::Main)?;
    let full = DecisionEndpoint {
        settings: EndpointSettings {
            url: WebhookUrl::stored("https://example.com/ünïcode?a=1".into()),
            enabled: false,
            time_limit: expect_some("the time", DecisionTime::of_millis(4_999))?,
            fallback: Fallback::Approve,
        },
        secrets: SealedSecret::new(vec![0, 1, 255]),
        created_at: noon() + TimeDelta::microseconds(1),
        updated_at: noon() + TimeDelta::microseconds(3),
        ..plain.clone()
    };
    for stored in [&plain, &full, &plain] {
        let change = expect_new(handle.decision_endpoints.change_endpoint(put(stored)).await)?;
        same("the answer", change.endpoint.as_ref(), Some(stored))?;
        expect_endpoint(&handle, &mine, Some(stored)).await?;
        // The rule receives the stored endpoint.
        let (expected, new) = (stored.clone(), endpoint(Who::Main)?);
        let mut keeping = put(stored);
        keeping.decide = Arc::new(move |current| {
            if current.as_ref() != Some(&expected) {
                return Err(EndpointRefusal::Changed);
            }
            Ok(put_endpoint(current.as_ref(), &new))
        });
        let kept = expect_some(
            "the endpoint",
            expect_new(handle.decision_endpoints.change_endpoint(keeping).await)?.endpoint,
        )?;
        same("the secrets", kept.secrets.as_bytes(), stored.secrets.as_bytes())?;
    }
    expect_new(handle.decision_endpoints.change_endpoint(remove(mine.clone())).await)?;
    expect_endpoint(&handle, &mine, None).await?;
    let again = handle.decision_endpoints.change_endpoint(remove(mine)).await;
    same("a second removal", refused(again)?, EndpointRefusal::Absent)
}

async fn change_of_one_account(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let second = second_account(&handle).await?;
    let (mine, other) = (endpoint(Who::Main)?, endpoint(Who::Other)?);
    let other = DecisionEndpoint { updated_at: noon() + TimeDelta::hours(1), ..other };
    for stored in [&mine, &other] {
        expect_new(handle.decision_endpoints.change_endpoint(put(stored)).await)?;
    }
    expect_endpoint(&handle, &mine.account, Some(&mine)).await?;
    expect_endpoint(&handle, &other.account, Some(&other)).await?;
    expect_endpoint(&handle, &second, None).await?;
    let key =
        ApiKey { accounts: florin_domain::access::AccountGrant::AllOfClient, ..crate::seed_data::key(Who::Main)? };
    let page = handle.profiles.profiles(&key, PageRequest { limit: 9, offset: 0 }).await?;
    let listed: Vec<_> = page.rows.iter().map(|row| row.account.decision_endpoint.as_deref()).collect();
    same("the endpoints of the accounts", listed, vec![Some(&mine), None])?;
    expect_new(handle.decision_endpoints.change_endpoint(remove(mine.account.clone())).await)?;
    expect_endpoint(&handle, &other.account, Some(&other)).await?;
    let nobody = DecisionEndpoint { account: AccountId::parse("F404")?, ..mine };
    absent("an unknown account", &handle.decision_endpoints.change_endpoint(put(&nobody)).await)?;
    same("the endpoint of an unknown account", handle.decision_endpoints.endpoint(&nobody.account).await?, None)
}

async fn refusal_changes_nothing(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let before = endpoint(Who::Main)?;
    expect_new(handle.decision_endpoints.change_endpoint(put(&before)).await)?;
    let mut command = put(&before);
    command.decide = Arc::new(|_| Err(EndpointRefusal::Changed));
    command.claim = Some(claimed(Who::Main, "k", "a", None)?);
    same("the refusal", refused(handle.decision_endpoints.change_endpoint(command).await)?, EndpointRefusal::Changed)?;
    expect_endpoint(&handle, &before.account, Some(&before)).await?;
    // A refusal leaves no record.
    let mut command = remove(before.account);
    command.claim = Some(claimed(Who::Main, "k", "a", Some(StoredResponse { status: 204, body: String::new() }))?);
    expect_new(handle.decision_endpoints.change_endpoint(command).await)?;
    Ok(())
}

async fn repeats_are_replayed_unless_the_answer_was_a_secret(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let made = endpoint(Who::Main)?;
    let claimed_put =
        |to: &DecisionEndpoint, key: &str, body: &str, answer: Option<StoredResponse>| -> Result<_, Failure> {
            Ok(EndpointCommand { claim: Some(claimed(Who::Main, key, body, answer)?), ..put(to) })
        };
    expect_new(handle.decision_endpoints.change_endpoint(claimed_put(&made, "create", "a", None)?).await)?;
    let later = DecisionEndpoint { updated_at: noon() + TimeDelta::hours(1), ..made.clone() };
    let again = handle.decision_endpoints.change_endpoint(claimed_put(&later, "create", "a", None)?).await;
    same("a repeated creation", refused(again)?, EndpointRefusal::ShownOnce)?;
    let other = mismatch(handle.decision_endpoints.change_endpoint(claimed_put(&later, "create", "b", None)?).await)?;
    same("the first request", other.path, request("{}").path)?;
    expect_endpoint(&handle, &made.account, Some(&made)).await?;
    let stored = StoredResponse { status: 200, body: "ünïcode".into() };
    let edit = |to: &DecisionEndpoint| claimed_put(to, "edit", "c", Some(stored.clone()));
    expect_new(handle.decision_endpoints.change_endpoint(edit(&later)?).await)?;
    let replay = handle.decision_endpoints.change_endpoint(edit(&made)?).await;
    same("the replay", replayed(replay)?, stored.clone())?;
    expect_endpoint(&handle, &made.account, Some(&later)).await
}

async fn secrets_are_found_and_replaced(handle: Handle) -> CheckResult {
    const OLD: SecretKeyId = SecretKeyId([1; 8]);
    const NEW: SecretKeyId = SecretKeyId([2; 8]);
    seed_store(&handle).await?;
    let sealed = |key, number| SealedSecret::encrypted(key, &[number; 60]);
    let made = DecisionEndpoint { secrets: sealed(OLD, 1), ..endpoint(Who::Main)? };
    expect_new(handle.decision_endpoints.change_endpoint(put(&made)).await)?;
    let owner = SecretOwner::Decisions(made.account.clone());
    let found = handle.secrets.secrets(SecretFilter::NotUnder(NEW), 99).await?;
    expect_true(
        "its secrets are not found",
        found.contains(&StoredSecret { owner: owner.clone(), secret: sealed(OLD, 1) }),
    )?;
    same("at most one", handle.secrets.secrets(SecretFilter::NotUnder(NEW), 1).await?.len(), 1)?;
    let replace =
        async |owner: &SecretOwner, old, new| Ok::<_, Failure>(handle.secrets.replace_secret(owner, &old, new).await?);
    same("a secret that is not the stored one", replace(&owner, sealed(OLD, 2), sealed(NEW, 3)).await?, false)?;
    let nobody = SecretOwner::Decisions(Who::Other.account()?);
    same("an account without an endpoint", replace(&nobody, sealed(OLD, 1), sealed(NEW, 3)).await?, false)?;
    same("the stored secret", replace(&owner, sealed(OLD, 1), sealed(NEW, 4)).await?, true)?;
    expect_endpoint(&handle, &made.account, Some(&DecisionEndpoint { secrets: sealed(NEW, 4), ..made.clone() }))
        .await?;
    let found = handle.secrets.secrets(SecretFilter::NotUnder(NEW), 99).await?;
    expect_true("they are found again", !found.iter().any(|found| found.owner == owner))
}

async fn snapshots_do_not_contain_them(handle: Handle) -> CheckResult {
    seed_all_but_my_account(&handle).await?;
    handle.worlds.create(command()?).await?;
    let mine = Who::Main.account()?;
    let first = endpoint(Who::Main)?;
    expect_new(handle.decision_endpoints.change_endpoint(put(&first)).await)?;
    expect_new(handle.worlds.take_snapshot(snapshot(1)?).await)?;
    let second = DecisionEndpoint { updated_at: noon() + TimeDelta::hours(1), ..first };
    expect_new(handle.decision_endpoints.change_endpoint(put(&second)).await)?;
    expect_new(handle.worlds.restore(restore(1)?).await)?;
    expect_endpoint(&handle, &mine, Some(&second)).await?;
    let made = handle.worlds.create(copy("W1", 102, None)?).await?;
    expect_endpoint(&handle, &made.account, None).await?;
    same("whether the world was deleted", handle.worlds.delete(&mine).await?, true)?;
    same("after the deletion", handle.decision_endpoints.endpoint(&mine).await?, None)?;
    handle.worlds.create(command()?).await?;
    expect_endpoint(&handle, &mine, None).await
}

/// Returns a verdict of every kind.
fn verdicts() -> Result<Vec<Verdict>, Failure> {
    let partial = DecisionReply::Partial(Minor(123).of(gbp()?));
    let mut all = vec![Verdict::Reply(DecisionReply::Approve), Verdict::Reply(partial)];
    all.extend(DecisionCode::ALL.map(|code| Verdict::Reply(DecisionReply::Decline(code))));
    for fallback in Fallback::ALL {
        all.extend(NoDecision::ALL.map(|reason| Verdict::Fallback { fallback, reason }));
    }
    Ok(all)
}

async fn decisions_are_stored_with_their_messages(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let mut expected = Vec::new();
    for (number, verdict) in (1..).zip(verdicts()?) {
        for (offset, allows_partial) in [(0, false), (100, true)] {
            let decision = EndpointDecision::Decided(verdict);
            let extras = Extras { partial_approval: allows_partial, decision, ..Extras::default() };
            let number = number + offset;
            let message = FirstMessage { extras, ..message(FirstKind::Purchase, "2")? };
            let stored = expect_new(
                handle.cards.first_message(first(Who::Main, Who::Main.card(), message, stamp(number))?).await,
            )?;
            same("the decision", stored.details.decision, Some(DecisionCheck { verdict, allows_partial }))?;
            expected.push((number, stored, DecisionCheck { verdict, allows_partial }));
        }
    }
    for (number, stored, seen) in expected {
        let chain = expect_some("the chain", handle.chains.history(&Who::Main.account()?, token(number)).await?)?;
        let found = expect_some("the message", chain.messages.into_iter().next())?;
        same("the message", &found.transaction, &stored)?;
        let failed = found.declined.map(|declined| declined.failed);
        let expected = seen.declines_with().map(|_| florin_domain::card::Rule::Decision(seen));
        same("why it was declined", failed, expected)?;
    }
    expect_new(handle.cards.first_message(purchase(Who::Main, 300, "10")?).await)?;
    let verdict = Verdict::Reply(DecisionReply::Approve);
    let (seen, named) = (DecisionCheck { verdict, allows_partial: false }, token(300));
    let more = FollowUp::Incremental { amount: crate::commands::amount("1")?, decline: None };
    let mut command = follow_up(Who::Main, named, 301, more.clone())?;
    let ids = stamp(301);
    command.decide = Arc::new(move |situation| {
        ids.rule(|stamp| {
            decide_follow_up_with_endpoint(situation, named, &more, EndpointDecision::Decided(verdict), stamp)
        })
    });
    let stored = expect_new(handle.cards.follow_up(command).await)?;
    same("the decision on an increment", stored.details.decision, Some(seen))?;
    let chain = expect_some("the chain", handle.chains.history(&Who::Main.account()?, named).await?)?;
    same("the increment", chain.messages.last().map(|last| &last.transaction), Some(&stored))?;
    books_are_right(&handle).await
}

async fn a_question_stores_nothing(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let before = Observation::take(&handle, 3).await?;
    let asking = |key: Option<&str>| -> Result<_, Failure> {
        let extras = Extras { decision: EndpointDecision::Due, ..Extras::default() };
        let message = FirstMessage { extras, ..message(FirstKind::Purchase, "10")? };
        let mut command = first(Who::Main, Who::Main.card(), message, stamp(1))?;
        command.claim = key.map(|key| crate::commands::claim(Who::Main, key, "{}")).transpose()?;
        Ok(command)
    };
    for key in [None, Some("k")] {
        let asked = handle.cards.first_message(asking(key)?).await;
        let is_question = matches!(asked, Err(WriteError::Refused(CardRefusal::EndpointNotAsked(_))));
        expect_true("the refusal does not say that the endpoint must be asked", is_question)?;
        before.still_holds("a question", &handle).await?;
    }
    // Once the message is decided, the key has a stored response, and a repeated request asks nothing.
    let mut decided = purchase(Who::Main, 1, "10")?;
    decided.claim = Some(crate::commands::claim(Who::Main, "k", "{}")?);
    expect_new(handle.cards.first_message(decided).await)?;
    replayed(handle.cards.first_message(asking(Some("k"))?).await)?;
    Ok(())
}
