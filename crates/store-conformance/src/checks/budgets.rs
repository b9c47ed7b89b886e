//! Checks of budgets: creation, change, lookup and lists.

use crate::check::{CheckResult, Failure, checks};
use crate::commands::{claim, request};
use crate::expect::{absent, expect_new, expect_some, mismatch, not_found, refused, replayed, same, store_failed};
use crate::factory::Handle;
use crate::management::{budget_id, create_budget, create_budget_with_features, create_named_budget, edit_budget};
use crate::observe::{Observation, books_are_right};
use crate::payments::after;
use crate::seed_data::{Who, account, gbp, jpy, noon, parent_budget, parent_of, seed_store};
use crate::together::{Work, race};
use florin_domain::access::Account;
use florin_domain::budget::{
    BudgetEdit, BudgetFeature, BudgetFilter, BudgetKind, BudgetRecord, BudgetStatus, CreateBudgetRefusal,
    CreateBudgetSituation, EditBudgetRefusal, EditBudgetSituation, ParentBudget,
};
use florin_domain::ids::{AccountId, BudgetId};
use florin_domain::ledger::Balances;
use florin_domain::money::{Currency, Minor};
use florin_domain::page::PageRequest;
use florin_domain::text::Text;
use florin_ports::{CreateBudgetCommand, EditBudgetCommand, StoreError};
use std::sync::Arc;

checks! {
    "budgets.create.stores_the_whole_decision" => stores_the_whole_decision,
    "budgets.create.is_shown_its_parent_and_how_many_there_are" => counts_and_depth,
    "budgets.create.at_once_is_shown_true_numbers" => create_at_once_is_shown_true_numbers,
    "budgets.create.replay_gives_the_stored_answer" => replay_gives_the_stored_answer,
    "budgets.create.refusal_or_failure_changes_nothing" => refusal_or_failure_changes_nothing,
    "budgets.edit.is_visible_at_once_and_changes_nothing_else" => edit_is_visible_at_once_and_changes_nothing_else,
    "budgets.edit.replay_gives_the_stored_answer" => edit_replay_gives_the_stored_answer,
    "budgets.edit.refusal_changes_nothing" => refusal_changes_nothing,
    "budgets.names.are_unique_where_the_account_says_so" => unique_names,
    "budgets.list.by_name_then_by_id_with_filters_and_counts" => list_by_name_then_by_id_with_filters_and_counts,
    "budgets.find.seeded_ones_have_every_feature" => seeded_ones,
    "budgets.parent.every_account_has_one" => every_account_has_one,
    "budgets.create.without_payments_funds_no_batch" => create_without_payments_funds_no_batch,
    "tenancy.budgets.show_one_account_only" => budgets_show_one_account_only,
}

/// A refusal that the domain's rule never returns, because no limit is 0.
const TOO_MANY: CreateBudgetRefusal = CreateBudgetRefusal::TooMany { max: 0 };

async fn stores_the_whole_decision(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let only_cards = [BudgetFeature::BudgetCards];
    let command =
        create_budget_with_features(Who::Main, 1, Some(Who::Main.budget()), vec![jpy()?, gbp()?], &only_cards)?;
    let made = expect_new(handle.budgets.create(command).await)?;
    let found = expect_some("the budget", handle.budgets.find(&Who::Main.account()?, budget_id(1)).await?)?;
    same("what is found", &found, &made)?;
    same("its name", found.budget.name.as_str(), "Bücher 1")?;
    same("its parent", found.parent, Some(Who::Main.budget()))?;
    same("its features", found.features, only_cards.into())?;
    same("its type and status", (found.kind, found.status), (BudgetKind::Shared, BudgetStatus::Hidden))?;
    same("its box", found.box_id.as_deref(), Some("Kästchen 7"))?;
    same(
        "the times of creation and of the last change",
        (found.created_at, found.updated_at),
        (Some(noon()), Some(noon())),
    )?;
    let nothing = Balances::default();
    same("what it holds, by code", found.budget.balances, vec![(gbp()?, nothing), (jpy()?, nothing)])?;
    books_are_right(&handle).await
}

