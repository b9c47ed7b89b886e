//! Checks of idempotency records: one effect for all requests under one key.

use crate::check::{CheckResult, Failure, checks};
use crate::commands::{
    MessageResult, RIGHT, SANDBOX, answer_of, claim, clearing, confirm, credit, follow_up, open, purchase, request,
    stamp, token, with_changed_decision,
};
use crate::expect::{absent, expect_new, mismatch, refused, replayed, same, store_failed};
use crate::factory::Handle;
use crate::management::{budget_id, change_state, create_budget, remove_limit, transfer};
use crate::observe::{Observation, balances, books_are_right};
use crate::seed_data::{Who, gbp, seed_store};
use crate::together::{Work, one_effect, race};
use florin_domain::card::{CardState, CardTransaction, LimitWindow};
use florin_domain::ledger::Balances;
use florin_domain::mfa::MfaVerdict;
use florin_domain::money::{Currency, Minor};
use florin_ports::{FirstMessageCommand, IdempotencyClaim, RecordedBody, RecordedRequest};
use std::sync::Arc;

checks! {
    "repeats.first_message.replay_gives_the_stored_answer" => first_message,
    "repeats.follow_up.replay_gives_the_stored_answer" => follow_ups,
    "repeats.credit.replay_gives_the_stored_answer" => replay_gives_the_stored_answer,
    "repeats.open.replay_gives_the_stored_answer" => open_replay_gives_the_stored_answer,
    "repeats.confirm.replay_gives_the_stored_answer" => confirm_replay_gives_the_stored_answer,
    "repeats.another_request_is_a_mismatch_and_gets_the_first" => another_request,
    "repeats.refusal_leaves_the_key_free" => refusal_leaves_the_key_free,
    "repeats.refusals_of_every_command_leave_the_key_free" => refusals_of_every_command_leave_the_key_free,
    "repeats.failure_leaves_the_key_free" => failure_leaves_the_key_free,
    "repeats.keys_are_per_client_and_per_account" => per_owner,
    "repeats.keys_are_compared_exactly" => exact_keys,
    "repeats.are_read_before_anything_else" => before_anything,
    "repeats.fifty_at_once_have_one_effect" => fifty_at_once_have_one_effect,
}

fn claimed_purchase(number: u128, claim: IdempotencyClaim<CardTransaction>) -> Result<FirstMessageCommand, Failure> {
    Ok(FirstMessageCommand { claim: Some(claim), ..purchase(Who::Main, number, "10")? })
}

async fn send_purchase(handle: &Handle, number: u128, key: &str) -> Result<MessageResult, Failure> {
    Ok(handle.cards.first_message(claimed_purchase(number, claim(Who::Main, key, "{}")?)?).await)
}

async fn first_message(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let done = expect_new(send_purchase(&handle, 1, "k").await?)?;
    let before = Observation::take(&handle, 3).await?;
    for number in 2..=3 {
        same("the answer", replayed(send_purchase(&handle, number, "k").await?)?, answer_of(&done))?;
    }
    before.still_holds("a repeated request", &handle).await
}

async fn follow_ups(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    expect_new(handle.cards.first_message(purchase(Who::Main, 1, "10")?).await)?;
    let command = |number| -> Result<_, Failure> {
        let mut command = follow_up(Who::Main, token(1), number, clearing("4", false)?)?;
        command.claim = Some(claim(Who::Main, "k", "{}")?);
        Ok(command)
    };
    let done = expect_new(handle.cards.follow_up(command(2)?).await)?;
    let before = Observation::take(&handle, 3).await?;
    same("the answer", replayed(handle.cards.follow_up(command(3)?).await)?, answer_of(&done))?;
    before.still_holds("a repeated request", &handle).await
}

async fn replay_gives_the_stored_answer(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let command = |number| -> Result<_, Failure> {
        let mut command = credit(Who::Main, number, "4", gbp()?)?;
        command.claim = Some(claim(Who::Main, "k", "{}")?);
        Ok(command)
    };
    let done = expect_new(handle.credits.credit(command(1)?).await)?;
    let before = Observation::take(&handle, 0).await?;
    same("the answer", replayed(handle.credits.credit(command(2)?).await)?, answer_of(&done))?;
    before.still_holds("a repeated request", &handle).await
}

