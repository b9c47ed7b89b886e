//! Checks of budgets: creation, lookup and lists.

use crate::check::{CheckResult, checks};
use crate::commands::{claim, request};
use crate::expect::{absent, expect_new, mismatch, refused, replayed, same, store_failed, there};
use crate::factory::Handle;
use crate::management::{budget_id, make, make_for};
use crate::observe::{Observation, audited};
use crate::world::{Who, gbp, jpy, noon, seeded};
use florin_domain::budget::{
    BudgetFeature, BudgetFilter, BudgetRecord, CreateBudgetRefusal, CreateBudgetSituation, MAX_LEVELS,
};
use florin_domain::ids::AccountId;
use florin_domain::ledger::Balances;
use florin_domain::money::{Currency, Minor};
use florin_domain::page::PageRequest;
use florin_ports::{CreateBudgetCommand, StoreError};
use std::sync::Arc;

checks! {
    "budgets.create.stores_the_whole_decision" => whole,
    "budgets.create.is_shown_how_many_there_are_and_how_deep" => counts_and_depth,
    "budgets.create.at_once_is_shown_true_numbers" => at_once,
    "budgets.create.replay_gives_the_stored_answer" => again,
    "budgets.create.refusal_or_failure_changes_nothing" => nothing,
    "budgets.list.newest_first_with_filters_and_counts" => listed,
    "budgets.find.seeded_ones_have_every_feature" => seeded_ones,
    "budgets.create.without_payments_funds_no_batch" => no_payments,
    "tenancy.budgets.show_one_account_only" => foreign,
}

async fn whole(handle: Handle) -> CheckResult {
    seeded(&handle).await?;
    let command = make_for(Who::Mine, 1, Some(Who::Mine.budget()), vec![jpy()?, gbp()?], &[BudgetFeature::Cards])?;
    let made = expect_new(handle.budgets.create(command).await)?;
    let found = there("the budget", handle.budgets.find(&Who::Mine.account()?, budget_id(1)).await?)?;
    same("what is found", &found, &made)?;
    same("its name", found.budget.name.as_str(), "Bücher 1")?;
    same("its parent", found.parent, Some(Who::Mine.budget()))?;
    same("its features", found.features, [BudgetFeature::Cards].into())?;
    same("when", found.created_at, Some(noon()))?;
    let nothing = Balances::default();
    same("what it holds, by code", found.budget.balances, vec![(gbp()?, nothing), (jpy()?, nothing)])?;
    audited(&handle).await
}

async fn counts_and_depth(handle: Handle) -> CheckResult {
    seeded(&handle).await?;
    for level in 1..=u128::from(MAX_LEVELS) {
        let parent = (level > 1).then(|| budget_id(level - 1));
        let mut command = make(Who::Mine, level, parent, vec![gbp()?])?;
        let rule = command.decide;
        // Two budgets are seeded.
        let expected = CreateBudgetSituation {
            budgets: u64::try_from(level).unwrap_or_default() + 1,
            parent_level: parent.map(|_| u32::try_from(level).unwrap_or_default() - 1),
        };
        command.decide =
            Arc::new(
                move |situation: &CreateBudgetSituation| {
                    if *situation == expected { rule(situation) } else { Err(CreateBudgetRefusal::TooMany) }
                },
            );
        expect_new(handle.budgets.create(command).await)?;
    }
    let last = budget_id(u128::from(MAX_LEVELS));
    let command = make(Who::Mine, 99, Some(last), vec![gbp()?])?;
    same("below the last level", refused(handle.budgets.create(command).await)?, CreateBudgetRefusal::TooDeep)?;
    let command = make(Who::Mine, 99, Some(budget_id(98)), vec![gbp()?])?;
    same("below nothing", refused(handle.budgets.create(command).await)?, CreateBudgetRefusal::NoParent)
}

async fn at_once(handle: Handle) -> CheckResult {
    seeded(&handle).await?;
    // The rule stops at ten budgets. If two commands received the same count, more would be created.
    let mut tasks = Vec::new();
    for number in 0..20 {
        let mut command = make(Who::Mine, number, None, vec![gbp()?])?;
        let rule = command.decide;
        command.decide =
            Arc::new(
                move |situation: &CreateBudgetSituation| {
                    if situation.budgets < 10 { rule(situation) } else { Err(CreateBudgetRefusal::TooMany) }
                },
            );
        let budgets = handle.budgets.clone();
        tasks.push(tokio::spawn(async move { budgets.create(command).await.is_ok() }));
    }
    let mut made = 0;
    for task in tasks {
        made += i32::from(task.await.unwrap_or_default());
    }
    same("made beside the two that were seeded", made, 8)
}

async fn again(handle: Handle) -> CheckResult {
    seeded(&handle).await?;
    let with_key = |number, body| {
        let claim = Some(claim(Who::Mine, "key", body)?);
        Ok::<_, crate::Failure>(CreateBudgetCommand { claim, ..make(Who::Mine, number, None, vec![gbp()?])? })
    };
    let made = expect_new(handle.budgets.create(with_key(1, "{}")?).await)?;
    let answer = replayed(handle.budgets.create(with_key(2, "{}")?).await)?;
    same("the answer", answer.body, format!("{made:?}"))?;
    same("the second", handle.budgets.find(&Who::Mine.account()?, budget_id(2)).await?, None)?;
    same("the first request", mismatch(handle.budgets.create(with_key(3, "[]")?).await)?, request("{}"))
}