async fn counts_and_depth(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let eur = Currency::parse("EUR")?;
    let whole_account = ParentBudget { id: Who::Main.parent_budget(), level: 1, currencies: vec![eur, gbp()?, jpy()?] };
    let first = ParentBudget { id: budget_id(1), level: 2, currencies: vec![eur, gbp()?] };
    // The parent budget and two others are seeded.
    for (number, named, budgets, parent) in [
        (1, None, 3, whole_account.clone()),
        (2, Some(budget_id(1)), 4, first),
        (3, Some(whole_account.id), 5, whole_account),
    ] {
        let mut command = create_budget(Who::Main, number, named, vec![gbp()?, eur])?;
        let rule = command.decide;
        let parent = Some(parent);
        let expected = CreateBudgetSituation { budgets, parent, persona_has_budget: None, name_is_taken: false };
        command.decide = Arc::new(
            move |situation: &CreateBudgetSituation| {
                if *situation == expected { rule(situation) } else { Err(TOO_MANY) }
            },
        );
        expect_new(handle.budgets.create(command).await)?;
    }
    let command = create_budget(Who::Main, 99, Some(budget_id(2)), vec![gbp()?])?;
    same("below the last level", refused(handle.budgets.create(command).await)?, CreateBudgetRefusal::TooDeep)?;
    let command = create_budget(Who::Main, 99, Some(budget_id(98)), vec![gbp()?])?;
    same("below an unknown budget", refused(handle.budgets.create(command).await)?, CreateBudgetRefusal::NoParent)
}

async fn create_at_once_is_shown_true_numbers(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    // The rule stops at ten budgets. If two commands received the same count, more would be created.
    let mut work: Vec<Work<bool>> = Vec::new();
    for number in 0..20 {
        let mut command = create_budget(Who::Main, number, None, vec![gbp()?])?;
        let rule = command.decide;
        command.decide = Arc::new(
            move |situation: &CreateBudgetSituation| {
                if situation.budgets < 10 { rule(situation) } else { Err(TOO_MANY) }
            },
        );
        let budgets = handle.budgets.clone();
        work.push(Box::pin(async move { budgets.create(command).await.is_ok() }));
    }
    let made = race(work).await?.into_iter().filter(|made| *made).count();
    same("the number of created budgets, in addition to three seeded ones", made, 7)
}

async fn replay_gives_the_stored_answer(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let with_key = |number, body| {
        let claim = Some(claim(Who::Main, "key", body)?);
        Ok::<_, Failure>(CreateBudgetCommand { claim, ..create_budget(Who::Main, number, None, vec![gbp()?])? })
    };
    let made = expect_new(handle.budgets.create(with_key(1, "{}")?).await)?;
    let answer = replayed(handle.budgets.create(with_key(2, "{}")?).await)?;
    same("the answer", answer.body, format!("{made:?}"))?;
    same("the second", handle.budgets.find(&Who::Main.account()?, budget_id(2)).await?, None)?;
    same("the first request", mismatch(handle.budgets.create(with_key(3, "[]")?).await)?, request("{}"))
}

async fn refusal_or_failure_changes_nothing(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let before = Observation::take(&handle, 1).await?;
    let mut command = create_budget(Who::Main, 1, None, vec![gbp()?])?;
    command.claim = Some(claim(Who::Main, "key", "{}")?);
    let rule = Arc::clone(&command.decide);
    command.decide = Arc::new(|_: &CreateBudgetSituation| Err(TOO_MANY));
    refused(handle.budgets.create(command).await)?;
    // With a duplicate id, neither the budget nor its balances can be stored.
    let mut command = create_budget(Who::Main, 1, None, vec![gbp()?])?;
    command.claim = Some(claim(Who::Main, "key", "{}")?);
    command.decide = Arc::new(move |situation: &CreateBudgetSituation| {
        let mut record: BudgetRecord = rule(situation)?;
        record.budget.id = Who::Main.budget();
        Ok(record)
    });
    let failed = store_failed(handle.budgets.create(command).await)?;
    same("a taken id", matches!(failed, StoreError::Duplicate(_)), true)?;
    before.still_holds("a creation that failed", &handle).await?;
    let mut command = create_budget(Who::Main, 1, None, vec![gbp()?])?;
    command.claim = Some(claim(Who::Main, "key", "{}")?);
    expect_new(handle.budgets.create(command).await)?;
    let mut command = create_budget(Who::Main, 2, None, vec![gbp()?])?;
    command.account = AccountId::parse("F99")?;
    absent("an account that does not exist", &handle.budgets.create(command).await)
}

