//! Checks of two handles on the same data: a command is sent while another one is being decided, and sees the effects
//! of that one.

use super::contention::second;
use crate::check::{CheckResult, Failure, checks};
use crate::commands::{
    MessageResult, clearing, confirm_batch, credit, first, follow_up, message, open, purchase, stamp, token,
};
use crate::expect::{expect_new, expect_some, expect_true, refused, same};
use crate::factory::Handle;
use crate::management::{issue, transfer};
use crate::observe::{Observation, balances, books_are_right};
use crate::payments::{NewPayments, batch_id, confirm, content, create, empty, statuses, upload};
use crate::seed_data::{Who, batch, gbp, noon, seed_store, uuid};
use crate::together::{SlowRuleRace, Work};
use crate::worlds::{command as my_world, copy, restore, seed_all_but_my_account, snapshot};
use florin_domain::batch::{BatchState, CreateDecision, PaymentBatch, PaymentStatus};
use florin_domain::card::decide::FirstKind;
use florin_domain::card::decide::FollowUp;
use florin_domain::card::{CreateCardRefusal, CreateCardSituation, TransactionState};
use florin_domain::ids::{PaymentBatchId, SnapshotId};
use florin_domain::mfa::{MfaProviderName, MfaVerdict};
use florin_ports::{
    ConfirmCommand, CreateBatchCommand, CreateCardCommand, CreateWorldCommand, CreditCommand, FirstMessageCommand,
    FollowUpCommand, SnapshotCommand, StoreError, UploadCommand, WorldContents, WriteError,
};
use std::sync::Arc;
use std::time::Duration;

checks! {
    "two_handles.cards.a_message_sees_what_another_used_of_a_limit" (Reopen) =>
        a_message_sees_what_another_used_of_a_limit,
    "two_handles.cards.a_follow_up_sees_another_of_its_chain" (Reopen) => a_follow_up_sees_another_of_its_chain,
    "two_handles.cards.a_long_wait_is_no_corruption" (Reopen) => long_wait,
    "two_handles.card_management.creations_on_two_budgets_take_turns" (Reopen) => creations_on_two_budgets_take_turns,
    "two_handles.batches.wrong_tokens_of_two_batches_add_up" (Reopen) => wrong_tokens_of_two_batches_add_up,
    "two_handles.batches.a_confirmation_sees_the_orders_of_an_upload" (Reopen) =>
        a_confirmation_sees_the_orders_of_an_upload,
    "two_handles.batches.an_upload_sees_a_confirmation" (Reopen) => an_upload_sees_a_confirmation,
    "two_handles.worlds.a_restore_waits_for_a_credit" (Sandbox, Reopen) => a_restore_waits_for_a_credit,
    "two_handles.worlds.a_deletion_waits_for_a_credit" (Sandbox, Reopen) => a_deletion_waits_for_a_credit,
    "two_handles.worlds.a_snapshot_is_of_one_moment" (Sandbox, Reopen) => a_snapshot_is_of_one_moment,
}

fn send(handle: &Handle, command: FirstMessageCommand) -> Work<MessageResult> {
    let cards = handle.cards.clone();
    Box::pin(async move { cards.first_message(command).await })
}

fn send_follow_up(handle: &Handle, command: FollowUpCommand) -> Work<MessageResult> {
    let cards = handle.cards.clone();
    Box::pin(async move { cards.follow_up(command).await })
}

/// The limit of a day is 20.00, so only one of two messages of 15.00 passes.
async fn a_message_sees_what_another_used_of_a_limit(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let (other, race) = (second(&handle).await?, SlowRuleRace::new());
    let of_15 = |number| first(Who::Main, Who::Main.limited_card(), message(FirstKind::Purchase, "15")?, stamp(number));
    let one = of_15(1)?;
    let one = FirstMessageCommand { decide: race.slow(one.decide), ..one };
    let (one, two) = race.send(send(&handle, one), send(&other, of_15(2)?)).await?;
    let states = (expect_new(one)?.state, expect_new(two)?.state);
    same("the messages", states, (TransactionState::Pending, TransactionState::Declined))?;
    books_are_right(&handle).await
}

/// A clearing takes 6.00 of a hold of 10.00, so 4.00 are left for a reversal.
async fn a_follow_up_sees_another_of_its_chain(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let (other, race) = (second(&handle).await?, SlowRuleRace::new());
    expect_new(handle.cards.first_message(purchase(Who::Main, 1, "10")?).await)?;
    let one = follow_up(Who::Main, token(1), 2, clearing("6", false)?)?;
    let one = FollowUpCommand { decide: race.slow(one.decide), ..one };
    let two = follow_up(Who::Main, token(1), 3, FollowUp::Reversal { amount: None })?;
    let (one, two) = race.send(send_follow_up(&handle, one), send_follow_up(&other, two)).await?;
    same("both follow-ups", (expect_new(one)?.impacted.0, expect_new(two)?.impacted.0), (-600, 400))?;
    let now = balances(&handle, Who::Main, gbp()?).await?;
    same("available and held", (now.available().0, now.held().0), (8_900, 0))?;
    books_are_right(&handle).await
}

