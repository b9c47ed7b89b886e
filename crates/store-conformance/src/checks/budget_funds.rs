//! Checks of the funds of budgets: sums of their sub-budgets, and the last number of each balance.

use crate::check::{CheckResult, Failure, checks};
use crate::commands::credit;
use crate::expect::{expect_new, expect_some, same};
use crate::factory::Handle;
use crate::management::{budget_id, create_budget, transfer};
use crate::observe::credit_situation;
use crate::seed_data::{Who, gbp, jpy, seed_data, seed_store};
use florin_domain::books::PoolSums;
use florin_domain::budget::{BudgetFilter, BudgetFunds};
use florin_domain::ids::BudgetId;
use florin_domain::money::{Currency, Total};
use florin_domain::page::PageRequest;

checks! {
    "budgets.funds.sum_up_all_levels_below" => funds_sum_up_all_levels_below,
    "budgets.funds.sums_may_exceed_64_bits" => sums_may_exceed_64_bits,
    "budgets.funds.name_the_last_number_of_each_balance" => last_numbers,
    "transfers.transfer.shares_the_numbers_of_credits" => one_sequence,
}

/// Returns the funds of a budget in one currency. Expects the lookup and the list to return the same.
async fn funds(handle: &Handle, budget: BudgetId, currency: Currency) -> Result<BudgetFunds, Failure> {
    let mine = Who::Main.account()?;
    let found = expect_some("the budget", handle.budgets.find_with_funds(&mine, budget).await?)?;
    let listed = handle.budgets.list_with_funds(&mine, BudgetFilter::default(), PageRequest::default()).await?;
    let listed = expect_some("the row", listed.rows.into_iter().find(|row| row.record.budget.id == budget))?;
    same("the row", &listed, &found)?;
    same("the number of balances with funds", found.funds.len(), found.record.budget.balances.len())?;
    let place = found.record.budget.balances.iter().position(|(code, _)| *code == currency);
    Ok(found.funds[expect_some("the currency", place)?])
}

fn available(minor: i64) -> PoolSums {
    PoolSums { available: Total(minor.into()), ..PoolSums::default() }
}

async fn funds_sum_up_all_levels_below(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let mine = Who::Main;
    expect_new(handle.budgets.create(create_budget(mine, 1, Some(mine.budget()), vec![gbp()?])?).await)?;
    expect_new(handle.transfers.transfer(transfer(mine, 1, (mine.budget(), budget_id(1)), "2.00")?).await)?;
    // 93.00 and 2.00 on two levels of one branch, 50.00 on another. The other account has the same amounts.
    same("below the account", funds(&handle, mine.parent_budget(), gbp()?).await?.below, available(14_500))?;
    same(
        "below the account in another currency",
        funds(&handle, mine.parent_budget(), jpy()?).await?.below,
        available(5_000),
    )?;
    let eur = Currency::parse("EUR")?;
    same(
        "below the account in a currency of no sub-budget",
        funds(&handle, mine.parent_budget(), eur).await?.below,
        PoolSums::default(),
    )?;
    same("below the budget", funds(&handle, mine.budget(), gbp()?).await?.below, available(200))?;
    same("below a leaf", funds(&handle, budget_id(1), gbp()?).await?.below, PoolSums::default())
}

async fn sums_may_exceed_64_bits(handle: Handle) -> CheckResult {
    handle.seeding.seed(seed_data(i64::MAX)?).await?;
    let sum = Total(i128::from(i64::MAX) + 5_000);
    same("the sum", funds(&handle, Who::Main.parent_budget(), gbp()?).await?.below.available, sum)
}

async fn last_numbers(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let (first, second) = (Who::Main.budget(), Who::Main.second_budget());
    same("at first", funds(&handle, first, gbp()?).await?.last_number, None)?;
    expect_new(handle.credits.credit(credit(Who::Main, 1, "7", gbp()?)?).await)?;
    expect_new(handle.transfers.transfer(transfer(Who::Main, 2, (first, second), "1")?).await)?;
    expect_new(handle.credits.credit(credit(Who::Main, 3, "7", jpy()?)?).await)?;
    same("after a debit", funds(&handle, first, gbp()?).await?.last_number, Some(2))?;
    same("after a credit", funds(&handle, second, gbp()?).await?.last_number, Some(3))?;
    same("in another currency", funds(&handle, first, jpy()?).await?.last_number, Some(4))?;
    // A card message has no number, so the last number of the balance stays.
    expect_new(handle.cards.first_message(crate::commands::purchase(Who::Main, 5, "1")?).await)?;
    same("after a card message", funds(&handle, first, gbp()?).await?.last_number, Some(2))
}

async fn one_sequence(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let ends = (Who::Main.budget(), Who::Main.second_budget());
    let first = expect_new(handle.credits.credit(credit(Who::Main, 1, "7", gbp()?)?).await)?;
    let second = expect_new(handle.transfers.transfer(transfer(Who::Main, 2, ends, "1")?).await)?;
    let third = expect_new(handle.transfers.transfer(transfer(Who::Main, 3, ends, "1")?).await)?;
    let last = expect_new(handle.credits.credit(credit(Who::Main, 4, "7", gbp()?)?).await)?;
    let numbers = [first.box_transaction_id, second.transfer.number, third.transfer.number, last.box_transaction_id];
    same("the numbers", numbers, [1, 2, 4, 6])?;
    let other = credit_situation(&handle, &Who::Other.account()?, Who::Other.budget()).await?;
    let other = expect_some("the budget", other)?;
    same("the next number of the other account", other.number, 1)
}
