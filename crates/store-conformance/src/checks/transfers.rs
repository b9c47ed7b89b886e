//! Checks of transfers: both budgets are locked, and all of the transfer is stored or nothing.

use crate::check::{CheckResult, Failure, checks};
use crate::checks::contention::second;
use crate::commands::{claim, purchase, request};
use crate::expect::{absent, expect_new, expect_some, expect_true, mismatch, refused, replayed, same, store_failed};
use crate::factory::Handle;
use crate::management::{budget_id, create_budget_with_features, transfer};
use crate::observe::{Observation, books_are_right};
use crate::seed_data::{Who, gbp, noon, seed_store};
use florin_domain::budget::{BudgetFeature, TransferDecision, TransferRefusal, TransferSituation};
use florin_domain::card::TransactionState;
use florin_domain::ids::BudgetId;
use florin_domain::ledger::{AmountOutOfRange, Balances};
use florin_domain::money::Minor;
use florin_ports::{StoreError, TransferCommand};
use std::sync::Arc;

checks! {
    "transfers.transfer.stores_the_whole_decision" => stores_the_whole_decision,
    "transfers.transfer.is_shown_both_budgets" => transfer_is_shown_both_budgets,
    "transfers.transfer.refusal_changes_nothing" => refusal_changes_nothing,
    "transfers.transfer.replay_gives_the_stored_answer" => replay_gives_the_stored_answer,
    "transfers.transfer.both_ways_at_once_conserve_money" => both_ways,
    "transfers.transfer.cards_see_what_it_took" => cards_see_what_it_took,
    "transfers.transfer.two_handles_conserve_money" (Reopen) => two_handles,
    "atomic.transfer.journal_id_that_is_taken" => journal_taken,
    "tenancy.transfer.foreign_budgets_are_absent" => foreign_budgets_are_absent,
}

const ENDS: (BudgetId, BudgetId) = (Who::Main.budget(), Who::Main.second_budget());

/// Returns the GBP balances of both budgets.
async fn balances_of_both(handle: &Handle) -> Result<[Balances; 2], Failure> {
    let mut both = [Balances::default(); 2];
    for (balances, budget) in both.iter_mut().zip([ENDS.0, ENDS.1]) {
        let record = expect_some("the budget", handle.budgets.find(&Who::Main.account()?, budget).await?)?;
        *balances = expect_some("pounds", record.budget.in_currency(gbp()?))?;
    }
    Ok(both)
}

fn available_only(available: i64) -> Result<Balances, Failure> {
    Ok(Balances::new(Minor(available), Minor(0), Minor(0))?)
}

async fn stores_the_whole_decision(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let done = expect_new(handle.transfers.transfer(transfer(Who::Main, 1, ENDS, "20.05")?).await)?;
    same("the balances returned", (done.from, done.to), (available_only(7_495)?, available_only(7_005)?))?;
    same("the stored balances", balances_of_both(&handle).await?, [available_only(7_495)?, available_only(7_005)?])?;
    same("the time of the transfer", done.transfer.created_at, noon())?;
    same("the reference", done.transfer.reference.as_deref(), Some("Inv. 7 (a/b)"))?;
    let report = handle.books_check.check_all().await?;
    // Six credits were seeded.
    same("the journal", (report.journal_transactions, report.discrepancies), (7, vec![]))
}

async fn transfer_is_shown_both_budgets(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let command = create_budget_with_features(Who::Main, 1, Some(ENDS.0), vec![gbp()?], &[BudgetFeature::BudgetCards])?;
    let made = expect_new(handle.budgets.create(command).await)?;
    let first = expect_some("the budget", handle.budgets.find(&Who::Main.account()?, ENDS.0).await?)?;
    let mut command = transfer(Who::Main, 1, (ENDS.0, budget_id(1)), "1")?;
    command.decide = Arc::new(move |situation: &TransferSituation| {
        let right = situation.from == first && situation.to.as_ref() == Some(&made) && situation.number == 1;
        Err(if right {
            TransferRefusal::AmountOutOfRange(AmountOutOfRange::Overflow)
        } else {
            TransferRefusal::NoReceiver
        })
    });
    let seen = refused(handle.transfers.transfer(command).await)?;
    same("what the rule was shown", seen, TransferRefusal::AmountOutOfRange(AmountOutOfRange::Overflow))?;
    let command = transfer(Who::Main, 1, (ENDS.0, budget_id(9)), "1")?;
    same("an unknown receiver", refused(handle.transfers.transfer(command).await)?, TransferRefusal::NoReceiver)
}

async fn refusal_changes_nothing(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let before = Observation::take(&handle, 1).await?;
    let keyed = |amount| {
        let claim = Some(claim(Who::Main, "key", "{}")?);
        Ok::<_, Failure>(TransferCommand { claim, ..transfer(Who::Main, 1, ENDS, amount)? })
    };
    let refusal = refused(handle.transfers.transfer(keyed("95.01")?).await)?;
    same(
        "a transfer above the balance",
        refusal,
        TransferRefusal::InsufficientFunds { available: Minor(9_500).of(gbp()?) },
    )?;
    before.still_holds("a refused transfer", &handle).await?;
    expect_new(handle.transfers.transfer(keyed("95.00")?).await)?;
    same(
        "the balances after a transfer of everything",
        balances_of_both(&handle).await?,
        [available_only(0)?, available_only(14_500)?],
    )
}