/// Returns a change of every member that can change.
fn every_member() -> Result<BudgetEdit, Failure> {
    Ok(BudgetEdit {
        name: Some(Text::parse("Zoë's trips ✓")?),
        status: Some(BudgetStatus::Hidden),
        features: Some([BudgetFeature::PeopleCards].into()),
        low_balance: Some(Some(crate::commands::amount("12.34")?)),
        low_balance_currency: Some(gbp()?),
    })
}

async fn edit_is_visible_at_once_and_changes_nothing_else(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let mine = Who::Main.account()?;
    for budget in [Who::Main.budget(), Who::Main.parent_budget()] {
        let before = expect_some("the budget", handle.budgets.find(&mine, budget).await?)?;
        let command = edit_budget(Who::Main, budget, every_member()?, after(9))?;
        let edited = expect_new(handle.budgets.edit(command).await)?;
        let found = expect_some("the budget", handle.budgets.find(&mine, budget).await?)?;
        same("what is found", &found, &edited)?;
        same("its name", found.budget.name.as_str(), "Zoë's trips ✓")?;
        same("its status", found.status, BudgetStatus::Hidden)?;
        same("its features", &found.features, &[BudgetFeature::PeopleCards].into())?;
        same("its threshold", found.low_balance, Some(Minor(1_234).of(gbp()?)))?;
        same(
            "the times of creation and of the last change",
            (found.created_at, found.updated_at),
            (before.created_at, Some(after(9))),
        )?;
        let rest = |record: BudgetRecord| (record.budget.balances, record.parent, record.kind, record.box_id);
        same("the rest", rest(found), rest(before))?;
    }
    let unset = BudgetEdit { low_balance: Some(None), ..BudgetEdit::default() };
    expect_new(handle.budgets.edit(edit_budget(Who::Main, Who::Main.budget(), unset, after(10))?).await)?;
    let found = expect_some("the budget", handle.budgets.find(&mine, Who::Main.budget()).await?)?;
    same("no threshold", found.low_balance, None)
}

async fn edit_replay_gives_the_stored_answer(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let with_key = |name: &str, body| {
        let claim = Some(claim(Who::Main, "key", body)?);
        let edit = BudgetEdit { name: Some(Text::parse(name)?), ..BudgetEdit::default() };
        let command = edit_budget(Who::Main, Who::Main.budget(), edit, after(9))?;
        Ok::<_, Failure>(EditBudgetCommand { claim, ..command })
    };
    let edited = expect_new(handle.budgets.edit(with_key("one", "{}")?).await)?;
    let answer = replayed(handle.budgets.edit(with_key("two", "{}")?).await)?;
    same("the answer", answer.body, format!("{edited:?}"))?;
    same("the first request", mismatch(handle.budgets.edit(with_key("three", "[]")?).await)?, request("{}"))?;
    let found = expect_some("the budget", handle.budgets.find(&Who::Main.account()?, Who::Main.budget()).await?)?;
    same("its name", found.budget.name.as_str(), "one")
}

async fn refusal_changes_nothing(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let before = Observation::take(&handle, 1).await?;
    let mut command = edit_budget(Who::Main, Who::Main.budget(), every_member()?, after(9))?;
    command.claim = Some(claim(Who::Main, "key", "{}")?);
    command.decide = Arc::new(|_: &EditBudgetSituation| Err(EditBudgetRefusal::Faults(Vec::new())));
    refused(handle.budgets.edit(command).await)?;
    let command = edit_budget(Who::Main, budget_id(9), every_member()?, after(9))?;
    absent("no such budget", &handle.budgets.edit(command).await)?;
    let command = edit_budget(Who::Main, Who::Other.budget(), every_member()?, after(9))?;
    absent("a foreign budget", &handle.budgets.edit(command).await)?;
    before.still_holds("refused changes", &handle).await
}