async fn nothing(handle: Handle) -> CheckResult {
    seeded(&handle).await?;
    let before = Observation::take(&handle, 1).await?;
    let mut command = make(Who::Mine, 1, None, vec![gbp()?])?;
    command.claim = Some(claim(Who::Mine, "key", "{}")?);
    let rule = Arc::clone(&command.decide);
    command.decide = Arc::new(|_: &CreateBudgetSituation| Err(CreateBudgetRefusal::TooMany));
    refused(handle.budgets.create(command).await)?;
    // With a duplicate id, neither the budget nor its balances can be stored.
    let mut command = make(Who::Mine, 1, None, vec![gbp()?])?;
    command.claim = Some(claim(Who::Mine, "key", "{}")?);
    command.decide = Arc::new(move |situation: &CreateBudgetSituation| {
        let mut record: BudgetRecord = rule(situation)?;
        record.budget.id = Who::Mine.budget();
        Ok(record)
    });
    let failed = store_failed(handle.budgets.create(command).await)?;
    same("a taken id", matches!(failed, StoreError::Duplicate(_)), true)?;
    before.still_holds("a creation that failed", &handle).await?;
    let mut command = make(Who::Mine, 1, None, vec![gbp()?])?;
    command.claim = Some(claim(Who::Mine, "key", "{}")?);
    expect_new(handle.budgets.create(command).await)?;
    let mut command = make(Who::Mine, 2, None, vec![gbp()?])?;
    command.account = AccountId::parse("F99")?;
    absent("an account that does not exist", &handle.budgets.create(command).await)
}

async fn listed(handle: Handle) -> CheckResult {
    seeded(&handle).await?;
    let mine = Who::Mine.account()?;
    let eur = Currency::parse("EUR")?;
    // Deliberately not in id order.
    for number in [2, 1, 3] {
        let currencies = if number == 2 { vec![eur, gbp()?] } else { vec![eur] };
        expect_new(handle.budgets.create(make(Who::Mine, number, Some(Who::Mine.budget()), currencies)?).await)?;
    }
    let list = |filter, page| handle.budgets.list(&mine, filter, page);
    let ids = |rows: Vec<BudgetRecord>| rows.into_iter().map(|row| row.budget.id).collect::<Vec<_>>();
    let all = list(BudgetFilter::default(), PageRequest::default()).await?;
    let made = [budget_id(3), budget_id(2), budget_id(1)];
    let old = [Who::Mine.second_budget(), Who::Mine.budget()];
    same("the count", all.count, 5)?;
    same("all", ids(all.rows), [&made[..], &old[..]].concat())?;
    let of_parent = BudgetFilter { parent: Some(Who::Mine.budget()), currency: None };
    let page = list(of_parent, PageRequest { limit: 1, offset: 1 }).await?;
    same("the count of sub-budgets", page.count, 3)?;
    same("a page of them", ids(page.rows), vec![budget_id(2)])?;
    let pounds = BudgetFilter { parent: Some(Who::Mine.budget()), currency: Some(gbp()?) };
    same("with pounds", ids(list(pounds, PageRequest::default()).await?.rows), vec![budget_id(2)])?;
    let yen = BudgetFilter { parent: None, currency: Some(jpy()?) };
    let found = list(yen, PageRequest::default()).await?;
    same("with yen", found.rows.first().map(|row| row.budget.in_currency(Currency::parse("JPY").ok()?)), {
        Some(Some(Balances::new(Minor(5_000), Minor(0), Minor(0))?))
    })?;
    let past = list(BudgetFilter::default(), PageRequest { limit: 1, offset: 5 }).await?;
    same("past the end", (past.count, past.rows.len()), (5, 0))
}

async fn seeded_ones(handle: Handle) -> CheckResult {
    seeded(&handle).await?;
    let seen = handle.seeding.budgets(&Who::Mine.account()?).await?;
    for budget in seen {
        let found = there("the budget", handle.budgets.find(&Who::Mine.account()?, budget.id).await?)?;
        same("a seeded budget", found, BudgetRecord::seeded(budget))?;
    }
    Ok(())
}

async fn no_payments(handle: Handle) -> CheckResult {
    seeded(&handle).await?;
    let but_payments = [BudgetFeature::Cards, BudgetFeature::Transfers];
    expect_new(handle.budgets.create(make_for(Who::Mine, 1, None, vec![gbp()?], &but_payments)?).await)?;
    expect_new(handle.budgets.create(make(Who::Mine, 2, None, vec![gbp()?])?).await)?;
    let funding = handle.reading.funding(&Who::Mine.account()?).await?;
    same("one without payments", funding.contains_key(&budget_id(1)), false)?;
    same("one with", funding.get(&budget_id(2)), Some(&[gbp()?].into()))
}

async fn foreign(handle: Handle) -> CheckResult {
    seeded(&handle).await?;
    expect_new(handle.budgets.create(make(Who::Other, 1, None, vec![gbp()?])?).await)?;
    let mine = Who::Mine.account()?;
    same("a foreign budget", handle.budgets.find(&mine, budget_id(1)).await?, None)?;
    let page = handle.budgets.list(&mine, BudgetFilter::default(), PageRequest::default()).await?;
    same("those of one account", page.count, 2)?;
    let filter = BudgetFilter { parent: Some(Who::Other.budget()), currency: None };
    same("of a foreign parent", handle.budgets.list(&mine, filter, PageRequest::default()).await?.count, 0)?;
    let command = make(Who::Mine, 2, Some(budget_id(1)), vec![gbp()?])?;
    same("a foreign parent", refused(handle.budgets.create(command).await)?, CreateBudgetRefusal::NoParent)
}