async fn replay_gives_the_stored_answer(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let keyed = |number, body| {
        let claim = Some(claim(Who::Main, "key", body)?);
        Ok::<_, Failure>(TransferCommand { claim, ..transfer(Who::Main, number, ENDS, "1")? })
    };
    let done = expect_new(handle.transfers.transfer(keyed(1, "{}")?).await)?;
    same("the answer", replayed(handle.transfers.transfer(keyed(2, "{}")?).await)?.body, format!("{done:?}"))?;
    same("the first request", mismatch(handle.transfers.transfer(keyed(3, "[]")?).await)?, request("{}"))?;
    same(
        "the balances after one effect",
        balances_of_both(&handle).await?,
        [available_only(9_400)?, available_only(5_100)?],
    )
}

/// Sends sixty transfers in both directions, alternating between the handles.
async fn transfer_both_ways(handles: &[&Handle]) -> CheckResult {
    seed_store(handles[0]).await?;
    let mut tasks = Vec::new();
    for (number, handle) in (0..60_u128).zip(handles.iter().cycle()) {
        // Each handle sends in both directions, because one direction per handle would hide a deadlock.
        let ends = if (number / 2).is_multiple_of(2) { ENDS } else { (ENDS.1, ENDS.0) };
        let command = transfer(Who::Main, number, ends, if ends == ENDS { "7.00" } else { "3.00" })?;
        let transfers = handle.transfers.clone();
        tasks.push(tokio::spawn(async move { (ends == ENDS, transfers.transfer(command).await) }));
    }
    let mut given = 0;
    for task in tasks {
        let (forth, answer) = task.await.map_err(|error| Failure::new(error.to_string()))?;
        match answer {
            Ok(_) => given += if forth { 700 } else { -300 },
            other => same("whether a refused transfer is short of funds", is_short_of_funds(&other), true)?,
        }
    }
    for handle in handles {
        same(
            "the balances",
            balances_of_both(handle).await?,
            [available_only(9_500 - given)?, available_only(5_000 + given)?],
        )?;
        expect_true("more is spent than is available", given <= 9_500)?;
        books_are_right(handle).await?;
    }
    Ok(())
}

const fn is_short_of_funds<T>(answer: &Result<T, florin_ports::WriteError<TransferRefusal>>) -> bool {
    matches!(answer, Err(florin_ports::WriteError::Refused(TransferRefusal::InsufficientFunds { .. })))
}

async fn both_ways(handle: Handle) -> CheckResult {
    transfer_both_ways(&[&handle]).await
}

async fn two_handles(handle: Handle) -> CheckResult {
    let other = second(&handle).await?;
    transfer_both_ways(&[&handle, &other]).await
}

/// Races a transfer and a purchase of the entire balance: exactly one succeeds.
async fn cards_see_what_it_took(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let (buy, give) = (purchase(Who::Main, 1, "95")?, transfer(Who::Main, 2, ENDS, "95.00")?);
    let (cards, transfers) = (handle.cards.clone(), handle.transfers.clone());
    let buying = tokio::spawn(async move { cards.first_message(buy).await });
    let giving = tokio::spawn(async move { transfers.transfer(give).await });
    let bought = expect_new(buying.await.map_err(|error| Failure::new(error.to_string()))?)?;
    let given = giving.await.map_err(|error| Failure::new(error.to_string()))?;
    match bought.state {
        TransactionState::Pending => same("whether the transfer is short of funds", is_short_of_funds(&given), true)?,
        _ => same("whether the transfer succeeded", given.is_ok(), true)?,
    }
    books_are_right(&handle).await
}

async fn journal_taken(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    expect_new(handle.transfers.transfer(transfer(Who::Main, 1, ENDS, "1")?).await)?;
    let before = Observation::take(&handle, 1).await?;
    let mut command = transfer(Who::Main, 1, ENDS, "2")?;
    let rule = command.decide;
    command.decide = Arc::new(move |situation: &TransferSituation| {
        let mut decision: TransferDecision = rule(situation)?;
        decision.done.transfer.id.0 = crate::seed_data::uuid(83, 99);
        Ok(decision)
    });
    let failed = store_failed(handle.transfers.transfer(command).await)?;
    same("a taken journal id", matches!(failed, StoreError::Duplicate(_)), true)?;
    before.still_holds("a transfer that can't be stored", &handle).await
}

async fn foreign_budgets_are_absent(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let before = Observation::take(&handle, 1).await?;
    let command = transfer(Who::Main, 1, (Who::Other.budget(), ENDS.1), "1")?;
    absent("a foreign giver", &handle.transfers.transfer(command).await)?;
    let command = transfer(Who::Main, 1, (ENDS.0, Who::Other.budget()), "1")?;
    same("a foreign receiver", refused(handle.transfers.transfer(command).await)?, TransferRefusal::NoReceiver)?;
    before.still_holds("transfers with foreign budgets", &handle).await
}
