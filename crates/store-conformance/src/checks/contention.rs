//! Checks of concurrent commands on one handle and on two.

use crate::check::{CheckResult, Failure, checks};
use crate::commands::{MessageResult, claim, credit, first, message, purchase, stamp};
use crate::expect::{expect_new, expect_some, expect_true, same};
use crate::factory::Handle;
use crate::observe::{balances, books_are_right};
use crate::seed_data::{Who, gbp, seed_data, seed_store};
use crate::together::{Work, one_effect, race};
use florin_domain::budget::Budget;
use florin_domain::card::decide::FirstKind;
use florin_domain::card::{Card, TransactionState};
use florin_domain::ids::{BudgetId, CardId};
use florin_domain::ledger::Balances;
use florin_domain::money::Minor;
use florin_ports::{FirstMessageCommand, SeedCard};

checks! {
    "contention.one_budget.of_100_authorizations_on_95_exactly_9_pass" =>
        one_budget_of_100_authorizations_on_95_exactly_9_pass,
    "contention.many_budgets.do_not_disturb_each_other" => do_not_disturb_each_other,
    "contention.credits_are_numbered_without_gaps" => credits_are_numbered_without_gaps,
    "contention.readers_see_what_was_answered" => readers_see_what_was_answered,
    "contention.two_handles.exactly_9_pass" (Reopen) => nine_on_two_handles,
    "contention.two_handles.one_key_has_one_effect" (Reopen) => one_key_on_two_handles,
    "contention.two_handles.credits_are_numbered_without_gaps" (Reopen) => numbers_on_two_handles,
}

/// Opens a second handle on the same data.
pub(super) async fn second(handle: &Handle) -> Result<Handle, Failure> {
    let open = expect_some("the way to a second handle", handle.reopen.clone())?;
    Ok(open().await?)
}

/// Sends all commands concurrently, alternating between the handles.
async fn all_at_once(handles: &[&Handle], commands: Vec<FirstMessageCommand>) -> Result<Vec<MessageResult>, Failure> {
    let mut work: Vec<Work<MessageResult>> = Vec::new();
    for (command, handle) in commands.into_iter().zip(handles.iter().cycle()) {
        let cards = handle.cards.clone();
        work.push(Box::pin(async move { cards.first_message(command).await }));
    }
    race(work).await
}

async fn nine_of_a_hundred(handles: &[&Handle]) -> CheckResult {
    seed_store(handles[0]).await?;
    let commands = (0..100).map(|number| purchase(Who::Main, number, "10")).collect::<Result<_, _>>()?;
    let mut approved = Vec::new();
    let mut declined = 0;
    for answer in all_at_once(handles, commands).await? {
        let done = expect_new(answer)?;
        match done.state {
            TransactionState::Pending => approved.push(done.available_balance.0),
            TransactionState::Declined => declined += 1,
            other => return Err(Failure::new(format!("neither approved nor declined: {other:?}"))),
        }
    }
    same("approved and declined", (approved.len(), declined), (9, 91))?;
    // Each command saw the effect of the previous one.
    approved.sort_unstable();
    let expected: Vec<_> = (0..9).map(|number| 500 + number * 1_000).collect();
    same("the available balance after each approved one", approved, expected)?;
    for handle in handles {
        let now = balances(handle, Who::Main, gbp()?).await?;
        same("the balances", now, Balances::new(Minor(500), Minor(9_000), Minor(0))?)?;
        books_are_right(handle).await?;
    }
    Ok(())
}

async fn one_budget_of_100_authorizations_on_95_exactly_9_pass(handle: Handle) -> CheckResult {
    nine_of_a_hundred(&[&handle]).await
}

async fn nine_on_two_handles(handle: Handle) -> CheckResult {
    let other = second(&handle).await?;
    nine_of_a_hundred(&[&handle, &other]).await
}

