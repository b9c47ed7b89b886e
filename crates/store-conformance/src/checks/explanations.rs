//! Checks of explanations: sums beyond 64 bits, holds and reservations that have ended, and movements in the order of
//! time.

use crate::check::{CheckResult, checks};
use crate::commands::{first, follow_up, journal_id, message, purchase, stamp, stamp_at, token};
use crate::expect::{expect_new, expect_some, same};
use crate::factory::Handle;
use crate::payments::{
    NewPayments, add_confirmed_batch, after, batch_id, claim_one, confirm, create, empty, payment_id, record, start,
    start_payments,
};
use crate::seed_data::{Who, batch, gbp, noon, seed_data, seed_store};
use florin_domain::batch::{BatchState, Confirmation, PaymentOutcome};
use florin_domain::books::ExplanationParts;
use florin_domain::card::decide::{ChainSituation, FirstKind, FollowUp, decide_follow_up};
use florin_domain::ledger::{JournalKind, JournalTransaction, Leg, Pool};
use florin_domain::money::{Minor, Total};
use florin_domain::page::PageRequest;
use florin_ports::{Discrepancy, ExplainResult, FollowUpCommand};
use std::sync::Arc;

checks! {
    "books.explain.sums_beyond_64_bits" => sums_beyond_64_bits,
    "books.explain.paid_orders_reserve_nothing" => paid_orders_reserve_nothing,
    "books.explain.reservations_of_the_oldest_batch_first" => reservations_of_the_oldest_batch_first,
    "books.books.chains_that_hold_nothing_do_not_count" => chains_that_hold_nothing_do_not_count,
    "books_check.finds_reservations_without_money" => finds_reservations_without_money,
    "chains.history.by_time_whatever_the_tokens" => history_by_time_whatever_the_tokens,
}

async fn parts(handle: &Handle) -> Result<ExplanationParts, crate::check::Failure> {
    let found = handle.books.explain(&Who::Main.account()?, Who::Main.budget(), gbp()?, PageRequest::default()).await?;
    match found {
        ExplainResult::Parts(parts) => Ok(*parts),
        other => Err(crate::check::Failure::new(format!("there is nothing to explain: {other:?}"))),
    }
}

/// The budget received the largest amount twice, and spent it once.
async fn sums_beyond_64_bits(handle: Handle) -> CheckResult {
    let mut data = seed_data(i64::MAX)?;
    let available = Pool::Available(Who::Main.budget());
    for (number, kind, minor) in [(1, JournalKind::Card, -i64::MAX), (2, JournalKind::Credit, i64::MAX)] {
        let leg = Leg::new(Pool::CardNetwork, available, Minor(minor))?;
        let (id, account) = (journal_id(number), Who::Main.account()?);
        let moved = JournalTransaction::new(id, account, (kind, id.0), gbp()?, after(1), leg)?;
        data.accounts[0].budgets[0].journal.push(moved);
    }
    handle.seeding.seed(data).await?;
    let sums = parts(&handle).await?.sums;
    let credits = expect_some("the credits", sums.iter().find(|sum| sum.kind == JournalKind::Credit))?;
    same("what was credited", (credits.count, credits.moved.available), (2, Total(i128::from(i64::MAX) * 2)))
}

async fn paid_orders_reserve_nothing(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    // Each payment is the only one of its order. The first becomes final, and the second stays open.
    add_confirmed_batch(&handle, Who::Main, 1, 2).await?;
    let lease = claim_one(&handle, 1, after(90)).await?;
    handle.processing.start(start(&lease, 5_000)).await?;
    handle.processing.start_payments(start_payments(&lease, 9, 6_000)).await?;
    same("orders that reserve money", parts(&handle).await?.reservations.count, 1)?;
    handle.processing.record(record(&lease, &[payment_id(100_000)], PaymentOutcome::Completed, None, 7_000)).await?;
    let seen = parts(&handle).await?.reservations;
    same("orders that reserve money", (seen.count, seen.rows.len(), seen.total), (0, 0, Total::ZERO))
}

async fn reservations_of_the_oldest_batch_first(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    for (number, created_at) in [(1, after(10)), (2, noon()), (3, after(5))] {
        let new_payments = Some(NewPayments::of(number * 10, 1));
        expect_new(
            handle.management.create(create(Who::Main, empty(Who::Main, number, created_at)?, new_payments)?).await,
        )?;
        expect_new(handle.batches.confirm(confirm(Who::Main, batch_id(number), number * 1_000)?).await)?;
    }
    let batches: Vec<_> = parts(&handle).await?.reservations.rows.iter().map(|row| row.batch).collect();
    same("the batches", batches, [2, 3, 1].map(batch_id).to_vec())
}

async fn chains_that_hold_nothing_do_not_count(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    expect_new(handle.cards.first_message(purchase(Who::Main, 1, "10")?).await)?;
    let refund = first(Who::Main, Who::Main.card(), message(FirstKind::Refund, "4")?, stamp(2))?;
    expect_new(handle.cards.first_message(refund).await)?;
    same("open holds", handle.books.books(&Who::Main.account()?).await?.open_holds, 1)
}

/// The batch is confirmed, but the journal has no reservation for it.
async fn finds_reservations_without_money(handle: Handle) -> CheckResult {
    let mut data = seed_data(9_500)?;
    let confirmation = Confirmation { by: Some(Who::Main.client()), at: noon(), passed_mfa_check_at: None };
    data.accounts[0].batches = vec![batch(Who::Main, Who::Main.batch(), BatchState::Confirmed(confirmation))?];
    handle.seeding.seed(data).await?;
    let mut found = handle.books_check.check_all().await?.discrepancies;
    found.sort_by_key(|found| format!("{found:?}"));
    let of = |budget| Ok::<_, crate::check::Failure>(Discrepancy::Reservations { budget, currency: gbp()? });
    same("discrepancies", found, vec![of(Who::Main.budget())?, of(Who::Main.second_budget())?])
}

async fn history_by_time_whatever_the_tokens(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    expect_new(handle.cards.first_message(purchase(Who::Main, 1, "10")?).await)?;
    for (number, seconds) in [(9, 1), (5, 2), (7, 3)] {
        let reversal = FollowUp::Reversal { amount: Some(crate::commands::amount("1")?) };
        let command = follow_up(Who::Main, token(1), number, reversal.clone())?;
        let stamp = stamp_at(number, after(seconds));
        let decide = Arc::new(move |situation: &ChainSituation| {
            stamp.rule(|stamp| decide_follow_up(situation, token(1), &reversal, stamp))
        });
        expect_new(handle.cards.follow_up(FollowUpCommand { decide, ..command }).await)?;
    }
    let history = expect_some("the history", handle.chains.history(&Who::Main.account()?, token(5)).await?)?;
    let tokens: Vec<_> = history.messages.iter().map(|message| message.transaction.token).collect();
    same("the messages", tokens, [1, 9, 5, 7].map(token).to_vec())
}
