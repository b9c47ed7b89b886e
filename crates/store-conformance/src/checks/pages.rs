//! Checks of filtered lists: every page, and the count of all matching rows.

use crate::check::{CheckResult, Failure, checks};
use crate::expect::{expect_new, expect_some, same};
use crate::factory::Handle;
use crate::management::{budget_id, card_id, change_state, create_budget, issue};
use crate::people::{individual_holder, person_id};
use crate::seed_data::{Who, checkout, gbp, jpy, noon, seed_data, seed_store};
use crate::worlds::{empty, seed_all_but_my_account, snapshot};
use chrono::TimeDelta;
use florin_domain::budget::{BudgetFilter, BudgetRecord};
use florin_domain::card::{CardFilter, CardOwnerKind, CardSearch, CardState};
use florin_domain::ids::{AccountId, BudgetId};
use florin_domain::merchant::{Checkout, CheckoutFilter, CheckoutKind, CheckoutStatus, CheckoutType};
use florin_domain::page::{Page, PageRequest};
use florin_ports::SnapshotCommand;
use std::fmt::Debug;
use std::sync::Arc;

checks! {
    "budgets.list.every_page_behind_every_filter" => every_page_behind_every_filter,
    "card_management.list.every_page_behind_every_filter" => list_every_page_behind_every_filter,
    "card_management.transitions.every_page" => every_page,
    "checkouts.list.every_page_behind_every_filter" => checkouts_list_every_page_behind_every_filter,
    "worlds.list.every_page_behind_its_filter" (Sandbox) => every_page_behind_its_filter,
    "worlds.snapshots.every_page" (Sandbox) => snapshots_every_page,
}

/// Returns pages that cover a list, and two pages beyond its end.
pub(super) fn pages(count: usize) -> Vec<PageRequest> {
    let offsets = (0..=count).step_by(2).filter_map(|offset| i64::try_from(offset).ok());
    let behind = [PageRequest { limit: 5, offset: 1_000 }, PageRequest { limit: 1, offset: i64::MAX }];
    offsets.map(|offset| PageRequest { limit: 2, offset }).chain(behind).collect()
}

/// Expects a page to contain the matching part of all rows, and the count of all rows.
pub(super) fn is_page<T: Clone + PartialEq + Debug>(
    what: &str,
    found: &Page<T>,
    all: &[T],
    page: PageRequest,
) -> CheckResult {
    let size = |number| usize::try_from(number).unwrap_or(usize::MAX);
    let expected: Vec<_> = all.iter().skip(size(page.offset)).take(size(page.limit)).cloned().collect();
    let count = i64::try_from(all.len()).unwrap_or(-1);
    same(&format!("the count of {what}"), found.count, count)?;
    same(&format!("{page:?} of {what}"), &found.rows, &expected)
}

async fn every_page_behind_every_filter(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let mine = Who::Main.account()?;
    for number in 1..=7_u128 {
        // Budget 1 holds both currencies, too.
        let parent = [None, Some(Who::Main.budget()), Some(budget_id(1))]
            [usize::from(number % 3 == 0) + usize::from(number % 2 == 0)];
        let currencies = if number % 2 == 0 || number == 1 { vec![gbp()?, jpy()?] } else { vec![jpy()?] };
        expect_new(handle.budgets.create(create_budget(Who::Main, number, parent, currencies)?).await)?;
        expect_new(
            handle
                .budgets
                .create(create_budget(Who::Other, 100 + number, Some(Who::Other.budget()), vec![jpy()?])?)
                .await,
        )?;
    }
    let all = handle.budgets.list(&mine, BudgetFilter::default(), PageRequest { limit: 1000, offset: 0 }).await?.rows;
    for parent in [None, Some(Who::Main.budget()), Some(budget_id(1)), Some(Who::Other.budget())] {
        for currency in [None, Some(gbp()?), Some(jpy()?)] {
            let matches = |row: &&BudgetRecord| {
                (parent.is_none() || row.parent == parent)
                    && currency.is_none_or(|currency| row.budget.in_currency(currency).is_some())
            };
            let expected: Vec<_> = all.iter().filter(matches).cloned().collect();
            let filter = BudgetFilter { parent, currency };
            for page in pages(expected.len()) {
                is_page(&format!("{filter:?}"), &handle.budgets.list(&mine, filter, page).await?, &expected, page)?;
            }
        }
    }
    Ok(())
}