async fn open_replay_gives_the_stored_answer(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let command = |number| -> Result<_, Failure> {
        let mut command = open(Who::Main, number, SANDBOX)?;
        command.claim = Some(claim(Who::Main, "k", "{}")?);
        Ok(command)
    };
    let done = expect_new(handle.mfa.open(command(1)?).await)?;
    let before = Observation::take(&handle, 2).await?;
    same("the answer", replayed(handle.mfa.open(command(2)?).await)?, answer_of(&done))?;
    before.still_holds("a repeated request", &handle).await
}

async fn confirm_replay_gives_the_stored_answer(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    expect_new(handle.mfa.open(open(Who::Main, 1, SANDBOX)?).await)?;
    let command = || -> Result<_, Failure> {
        let mut command = confirm(Who::Main, 1, 1, (SANDBOX, RIGHT))?;
        command.claim = Some(claim(Who::Main, "k", "{}")?);
        Ok(command)
    };
    let done = expect_new(handle.batches.confirm(command()?).await)?;
    let before = Observation::take(&handle, 2).await?;
    same("the answer", replayed(handle.batches.confirm(command()?).await)?, answer_of(&done))?;
    before.still_holds("a repeated request", &handle).await
}

async fn another_request(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    expect_new(send_purchase(&handle, 1, "k").await?)?;
    let before = Observation::take(&handle, 2).await?;
    let changes: [fn(&mut RecordedRequest); 5] = [
        |request| request.method = "PUT".into(),
        |request| request.path.push('/'),
        |request| request.query.clear(),
        |request| request.body = RecordedBody::Json("{ }".into()),
        // The same text in another kind of body.
        |request| request.body = RecordedBody::Hash("{}".into()),
    ];
    for change in changes {
        let mut claim = claim(Who::Main, "k", "{}")?;
        change(Arc::make_mut(&mut claim.request));
        let first = mismatch(handle.cards.first_message(claimed_purchase(2, claim)?).await)?;
        same("the first request", first, request("{}"))?;
    }
    before.still_holds("another request under the key", &handle).await?;
    let mut hashed = claim(Who::Main, "h", "")?;
    Arc::make_mut(&mut hashed.request).body = RecordedBody::Hash("00ff".into());
    expect_new(handle.cards.first_message(claimed_purchase(2, hashed.clone())?).await)?;
    replayed(handle.cards.first_message(claimed_purchase(3, hashed.clone())?).await)?;
    let plain = handle.cards.first_message(claimed_purchase(3, claim(Who::Main, "h", "00ff")?)?).await;
    same("the first request, of which a hash is kept", &mismatch(plain)?, &*hashed.request)
}

async fn refusal_leaves_the_key_free(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let mut command = purchase(Who::Main, 1, "0.001")?;
    command.claim = Some(claim(Who::Main, "k", "{}")?);
    refused(handle.cards.first_message(command).await)?;
    let foreign = FirstMessageCommand { card: Who::Other.card(), ..claimed_purchase(1, claim(Who::Main, "k", "{}")?)? };
    absent("a foreign card", &handle.cards.first_message(foreign).await)?;
    expect_new(handle.cards.first_message(claimed_purchase(1, claim(Who::Main, "k", "[]")?)?).await)?;
    Ok(())
}

/// Sends a command that its rule refuses and then an accepted one, both under one key.
macro_rules! refused_first {
    ($handle:ident.$port:ident.$method:ident, $refused:expr, $good:expr) => {{
        let key = concat!(stringify!($port), "-", stringify!($method));
        let mut command = $refused;
        command.claim = Some(claim(Who::Main, key, "{}")?);
        refused($handle.$port.$method(command).await)?;
        let mut command = $good;
        command.claim = Some(claim(Who::Main, key, "[]")?);
        expect_new($handle.$port.$method(command).await)?;
    }};
}