/// A store may give up waiting for a lock. Then nothing was stored, and the command can be sent again.
async fn long_wait(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let (other, race) = (second(&handle).await?, SlowRuleRace::taking(Duration::from_millis(2_700)));
    let one = purchase(Who::Main, 1, "10")?;
    let one = FirstMessageCommand { decide: race.slow(one.decide), ..one };
    let two = || purchase(Who::Main, 2, "10");
    let (one, waited) = race.send(send(&handle, one), send(&other, two()?)).await?;
    expect_new(one)?;
    match waited {
        Err(WriteError::Store(StoreError::Unavailable(_))) => {
            expect_new(other.cards.first_message(two()?).await)?;
        }
        waited => {
            expect_new(waited)?;
        }
    }
    same("available", balances(&handle, Who::Main, gbp()?).await?.available().0, 7_500)?;
    books_are_right(&handle).await
}

/// The cards have no budget in common, so only the account makes the second creation wait.
async fn creations_on_two_budgets_take_turns(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let (other, race) = (second(&handle).await?, SlowRuleRace::new());
    // Only the fourth card of the account is allowed.
    let fourth = |number, budget| -> Result<_, Failure> {
        let command = issue(Who::Main, number, budget, true)?;
        let rule = command.decide;
        let decide = Arc::new(
            move |situation: &CreateCardSituation| {
                if situation.cards == 3 { rule(situation) } else { Err(CreateCardRefusal::TooMany(10)) }
            },
        );
        Ok(CreateCardCommand { decide, ..command })
    };
    let (one, two) = (fourth(1, Who::Main.budget())?, fourth(2, Who::Main.second_budget())?);
    let one = CreateCardCommand { decide: race.slow(one.decide), ..one };
    let (cards, other_cards) = (handle.card_management.clone(), other.card_management.clone());
    let one = Box::pin(async move { cards.create(one).await });
    let (one, two) = race.send(one, Box::pin(async move { other_cards.create(two).await })).await?;
    expect_new(one)?;
    same("the second card", refused(two)?, CreateCardRefusal::TooMany(10))
}

/// Creates a validated batch that the second budget alone funds.
async fn of_second_budget(handle: &Handle, number: u128) -> Result<PaymentBatchId, Failure> {
    let mut validated = batch(Who::Main, batch_id(number), BatchState::Validated)?;
    validated.orders.retain(|order| order.budget == Who::Main.second_budget());
    let id = validated.id;
    let decide = Arc::new(move |_: &_| {
        let batch: PaymentBatch = validated.clone();
        Ok(CreateDecision { batch, payments: vec![], alerts: vec![], events: vec![] })
    });
    let command = CreateBatchCommand { account: Who::Main.account()?, decide, claim: None };
    expect_new(handle.management.create(command).await)?;
    Ok(id)
}

/// The batches have no budget in common, so only the enrolment itself makes the second confirmation wait.
async fn wrong_tokens_of_two_batches_add_up(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let (other, race) = (second(&handle).await?, SlowRuleRace::new());
    let (totp, who) = (MfaProviderName::Totp, Who::Main);
    expect_new(handle.management.create(create(who, empty(who, 1, noon())?, Some(NewPayments::of(10, 1)))?).await)?;
    let mut commands = Vec::new();
    for (session, batch) in [(1, batch_id(1)), (2, of_second_budget(&handle, 2).await?)] {
        let mut command = open(who, session, totp)?;
        command.batch = batch;
        expect_new(handle.mfa.open(command).await)?;
        commands.push(confirm_batch(who, batch, session, session * 1_000, (totp, MfaVerdict::Wrong))?);
    }
    let (two, one) = (expect_some("a command", commands.pop())?, expect_some("a command", commands.pop())?);
    let one = ConfirmCommand { decide: race.slow(one.decide), ..one };
    let (batches, other_batches) = (handle.batches.clone(), other.batches.clone());
    let one = Box::pin(async move { batches.confirm(one).await });
    let (one, two) = race.send(one, Box::pin(async move { other_batches.confirm(two).await })).await?;
    refused(one)?;
    refused(two)?;
    let enrolled = expect_some("the enrolment", handle.mfa.enrolment(&who.account()?).await?)?;
    same("wrong tokens", enrolled.wrong_at.len(), 2)
}

/// The first payments use one budget, those of the upload use both.
async fn a_confirmation_sees_the_orders_of_an_upload(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let (other, race, who) = (second(&handle).await?, SlowRuleRace::new(), Who::Main);
    expect_new(handle.management.create(create(who, empty(who, 1, noon())?, Some(NewPayments::of(10, 1)))?).await)?;
    let one = upload(who, batch_id(1), NewPayments::of(20, 2))?;
    let one = UploadCommand { decide: race.slow(one.decide), ..one };
    let two = confirm(who, batch_id(1), 1_000)?;
    let (uploading, confirming) = (handle.management.clone(), other.batches.clone());
    let one = Box::pin(async move { uploading.upload(one).await });
    let (one, two) = race.send(one, Box::pin(async move { confirming.confirm(two).await })).await?;
    same("the orders", (expect_new(one)?.orders.len(), expect_new(two)?.orders.len()), (2, 2))?;
    let found = content(&handle, who, batch_id(1)).await?;
    same("the states of payments", statuses(&found.payments), vec![(PaymentStatus::Confirmed, 2)])?;
    books_are_right(&handle).await
}

