//! Checks of seeding: all or nothing.

use crate::check::{CheckResult, Failure, checks};
use crate::expect::{duplicate, expect_some, expect_true, same};
use crate::factory::Handle;
use crate::observe::{Observation, books_are_right, card};
use crate::payments::{
    NewPayments, after, batch_id, claim_one, confirm, content, create, empty, start, start_payments,
};
use crate::seed_data::{BOTH, Who, client, gbp, jpy, noon, seed_budget, seed_data, seed_store, uuid};
use florin_domain::batch::{ConfirmSituation, FundingBudgets};
use florin_domain::card::CardLimit;
use florin_domain::ids::{AccountId, ClientId};
use florin_domain::ledger::Balances;
use florin_domain::money::Minor;
use florin_ports::SeedData;

checks! {
    "seeding.is_fresh.until_there_is_a_client" (Sandbox) => is_fresh,
    "seeding.seed.stores_every_record" (Sandbox) => every_record,
    "seeding.seed.stores_payments_and_their_work" (Sandbox) => stores_payments_and_their_work,
    "seeding.seed.duplicate_leaves_nothing" (Sandbox) => duplicate_leaves_nothing,
    "seeding.seed.unproved_balances_are_refused" (Sandbox) => unproved_balances_are_refused,
    "seeding.budgets.by_id_and_currency" (Sandbox) => budgets_in_order,
    "seeding.lists.of_an_unknown_account_are_empty" (Sandbox) => unknown_account,
}

async fn is_fresh(handle: Handle) -> CheckResult {
    same("whether an empty store is fresh", handle.seeding.is_fresh().await?, true)?;
    handle.registry.add_client(client(ClientId(uuid(1, 1)), "Ann")).await?;
    same("whether a store with a client is fresh", handle.seeding.is_fresh().await?, false)
}

async fn every_record(handle: Handle) -> CheckResult {
    let expected = seed_data(9_500)?;
    handle.seeding.seed(expected.clone()).await?;
    same("clients", handle.registry.clients().await?, expected.clients)?;
    same("banks", handle.banks.list(florin_domain::page::PageRequest::default()).await?.rows, expected.banks)?;
    for seed in expected.accounts {
        let id = seed.account.id.clone();
        same("the account", handle.accounts.find(&id).await?, Some(seed.account))?;
        same("its enrolment", handle.mfa.enrolment(&id).await?, seed.enrolment)?;
        let others = seed.budgets.into_iter().map(|seed| seed.budget);
        let budgets: Vec<_> = others.chain([seed.parent.budget]).collect();
        same("its budgets", handle.seeding.budgets(&id).await?, budgets)?;
        let cards: Vec<_> = seed.cards.iter().map(|seed| seed.card.clone()).collect();
        same("its cards", handle.seeding.cards(&id).await?, cards)?;
        for seed in seed.cards {
            let seen = card(&handle, &id, seed.card.id).await?;
            let limits: Option<Vec<CardLimit>> = seen.map(|seen| seen.limits);
            same("the limits of a card", limits, Some(seed.limits))?;
        }
        same("its batches", handle.seeding.batches(&id).await?, seed.batches)?;
    }
    same("whether a seeded store is fresh", handle.seeding.is_fresh().await?, false)?;
    books_are_right(&handle).await
}

/// Seeds a confirmed batch with payments and reserved money.
async fn stores_payments_and_their_work(handle: Handle) -> CheckResult {
    let mut data = seed_data(9_500)?;
    let refused = |refusal: &dyn std::fmt::Debug| Failure::new(format!("{refusal:?}"));
    let command = create(Who::Main, empty(Who::Main, 1, noon())?, Some(NewPayments::of(1, 5)))?;
    let filled = (command.decide)(&FundingBudgets::new()).map_err(|refusal| refused(&refusal))?;
    let seed = &mut data.accounts[0];
    let held = seed.budgets.iter().flat_map(|seed| {
        seed.budget.balances.iter().map(|(currency, balances)| ((seed.budget.id, *currency), *balances))
    });
    let situation = ConfirmSituation {
        batch: filled.batch,
        session: None,
        enrolment: None,
        mfa_required: false,
        balances: held.collect(),
    };
    let command = confirm(Who::Main, batch_id(1), 500)?;
    let confirmed = (command.decide)(&situation).result.map_err(|refusal| refused(&refusal))?;
    for ((budget, currency), balances) in &confirmed.balances {
        let seed = expect_some("the budget", seed.budgets.iter_mut().find(|seed| seed.budget.id == *budget))?;
        let held = seed.budget.balances.iter_mut().filter(|(of, _)| of == currency);
        held.for_each(|(_, held)| *held = *balances);
    }
    seed.budgets[0].journal.extend(confirmed.journal.iter().cloned());
    let mut payments = filled.payments;
    for payment in &mut payments {
        confirmed.payments.apply(payment, confirmed.batch.updated_at);
    }
    seed.batches.push(confirmed.batch.clone());
    seed.payments.clone_from(&payments);
    handle.seeding.seed(data).await?;
    let found = content(&handle, Who::Main, batch_id(1)).await?;
    same("the batch", found.batch, confirmed.batch)?;
    same("its payments", found.payments, payments)?;
    let lease = claim_one(&handle, 1, after(90)).await?;
    same("the batch with work", lease.batch, batch_id(1))?;
    handle.processing.start(start(&lease, 600)).await?;
    same(
        "the number of started payments",
        handle.processing.start_payments(start_payments(&lease, 9, 700)).await?.len(),
        5,
    )?;
    books_are_right(&handle).await
}