async fn list_every_page_behind_every_filter(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let mine = Who::Main.account()?;
    for number in 1..=7_u128 {
        let budget = if number % 2 == 0 { Who::Main.budget() } else { Who::Main.second_budget() };
        let mut command = issue(Who::Main, number, budget, number % 3 == 0)?;
        let rule = command.decide;
        command.decide = Arc::new(move |situation: &_| {
            let mut record = rule(situation)?;
            // An individual card may name another budget in addition to the one that pays.
            let budgets = [record.card.budget, Who::Main.second_budget()];
            record.person =
                (number % 2 == 0).then(|| individual_holder(number % 4, &budgets[..=index(number % 4 / 2)]));
            // Two cards have the same name, and one was created a day later.
            let names = ["Ärzte", "team party", "Team Party", "Team Party", "Zoe", "party", "日本"];
            let name = names[index(number - 1)];
            name.clone_into(&mut record.name);
            record.created_at = record.created_at.map(|at| at + TimeDelta::days(i64::from(number == 3)));
            Ok(record)
        });
        expect_new(handle.card_management.create(command).await)?;
        expect_new(handle.card_management.create(issue(Who::Other, 100 + number, Who::Other.budget(), true)?).await)?;
    }
    let page = PageRequest { limit: 1000, offset: 0 };
    let all = handle.card_management.list(&mine, CardFilter::default(), page).await?.rows;
    let names: Vec<_> = all.iter().map(|row| (row.record.name.as_str(), row.record.card.id)).collect();
    let mut sorted = names.clone();
    sorted.sort_unstable();
    same("the order", names, sorted)?;
    for filter in card_filters()? {
        let mut expected: Vec<_> = all.iter().filter(|row| filter.matches(&row.record)).cloned().collect();
        if filter.descending {
            expected.reverse();
        }
        for page in pages(expected.len()) {
            let found = handle.card_management.list(&mine, filter.clone(), page).await?;
            is_page(&format!("{filter:?}"), &found, &expected, page)?;
        }
    }
    Ok(())
}

/// Every filter of cards alone, and some together.
fn card_filters() -> Result<Vec<CardFilter>, Failure> {
    use CardState::{Active, Terminated, Unactivated};
    let of = |budget: Option<BudgetId>| CardFilter { budget, ..CardFilter::default() };
    let mut filters = vec![of(None), CardFilter { descending: true, ..of(None) }];
    for budget in [Who::Main.budget(), Who::Main.second_budget(), Who::Other.budget()] {
        filters.push(of(Some(budget)));
        for states in [vec![Active], vec![Unactivated], vec![Active, Unactivated], vec![Terminated]] {
            filters.push(CardFilter { states, ..of(Some(budget)) });
        }
    }
    for people in [vec![], vec![person_id(2)], vec![person_id(0), person_id(2), person_id(9)]] {
        filters.push(CardFilter { people: Some(people), ..of(None) });
    }
    for owner in CardOwnerKind::ALL {
        filters.push(CardFilter { owner: Some(owner), descending: true, ..of(None) });
    }
    for descending in [false, true] {
        // One state is named twice.
        let states = vec![Unactivated, Active, Terminated, Active];
        filters.push(CardFilter { states: states.clone(), descending, ..of(None) });
        filters.push(CardFilter { states, owner: Some(CardOwnerKind::Budget), descending, ..of(None) });
    }
    for ids in [vec![], vec![card_id(3)], vec![card_id(5), card_id(1), card_id(101)]] {
        filters.push(CardFilter { ids: Some(ids), ..of(None) });
    }
    for search in ["team", "PARTY", "team p", "artz", "arz", "arzte", "日", "z", "0003", "%", "_"] {
        filters.push(CardFilter { search: Some(CardSearch::parse(search)?), ..of(None) });
    }
    let tomorrow = noon() + TimeDelta::days(1);
    filters.push(CardFilter { created_from: Some(tomorrow), ..of(None) });
    filters.push(CardFilter { created_before: Some(tomorrow), ..of(None) });
    let (search, budget) = (Some(CardSearch::parse("party")?), Some(Who::Main.second_budget()));
    filters.push(CardFilter { states: vec![Unactivated], search, owner: Some(CardOwnerKind::Budget), ..of(budget) });
    Ok(filters)
}

fn index(number: u128) -> usize {
    usize::try_from(number).unwrap_or_default()
}