async fn unique_names(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let mine = Who::Main.account()?;
    let create =
        |who, number, name: &str| Ok::<_, Failure>(handle.budgets.create(create_named_budget(who, number, name)?));
    let rename = |number, name: &str| {
        let edit = BudgetEdit { name: Some(Text::parse(name)?), ..BudgetEdit::default() };
        Ok::<_, Failure>(handle.budgets.edit(edit_budget(Who::Main, budget_id(number), edit, after(9))?))
    };
    let with_key = || {
        let claim = Some(claim(Who::Main, "key", "{}")?);
        Ok::<_, Failure>(CreateBudgetCommand { claim, ..create_named_budget(Who::Main, 1, "Bücher 1")? })
    };
    let first = expect_new(handle.budgets.create(with_key()?).await)?;
    expect_new(create(Who::Main, 2, "Bücher 1")?.await)?;
    handle.registry.set_unique_budget_names(&mine, true).await?;
    let account = expect_some("the account", handle.accounts.find(&mine).await?)?;
    same("the setting", account.unique_budget_names, true)?;
    // Budgets keep the name that they had before, and a retry gets the stored response.
    expect_new(rename(2, "Bücher 1")?.await)?;
    same("the answer", replayed(handle.budgets.create(with_key()?).await)?.body, format!("{first:?}"))?;
    expect_new(rename(2, "Bücher 2")?.await)?;
    let taken = refused(rename(2, "Bücher 1")?.await)?;
    same("a new name of another budget", taken, EditBudgetRefusal::NameTaken)?;
    let taken = refused(create(Who::Main, 3, "Bücher 2")?.await)?;
    same("the name of a new budget", taken, CreateBudgetRefusal::NameTaken)?;
    same("the new budget", handle.budgets.find(&mine, budget_id(3)).await?, None)?;
    for (number, name) in [(3, "bücher 2"), (4, "Bücher 2 "), (5, "Bu\u{308}cher 2")] {
        expect_new(create(Who::Main, number, name)?.await)?;
    }
    for number in [1, 2] {
        expect_new(create(Who::Other, number, "Bücher 2")?.await)?;
    }
    handle.registry.set_unique_budget_names(&mine, false).await?;
    expect_new(create(Who::Main, 6, "Bücher 2")?.await)?;
    let unknown = handle.registry.set_unique_budget_names(&AccountId::parse("F404")?, true).await;
    not_found("an unknown account", &unknown)
}

async fn list_by_name_then_by_id_with_filters_and_counts(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let mine = Who::Main.account()?;
    let eur = Currency::parse("EUR")?;
    // Names in the order of code points: a capital comes before a small letter, and a space before both.
    for (number, name) in [(2, "Zug"), (1, "a b"), (4, "Zug"), (3, "a a"), (5, "Ärger")] {
        let currencies = if number == 2 { vec![eur, gbp()?] } else { vec![eur] };
        expect_new(
            handle.budgets.create(create_budget(Who::Main, number, Some(Who::Main.parent_budget()), currencies)?).await,
        )?;
        let edit = BudgetEdit { name: Some(Text::parse(name)?), ..BudgetEdit::default() };
        expect_new(handle.budgets.edit(edit_budget(Who::Main, budget_id(number), edit, noon())?).await)?;
    }
    let list = |filter, page| handle.budgets.list(&mine, filter, page);
    let ids = |rows: Vec<BudgetRecord>| rows.into_iter().map(|row| row.budget.id).collect::<Vec<_>>();
    let all = list(BudgetFilter::default(), PageRequest::default()).await?;
    let seeded = [Who::Main.budget(), Who::Main.second_budget()];
    let ordered: Vec<BudgetId> = [vec![Who::Main.parent_budget()], [2, 4, 3, 1].map(budget_id).to_vec()].concat();
    let ordered = [ordered, seeded.to_vec(), vec![budget_id(5)]].concat();
    same("the count", all.count, 8)?;
    same("all", ids(all.rows), ordered.clone())?;
    let page = list(BudgetFilter::default(), PageRequest { limit: 2, offset: 1 }).await?;
    same("a page", (page.count, ids(page.rows)), (8, ordered[1..3].to_vec()))?;
    let of_parent = BudgetFilter { parent: Some(Who::Main.parent_budget()), currency: None };
    let page = list(of_parent, PageRequest { limit: 1, offset: 2 }).await?;
    same("a page of sub-budgets", (page.count, ids(page.rows)), (7, vec![budget_id(3)]))?;
    let pounds = BudgetFilter { parent: Some(Who::Main.parent_budget()), currency: Some(gbp()?) };
    let with_pounds = [vec![budget_id(2)], seeded.to_vec()].concat();
    same("with pounds", ids(list(pounds, PageRequest::default()).await?.rows), with_pounds)?;
    let past = list(BudgetFilter::default(), PageRequest { limit: 1, offset: 8 }).await?;
    same("past the end", (past.count, past.rows.len()), (8, 0))
}

