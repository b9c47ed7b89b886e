//! Checks of credits.

use crate::check::{CheckResult, checks};
use crate::commands::credit;
use crate::expect::{absent, expect_new, expect_some, refused, same};
use crate::factory::Handle;
use crate::observe::{Observation, balances, books_are_right, credit_situation};
use crate::seed_data::{Who, gbp, jpy, noon, seed_store};
use florin_domain::budget::{CreditRefusal, CreditSituation};
use florin_domain::ids::BudgetId;
use florin_domain::ledger::Balances;
use florin_domain::money::{Currency, Minor};

checks! {
    "credits.credit.stores_the_whole_decision" => stores_the_whole_decision,
    "credits.credit.numbers_the_credits_of_an_account_from_1" => numbers_the_credits_of_an_account_from_1,
    "credits.credit.refusal_changes_nothing" => refusal_changes_nothing,
    "credits.credit.unknown_budget_is_absent" => unknown_budget,
    "credits.credit.is_shown_all_of_its_budget" => whole_budget,
}

async fn stores_the_whole_decision(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let done = expect_new(handle.credits.credit(credit(Who::Main, 1, "200.05", gbp()?)?).await)?;
    let expected = Balances::new(Minor(29_505), Minor(0), Minor(0))?;
    same("the answer", (done.box_transaction_id, done.amount, done.balances), (1, Minor(20_005), expected))?;
    same("the time of the credit", done.created_at, noon())?;
    same("the balances", balances(&handle, Who::Main, gbp()?).await?, expected)?;
    let yen = Balances::new(Minor(5_000), Minor(0), Minor(0))?;
    same("the yen", balances(&handle, Who::Main, jpy()?).await?, yen)?;
    same("the journal", handle.books_check.check_all().await?.journal_transactions, 7)?;
    books_are_right(&handle).await
}

async fn numbers_the_credits_of_an_account_from_1(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    for (number, who, expected) in
        [(1, Who::Main, 1), (2, Who::Main, 2), (3, Who::Other, 1), (4, Who::Main, 3), (5, Who::Other, 2)]
    {
        let done = expect_new(handle.credits.credit(credit(who, number, "1", gbp()?)?).await)?;
        same("the number of a credit", (done.account, done.box_transaction_id), (who.account()?, expected))?;
    }
    Ok(())
}

async fn refusal_changes_nothing(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    expect_new(handle.credits.credit(credit(Who::Main, 1, "1", gbp()?)?).await)?;
    let before = Observation::take(&handle, 0).await?;
    let refusal = refused(handle.credits.credit(credit(Who::Main, 2, "1", Currency::parse("EUR")?)?).await)?;
    same("refused for its currency", matches!(refusal, CreditRefusal::Faults(_)), true)?;
    before.still_holds("a refused credit", &handle).await?;
    let done = expect_new(handle.credits.credit(credit(Who::Main, 2, "1", gbp()?)?).await)?;
    same("the number after a refusal", done.box_transaction_id, 2)
}

async fn unknown_budget(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let before = Observation::take(&handle, 0).await?;
    let mut command = credit(Who::Main, 1, "1", gbp()?)?;
    command.budget = BudgetId(crate::seed_data::uuid(2, 99));
    absent("an unknown budget", &handle.credits.credit(command).await)?;
    before.still_holds("a credit to nothing", &handle).await
}

async fn whole_budget(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let CreditSituation { budget: seen, number } =
        expect_some("the budget", credit_situation(&handle, &Who::Main.account()?, Who::Main.budget()).await?)?;
    same("the number of the next credit", number, 1)?;
    let expected = vec![
        (gbp()?, Balances::new(Minor(9_500), Minor(0), Minor(0))?),
        (jpy()?, Balances::new(Minor(5_000), Minor(0), Minor(0))?),
    ];
    same("the balances", seen.balances, expected)?;
    same("the budget", (seen.id, seen.account), (Who::Main.budget(), Who::Main.account()?))
}