async fn every_page(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let mine = Who::Main.account()?;
    expect_new(handle.card_management.create(issue(Who::Main, 1, Who::Main.budget(), true)?).await)?;
    let mut expected = Vec::new();
    for number in 0..12 {
        let to = if number % 2 == 0 { CardState::Suspended } else { CardState::Active };
        for card in [Who::Main.card(), card_id(1)] {
            expect_new(
                handle.card_management.change(change_state(Who::Main, card, to, &format!("step {number}"))?).await,
            )?;
        }
        let first = handle.card_management.transitions(&mine, card_id(1), PageRequest { limit: 1, offset: 0 }).await?;
        expected.extend(expect_some("the card", first)?.rows);
    }
    expected.reverse();
    for page in pages(expected.len()) {
        let found = expect_some("the card", handle.card_management.transitions(&mine, card_id(1), page).await?)?;
        is_page("transitions", &found, &expected, page)?;
    }
    Ok(())
}

async fn checkouts_list_every_page_behind_every_filter(handle: Handle) -> CheckResult {
    let mut all: Vec<Checkout> = Vec::new();
    for number in 0..9_u8 {
        let mut one = checkout(Who::Main, 100 + u128::from(number))?;
        one.created_at = noon() + TimeDelta::microseconds(i64::from(number % 2));
        one.status = CheckoutStatus::ALL[usize::from(number % 3 == 0)];
        if number % 4 != 0 {
            one.kind = CheckoutKind::Shopping { settlement_account: None, shipping: None };
        }
        all.push(one);
    }
    let mut data = seed_data(0)?;
    data.accounts[0].checkouts.clone_from(&all);
    handle.seeding.seed(data).await?;
    all.sort_by_key(|one| std::cmp::Reverse((one.created_at, one.id)));
    for checkout_type in [None, Some(CheckoutType::Shopping), Some(CheckoutType::TopUp)] {
        for status in [None, Some(CheckoutStatus::Active), Some(CheckoutStatus::Deactivated)] {
            let matches = |one: &&Checkout| {
                checkout_type.is_none_or(|expected| one.kind.checkout_type() == expected)
                    && status.is_none_or(|expected| one.status == expected)
            };
            let expected: Vec<_> = all.iter().filter(matches).cloned().collect();
            let filter = CheckoutFilter { checkout_type, status };
            for page in pages(expected.len()) {
                let found = handle.checkouts.list(&Who::Main.account()?, filter, page).await?;
                is_page(&format!("{filter:?}"), &found, &expected, page)?;
            }
        }
    }
    Ok(())
}

async fn every_page_behind_its_filter(handle: Handle) -> CheckResult {
    seed_all_but_my_account(&handle).await?;
    let mut all = Vec::new();
    for number in 0..7_u8 {
        let mut command = empty(&format!("W{number}"), 110 + number)?;
        command.world.created_at = noon() + TimeDelta::microseconds(i64::from(number % 3));
        all.push(handle.worlds.create(command).await?);
    }
    all.sort_by_key(|world| (std::cmp::Reverse(world.created_at), world.account.clone()));
    let lists = [None, Some(vec!["W0", "W2", "W5", "W6", "F2", "W9"]), Some(vec!["W9"]), Some(vec![])];
    for only in lists {
        let only = only.map(|only| only.iter().filter_map(|id| AccountId::parse(id).ok()).collect());
        let listed =
            |id: &AccountId| only.as_ref().is_none_or(|only: &std::collections::BTreeSet<_>| only.contains(id));
        let expected: Vec<_> = all.iter().filter(|world| listed(&world.account)).cloned().collect();
        for page in pages(expected.len()) {
            let found = handle.worlds.list(Who::Main.client(), only.clone(), page).await?;
            is_page(&format!("{only:?}"), &found, &expected, page)?;
        }
    }
    Ok(())
}

async fn snapshots_every_page(handle: Handle) -> CheckResult {
    seed_all_but_my_account(&handle).await?;
    handle.worlds.create(crate::worlds::command()?).await?;
    handle.worlds.create(empty("W1", 111)?).await?;
    let mut all = Vec::new();
    for number in [4, 1, 5, 2, 3] {
        let mut command = snapshot(number)?;
        if number % 2 == 0 {
            command.name = None;
        }
        command.now = noon() + TimeDelta::microseconds(i64::try_from(number).unwrap_or_default());
        all.push(expect_new(handle.worlds.take_snapshot(command).await)?);
        let account = AccountId::parse("W1")?;
        expect_new(handle.worlds.take_snapshot(SnapshotCommand { account, ..snapshot(number)? }).await)?;
    }
    all.sort_by_key(|snapshot| snapshot.id);
    for page in pages(all.len()) {
        is_page("snapshots", &handle.worlds.snapshots(&Who::Main.account()?, page).await?, &all, page)?;
    }
    Ok(())
}