async fn seeded_ones(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let parent = parent_budget(Who::Main)?;
    let seen = handle.seeding.budgets(&Who::Main.account()?).await?;
    same("seeded budgets", seen.len(), 3)?;
    for budget in seen {
        let found = expect_some("the budget", handle.budgets.find(&Who::Main.account()?, budget.id).await?)?;
        let expected =
            if budget.id == parent.budget.id { parent.clone() } else { BudgetRecord::seeded(budget, &parent) };
        same("a seeded budget", found, expected)?;
    }
    Ok(())
}

async fn every_account_has_one(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let fresh = Account { id: AccountId::parse("F9")?, ..account(Who::Main)? };
    handle.registry.add_account(fresh.clone(), parent_of(&fresh)?).await?;
    for id in [Who::Main.account()?, Who::Other.account()?, fresh.id.clone()] {
        let all = handle.budgets.list(&id, BudgetFilter::default(), PageRequest::default()).await?;
        let without = all.rows.iter().filter(|record| record.parent.is_none()).map(|record| record.kind);
        same("budgets without a parent", without.collect::<Vec<_>>(), vec![BudgetKind::AccountBalance])?;
        let kinds = all.rows.iter().filter(|record| record.kind == BudgetKind::AccountBalance);
        same("parent budgets", kinds.count(), 1)?;
    }
    let mut command = create_budget(Who::Main, 1, None, vec![gbp()?])?;
    command.account = fresh.id.clone();
    let rule = command.decide;
    let parent = parent_of(&fresh)?.budget.id;
    command.decide = Arc::new(move |situation: &CreateBudgetSituation| {
        let right = situation.parent.as_ref().is_some_and(|shown| shown.id == parent);
        if right { Err(CreateBudgetRefusal::TooDeep) } else { rule(situation) }
    });
    same("the parent by default", refused(handle.budgets.create(command).await)?, CreateBudgetRefusal::TooDeep)
}

async fn create_without_payments_funds_no_batch(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let but_payments = [BudgetFeature::PeopleCards, BudgetFeature::BudgetCards];
    expect_new(
        handle.budgets.create(create_budget_with_features(Who::Main, 1, None, vec![gbp()?], &but_payments)?).await,
    )?;
    expect_new(handle.budgets.create(create_budget(Who::Main, 2, None, vec![gbp()?])?).await)?;
    let funding = handle.reading.funding(&Who::Main.account()?).await?;
    same("whether a budget without the feature `payments` can pay", funding.contains_key(&budget_id(1)), false)?;
    same("a budget with the feature `payments`", funding.get(&budget_id(2)), Some(&[gbp()?].into()))
}

async fn budgets_show_one_account_only(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    expect_new(handle.budgets.create(create_budget(Who::Other, 1, None, vec![gbp()?])?).await)?;
    let mine = Who::Main.account()?;
    same("a foreign budget", handle.budgets.find(&mine, budget_id(1)).await?, None)?;
    same("its funds", handle.budgets.find_with_funds(&mine, budget_id(1)).await?, None)?;
    let page = handle.budgets.list(&mine, BudgetFilter::default(), PageRequest::default()).await?;
    same("the budgets of one account", page.count, 3)?;
    let filter = BudgetFilter { parent: Some(Who::Other.parent_budget()), currency: None };
    same("budgets below a foreign parent", handle.budgets.list(&mine, filter, PageRequest::default()).await?.count, 0)?;
    let command = create_budget(Who::Main, 2, Some(budget_id(1)), vec![gbp()?])?;
    same("a foreign parent", refused(handle.budgets.create(command).await)?, CreateBudgetRefusal::NoParent)
}