async fn do_not_disturb_each_other(handle: Handle) -> CheckResult {
    let mut data = seed_data(9_500)?;
    for number in 0..8 {
        let id = BudgetId(crate::seed_data::uuid(300, number));
        let seed = crate::seed_data::seed_budget(Who::Main, id, &[(gbp()?, 95)], 301 + number)?;
        let base = crate::seed_data::card(Who::Main, CardId(crate::seed_data::uuid(310, number)))?;
        data.accounts[0].budgets.push(seed);
        data.accounts[0].cards.push(SeedCard { card: Card { budget: id, ..base }, limits: vec![] });
    }
    handle.seeding.seed(data).await?;
    let command = |number: u128| {
        let card = CardId(crate::seed_data::uuid(310, number % 8));
        first(Who::Main, card, message(FirstKind::Purchase, "0.10")?, stamp(number))
    };
    let commands = (0..96).map(command).collect::<Result<_, _>>()?;
    let answers = all_at_once(&[&handle], commands).await?;
    let mut approved = 0;
    for answer in answers {
        approved += usize::from(expect_new(answer)?.state == TransactionState::Pending);
    }
    same("approved", approved, 72)?;
    let budgets = handle.seeding.budgets(&Who::Main.account()?).await?;
    let main = [Who::Main.budget(), Who::Main.second_budget(), Who::Main.parent_budget()];
    let small = budgets.iter().filter(|budget| !main.contains(&budget.id));
    let left: Vec<_> = small.flat_map(|budget: &Budget| &budget.balances).map(|(_, now)| now.available().0).collect();
    same("what is left", left, vec![5; 8])?;
    books_are_right(&handle).await
}

async fn fifty_credits(handles: &[&Handle]) -> CheckResult {
    seed_store(handles[0]).await?;
    let mut tasks = Vec::new();
    for (number, handle) in (0..50).zip(handles.iter().cycle()) {
        let (credits, command) = (handle.credits.clone(), credit(Who::Main, number, "1", gbp()?)?);
        tasks.push(tokio::spawn(async move { credits.credit(command).await }));
    }
    let mut taken = Vec::new();
    for task in tasks {
        let done = expect_new(task.await.map_err(|error| Failure::new(error.to_string()))?)?;
        taken.push((done.box_transaction_id, done.balances.available().0));
    }
    taken.sort_unstable();
    let expected: Vec<_> = (1..=50).map(|number| (number, 9_500 + number * 100)).collect();
    same("numbers and balances of credits", taken, expected)?;
    books_are_right(handles[0]).await
}

async fn credits_are_numbered_without_gaps(handle: Handle) -> CheckResult {
    fifty_credits(&[&handle]).await
}

async fn numbers_on_two_handles(handle: Handle) -> CheckResult {
    let other = second(&handle).await?;
    fifty_credits(&[&handle, &other]).await
}

async fn readers_see_what_was_answered(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let mut tasks = Vec::new();
    for number in 0..40 {
        let (handle, command) = (handle.clone(), purchase(Who::Main, number, "1")?);
        tasks.push(tokio::spawn(async move {
            let done = expect_new(handle.cards.first_message(command).await)?;
            // A read after the answer sees this message and all earlier ones.
            let now = balances(&handle, Who::Main, gbp()?).await?;
            expect_true("an answer was given before its effect", now.available() <= done.available_balance)
        }));
    }
    for task in tasks {
        task.await.map_err(|error| Failure::new(error.to_string()))??;
    }
    books_are_right(&handle).await
}

async fn one_key_on_two_handles(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let other = second(&handle).await?;
    let command = |number| -> Result<_, Failure> {
        let claim = Some(claim(Who::Main, "k", "{}")?);
        Ok(FirstMessageCommand { claim, ..purchase(Who::Main, number, "10")? })
    };
    let commands = (0..50).map(command).collect::<Result<_, _>>()?;
    one_effect("fifty at once", all_at_once(&[&handle, &other], commands).await?)?;
    books_are_right(&other).await
}