async fn refusals_of_every_command_leave_the_key_free(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let (who, ends) = (Who::Main, (Who::Main.budget(), Who::Main.second_budget()));
    let euros = Currency::parse("EUR")?;
    refused_first!(handle.credits.credit, credit(who, 1, "1", euros)?, credit(who, 1, "1", gbp()?)?);
    refused_first!(handle.transfers.transfer, transfer(who, 2, ends, "999")?, transfer(who, 2, ends, "1")?);
    let mut draft = open(who, 3, SANDBOX)?;
    draft.batch = who.draft();
    refused_first!(handle.mfa.open, draft, open(who, 3, SANDBOX)?);
    // The wrong token is counted, but the key stays free.
    let (wrong, right) = ((SANDBOX, MfaVerdict::Wrong), (SANDBOX, RIGHT));
    refused_first!(handle.batches.confirm, confirm(who, 3, 100, wrong)?, confirm(who, 3, 100, right)?);
    let (unknown, parent) = (Some(budget_id(99)), Some(who.budget()));
    let currencies = || Ok::<_, Failure>(vec![gbp()?]);
    refused_first!(
        handle.budgets.create,
        create_budget(who, 1, unknown, currencies()?)?,
        create_budget(who, 1, parent, currencies()?)?
    );
    let (unactivated, suspended) = (CardState::Unactivated, CardState::Suspended);
    let step = |state| change_state(who, who.card(), state, "now");
    refused_first!(handle.card_management.change, step(unactivated)?, step(suspended)?);
    let (day, limited) = (LimitWindow::Day, who.limited_card());
    refused_first!(
        handle.card_management.remove_limit,
        remove_limit(who, who.card(), day)?,
        remove_limit(who, limited, day)?
    );
    books_are_right(&handle).await
}

async fn failure_leaves_the_key_free(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    expect_new(handle.cards.first_message(purchase(Who::Main, 1, "10")?).await)?;
    let before = Observation::take(&handle, 2).await?;
    let taken = stamp(1).journal;
    let command = with_changed_decision(claimed_purchase(2, claim(Who::Main, "k", "{}")?)?, move |_, decision| {
        if let Some(journal) = &mut decision.journal {
            journal.id = taken;
        }
    });
    store_failed(handle.cards.first_message(command).await)?;
    before.still_holds("a request that failed", &handle).await?;
    expect_new(handle.cards.first_message(claimed_purchase(2, claim(Who::Main, "k", "[]")?)?).await)?;
    Ok(())
}

async fn per_owner(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let mine = claim::<CardTransaction>(Who::Main, "k", "{}")?;
    let other_client = IdempotencyClaim { client: Who::Other.client(), ..mine.clone() };
    let other_account = IdempotencyClaim { account: Who::Other.account()?, ..mine.clone() };
    for (number, claim) in (1..).zip([mine, other_client, other_account]) {
        let who = if claim.account == Who::Main.account()? { Who::Main } else { Who::Other };
        let pay = |number| -> Result<FirstMessageCommand, Failure> {
            Ok(FirstMessageCommand { claim: Some(claim.clone()), ..purchase(who, number, "10")? })
        };
        expect_new(handle.cards.first_message(pay(number)?).await)?;
        replayed(handle.cards.first_message(pay(number + 10)?).await)?;
    }
    Ok(())
}

async fn exact_keys(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let long = ["x".repeat(254), "x".repeat(255)];
    let keys = ["k", "K", "k'", "k\"", "k\\", "k%", "%", "_", "--", "$1", "{}", &long[0], &long[1]];
    for (number, key) in (1..).zip(keys) {
        let done = handle.cards.first_message(FirstMessageCommand {
            claim: Some(claim(Who::Main, key, "{}")?),
            ..purchase(Who::Main, number, "1")?
        });
        expect_new(done.await)?;
    }
    for key in keys {
        replayed(send_purchase(&handle, 99, key).await?)?;
    }
    Ok(())
}

async fn before_anything(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    expect_new(send_purchase(&handle, 1, "k").await?)?;
    let foreign = FirstMessageCommand { card: Who::Other.card(), ..claimed_purchase(2, claim(Who::Main, "k", "{}")?)? };
    replayed(handle.cards.first_message(foreign).await)?;
    let mut refused = purchase(Who::Main, 2, "0.001")?;
    refused.claim = Some(claim(Who::Main, "k", "{}")?);
    replayed(handle.cards.first_message(refused).await)?;
    Ok(())
}

async fn fifty_at_once_have_one_effect(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let mut work: Vec<Work<MessageResult>> = Vec::new();
    for number in 1..=50 {
        let (cards, command) = (handle.cards.clone(), claimed_purchase(number, claim(Who::Main, "k", "{}")?)?);
        work.push(Box::pin(async move { cards.first_message(command).await }));
    }
    one_effect("fifty at once", race(work).await?)?;
    let now = balances(&handle, Who::Main, gbp()?).await?;
    same("the balances", now, Balances::new(Minor(8_500), Minor(1_000), Minor(0))?)?;
    books_are_right(&handle).await
}