async fn an_upload_sees_a_confirmation(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let (other, race, who) = (second(&handle).await?, SlowRuleRace::new(), Who::Main);
    expect_new(handle.management.create(create(who, empty(who, 1, noon())?, Some(NewPayments::of(10, 1)))?).await)?;
    let one = confirm(who, batch_id(1), 1_000)?;
    let one = ConfirmCommand { decide: race.slow(one.decide), ..one };
    let two = upload(who, batch_id(1), NewPayments::of(20, 2))?;
    let (confirming, uploading) = (handle.batches.clone(), other.management.clone());
    let one = Box::pin(async move { confirming.confirm(one).await });
    let (one, two) = race.send(one, Box::pin(async move { uploading.upload(two).await })).await?;
    let confirmed = expect_new(one)?;
    refused(two)?;
    let found = content(&handle, who, batch_id(1)).await?;
    same("the batch", found.batch, confirmed)?;
    same("the states of payments", statuses(&found.payments), vec![(PaymentStatus::Confirmed, 1)])?;
    books_are_right(&handle).await
}

/// Builds a credit of my world whose rule is slow.
fn slow_credit(race: &SlowRuleRace) -> Result<CreditCommand, Failure> {
    let command = credit(Who::Main, 5, "1", gbp()?)?;
    Ok(CreditCommand { decide: race.slow(command.decide), ..command })
}

async fn a_restore_waits_for_a_credit(handle: Handle) -> CheckResult {
    seed_all_but_my_account(&handle).await?;
    handle.worlds.create(my_world()?).await?;
    let (other, race) = (second(&handle).await?, SlowRuleRace::new());
    expect_new(handle.worlds.take_snapshot(snapshot(1)?).await)?;
    let before = Observation::take(&handle, 0).await?;
    let (crediting, restoring) = (handle.credits.clone(), other.worlds.clone());
    let (one, two) = (slow_credit(&race)?, restore(1)?);
    let one = Box::pin(async move { crediting.credit(one).await });
    let (one, two) = race.send(one, Box::pin(async move { restoring.restore(two).await })).await?;
    expect_new(one)?;
    expect_new(two)?;
    before.still_holds("a credit before a restore", &handle).await?;
    expect_new(handle.credits.credit(credit(Who::Main, 6, "1", gbp()?)?).await)?;
    books_are_right(&handle).await
}

async fn a_deletion_waits_for_a_credit(handle: Handle) -> CheckResult {
    seed_all_but_my_account(&handle).await?;
    let before = Observation::take(&handle, 0).await?;
    handle.worlds.create(my_world()?).await?;
    let (other, race, mine) = (second(&handle).await?, SlowRuleRace::new(), Who::Main.account()?);
    let (crediting, deleting) = (handle.credits.clone(), other.worlds.clone());
    let one = slow_credit(&race)?;
    let one = Box::pin(async move { crediting.credit(one).await });
    let (one, two) = race.send(one, Box::pin(async move { deleting.delete(&mine).await })).await?;
    expect_new(one)?;
    expect_true("there was no world to delete", two?)?;
    before.still_holds("a world that was deleted after a credit", &handle).await
}

/// Snapshots are taken while money moves between budgets. In each snapshot, balances and journal must agree.
async fn a_snapshot_is_of_one_moment(handle: Handle) -> CheckResult {
    const SNAPSHOTS: u8 = 6;
    seed_all_but_my_account(&handle).await?;
    handle.worlds.create(my_world()?).await?;
    let (other, ends) = (second(&handle).await?, (Who::Main.budget(), Who::Main.second_budget()));
    let moving = handle.transfers.clone();
    let moves = tokio::spawn(async move {
        for number in 1..=200 {
            let ends = if number % 2 == 0 { ends } else { (ends.1, ends.0) };
            expect_new(moving.transfer(transfer(Who::Main, number, ends, "0.01")?).await)?;
        }
        Ok::<_, Failure>(())
    });
    let taken = |number: u8| SnapshotId(uuid(91, number.into()));
    for number in 1..=SNAPSHOTS {
        let command = SnapshotCommand { id: taken(number), decide: Arc::new(|_| Ok(())), ..snapshot(1)? };
        expect_new(other.worlds.take_snapshot(command).await)?;
    }
    moves.await.map_err(|error| Failure::new(error.to_string()))??;
    for number in 1..=SNAPSHOTS {
        let mut command: CreateWorldCommand = copy(&format!("T{number}"), 110 + number, None)?;
        if let WorldContents::Snapshot { id, .. } = &mut command.contents {
            *id = taken(number);
        }
        handle.worlds.create(command).await?;
        books_are_right(&handle).await?;
    }
    Ok(())
}