/// Returns sets of data, each with the name of the only kind of record in it that already exists.
fn clashing() -> Result<Vec<(&'static str, SeedData)>, Failure> {
    let old = seed_data(9_500)?;
    let new = || SeedData { clients: vec![client(ClientId(uuid(1, 77)), "new")], ..SeedData::default() };
    let mut list = vec![
        (
            "a client",
            SeedData { clients: vec![new().clients[0].clone(), old.clients[0].clone()], ..SeedData::default() },
        ),
        ("an account", SeedData { accounts: vec![old.accounts[0].clone()], ..new() }),
        ("a key", SeedData { keys: vec![old.keys[0].clone()], ..new() }),
        ("a bank", SeedData { banks: vec![old.banks[0].clone()], ..new() }),
    ];
    let fresh = |place: usize| -> Result<_, Failure> {
        let mut seed = old.accounts[place].clone();
        seed.account.id = AccountId::parse("F77")?;
        seed.account.client = ClientId(uuid(1, 77));
        Ok(seed)
    };
    let with = |seed| SeedData { accounts: vec![seed], ..new() };
    // A new account contains records of an existing account, but only of one kind, so that each kind is tested alone.
    let mut seed = fresh(0)?;
    (seed.budgets, seed.cards, seed.batches, seed.enrolment) = (vec![], vec![], vec![], None);
    list.push(("a checkout", with(seed)));
    let mut seed = fresh(0)?;
    (seed.checkouts, seed.cards, seed.batches, seed.enrolment) = (vec![], vec![], vec![], None);
    list.push(("a budget", with(seed)));
    let mut seed = fresh(0)?;
    (seed.checkouts, seed.budgets, seed.batches, seed.enrolment) = (vec![], vec![], vec![], None);
    list.push(("a card", with(seed)));
    let mut seed = fresh(0)?;
    (seed.checkouts, seed.budgets, seed.cards, seed.enrolment) = (vec![], vec![], vec![], None);
    list.push(("a batch", with(seed)));
    let mut seed = fresh(0)?;
    (seed.checkouts, seed.budgets, seed.cards, seed.batches) = (vec![], vec![], vec![], vec![]);
    list.push(("an enrolment", with(seed)));
    Ok(list)
}

async fn duplicate_leaves_nothing(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let before = Observation::take(&handle, 0).await?;
    for (what, data) in clashing()? {
        duplicate(&format!("data with {what} that already exists"), &handle.seeding.seed(data).await)?;
        before.still_holds(&format!("data with {what} that already exists"), &handle).await?;
        same("the account of data that was refused", handle.accounts.find(&AccountId::parse("F77")?).await?, None)?;
    }
    Ok(())
}

async fn unproved_balances_are_refused(handle: Handle) -> CheckResult {
    for case in 0..3 {
        let mut data = seed_data(9_500)?;
        let seed = &mut data.accounts[1].budgets[0];
        match case {
            // The balance exceeds its journal.
            0 => seed.budget.balances[0].1 = Balances::new(Minor(9_501), Minor(0), Minor(0))?,
            // The balance has no journal.
            1 => seed.journal.clear(),
            // The journal has no balance.
            _ => {
                seed.budget.balances.pop();
            }
        }
        let answer = handle.seeding.seed(data).await;
        expect_true(&format!("unproved balances (case {case}) were seeded: {answer:?}"), answer.is_err())?;
        same("whether the store is fresh after a failure", handle.seeding.is_fresh().await?, true)?;
    }
    Ok(())
}

async fn budgets_in_order(handle: Handle) -> CheckResult {
    let mut data = seed_data(9_500)?;
    let budgets = &mut data.accounts[0].budgets;
    budgets.insert(0, seed_budget(Who::Main, florin_domain::ids::BudgetId(uuid(200, 1)), &[(gbp()?, 0)], 32)?);
    budgets[1].budget.balances.reverse();
    let card = data.accounts[0].cards.remove(0);
    data.accounts[0].cards.push(card);
    data.accounts[0].batches.reverse();
    handle.seeding.seed(data).await?;
    let account = Who::Main.account()?;
    let found = handle.seeding.budgets(&account).await?;
    let ids: Vec<_> = found.iter().map(|budget| budget.id.0).collect();
    same("the order of budgets", ids, vec![uuid(2, 1), uuid(3, 1), uuid(9, 1), uuid(200, 1)])?;
    let currencies: Vec<_> = found[0].balances.iter().map(|(currency, _)| *currency).collect();
    same("the order of balances", currencies, vec![gbp()?, jpy()?])?;
    let cards: Vec<_> = handle.seeding.cards(&account).await?.iter().map(|card| card.id.0).collect();
    same("the order of cards", cards, vec![uuid(10, 1), uuid(11, 1), uuid(12, 1)])?;
    let batches = handle.seeding.batches(&account).await?;
    let ids: Vec<_> = batches.iter().map(|batch| batch.id.0).collect();
    same("the order of batches", ids, vec![uuid(20, 1), uuid(21, 1)])?;
    let orders: Vec<_> = batches[0].orders.iter().map(|order| order.budget.0).collect();
    same("the order of a batch's orders", orders, vec![uuid(2, 1), uuid(3, 1)])
}

async fn unknown_account(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let nobody = AccountId::parse("F3")?;
    same("budgets of nobody", handle.seeding.budgets(&nobody).await?, vec![])?;
    same("cards of nobody", handle.seeding.cards(&nobody).await?, vec![])?;
    same("batches of nobody", handle.seeding.batches(&nobody).await?, vec![])?;
    for who in BOTH {
        let account = who.account()?;
        let strangers = handle.seeding.cards(&account).await?.iter().filter(|card| card.account != account).count();
        same("cards of other accounts", strangers, 0)?;
    }
    Ok(())
}
