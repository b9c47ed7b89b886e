//! Checks of exact amounts up to the limits of 64 bits.

use crate::check::{CheckResult, checks};
use crate::commands::{
    amount, clearing, credit, first, follow_up, message, purchase, stamp, token, with_changed_decision,
};
use crate::expect::{expect_new, expect_some, refused, same};
use crate::factory::Handle;
use crate::observe::{Observation, balances, books_are_right, chain};
use crate::seed_data::{Who, gbp, seed_budget, seed_data, seed_store};
use florin_domain::budget::CreditRefusal;
use florin_domain::card::ChainState;
use florin_domain::card::decide::{CardRefusal, FirstKind, FollowUp};
use florin_domain::ledger::{AmountOutOfRange, Balances};
use florin_domain::money::{Currency, Minor};

checks! {
    "money.largest_balance_is_kept" => largest_balance_is_kept,
    "money.balance_limit_changes_nothing" => balance_limit_changes_nothing,
    "money.negative_available_is_kept" => negative_available_is_kept,
    "money.pools_at_the_limit" => pools_at_the_limit,
    "money.records_keep_64_bits" => records_keep_64_bits,
    "money.sums_beyond_64_bits_are_proved" => sums_beyond_64_bits_are_proved,
    "money.minor_units_of_every_exponent" => minor_units_of_every_exponent,
}

async fn largest_balance_is_kept(handle: Handle) -> CheckResult {
    handle.seeding.seed(seed_data(i64::MAX)?).await?;
    let now = balances(&handle, Who::Main, gbp()?).await?;
    same("the balance", now, Balances::new(Minor(i64::MAX), Minor(0), Minor(0))?)?;
    let done = expect_new(handle.cards.first_message(purchase(Who::Main, 1, "999999999.99")?).await)?;
    same("what is left", done.available_balance, Minor(i64::MAX - 99_999_999_999))?;
    same("the ledger", done.ledger_balance, Minor(i64::MAX))?;
    books_are_right(&handle).await
}

async fn balance_limit_changes_nothing(handle: Handle) -> CheckResult {
    handle.seeding.seed(seed_data(i64::MAX)?).await?;
    let before = Observation::take(&handle, 2).await?;
    let refusal = refused(handle.credits.credit(credit(Who::Main, 1, "0.01", gbp()?)?).await)?;
    same("the refusal", refusal, CreditRefusal::AmountOutOfRange(AmountOutOfRange::Overflow))?;
    before.still_holds("a credit beyond the limit", &handle).await?;
    let refund = first(Who::Main, Who::Main.card(), message(FirstKind::Refund, "1")?, stamp(1))?;
    expect_new(handle.cards.first_message(refund).await)?;
    let before = Observation::take(&handle, 2).await?;
    let clearing = FollowUp::RefundClearing { amount: amount("1")? };
    let refusal = refused(handle.cards.follow_up(follow_up(Who::Main, token(1), 2, clearing)?).await)?;
    same("the refusal", refusal, CardRefusal::AmountOutOfRange(AmountOutOfRange::Overflow))?;
    before.still_holds("a refund beyond the limit", &handle).await?;
    books_are_right(&handle).await
}

async fn negative_available_is_kept(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    expect_new(handle.cards.first_message(purchase(Who::Main, 1, "95")?).await)?;
    let above = follow_up(Who::Main, token(1), 2, clearing("1000000000", true)?)?;
    let done = expect_new(handle.cards.follow_up(above).await)?;
    let left = Minor(9_500 - 100_000_000_000);
    same("the answer", (done.available_balance, done.ledger_balance), (left, left))?;
    same("the balances", balances(&handle, Who::Main, gbp()?).await?, Balances::new(left, Minor(0), Minor(0))?)?;
    // A credit restores the balance.
    let done = expect_new(handle.credits.credit(credit(Who::Main, 3, "1000000000", gbp()?)?).await)?;
    same("after a credit", done.balances.available(), Minor(9_500))?;
    books_are_right(&handle).await
}

async fn pools_at_the_limit(handle: Handle) -> CheckResult {
    handle.seeding.seed(seed_data(i64::MAX)?).await?;
    // A custom rule holds the entire balance.
    let command = with_changed_decision(purchase(Who::Main, 1, "1")?, |situation, decision| {
        let all = situation.balances.available();
        decision.transaction.amount = all;
        decision.transaction.requested = all;
        decision.transaction.impacted = Minor(-all.0);
        if let Some(chain) = &mut decision.chain {
            (chain.state, chain.authorised) = (ChainState::Open { held: all }, all);
        }
        if let Some(booked) = everything_held(situation.card.budget, all, decision) {
            (decision.journal, decision.balances) = (Some(booked.0), booked.1);
        }
    });
    expect_new(handle.cards.first_message(command).await)?;
    let now = balances(&handle, Who::Main, gbp()?).await?;
    same("the balances", now, Balances::new(Minor(0), Minor(i64::MAX), Minor(0))?)?;
    let seen = expect_some("the chain", chain(&handle, &Who::Main.account()?, token(1)).await?)?;
    same("the hold", seen.chain.map(|chain| chain.held()), Some(Minor(i64::MAX)))?;
    expect_new(handle.cards.follow_up(follow_up(Who::Main, token(1), 2, FollowUp::Reversal { amount: None })?).await)?;
    let now = balances(&handle, Who::Main, gbp()?).await?;
    same("the balances", now, Balances::new(Minor(i64::MAX), Minor(0), Minor(0))?)?;
    books_are_right(&handle).await
}

/// A journal transaction, and the balances that it leads to.
type Booked = (florin_domain::ledger::JournalTransaction, Balances);

/// Returns what a decision books if it holds the entire balance.
fn everything_held(
    budget: florin_domain::ids::BudgetId,
    all: Minor,
    decision: &florin_domain::card::decide::CardDecision,
) -> Option<Booked> {
    use florin_domain::ledger::{JournalKind, JournalTransaction, Leg, Pool};
    let old = decision.journal.as_ref()?;
    let leg = Leg::new(Pool::Available(budget), Pool::Held(budget), all).ok()?;
    let cause = (JournalKind::Card, old.cause);
    let journal = JournalTransaction::new(old.id, old.account.clone(), cause, old.currency, old.at, leg).ok()?;
    Some((journal, Balances::new(Minor(0), all, Minor(0)).ok()?))
}

async fn records_keep_64_bits(handle: Handle) -> CheckResult {
    seed_store(&handle).await?;
    let command = with_changed_decision(purchase(Who::Main, 1, "96")?, |_, decision| {
        decision.transaction.amount = Minor(i64::MAX);
        decision.transaction.requested = Minor(i64::MAX - 1);
        decision.transaction.ledger_balance = Minor(i64::MIN);
        decision.transaction.available_balance = Minor(i64::MIN + 1);
    });
    let done = expect_new(handle.cards.first_message(command).await)?;
    let seen = expect_some("the message", chain(&handle, &Who::Main.account()?, token(1)).await?)?;
    same("the record", seen.first, done)
}

async fn sums_beyond_64_bits_are_proved(handle: Handle) -> CheckResult {
    // Two budgets each hold the maximum 64-bit amount. Their sum and its counterpart exceed 64 bits.
    let mut data = seed_data(i64::MAX)?;
    data.accounts[0].budgets[1] = seed_budget(Who::Main, Who::Main.second_budget(), &[(gbp()?, i64::MAX)], 31)?;
    handle.seeding.seed(data).await?;
    books_are_right(&handle).await?;
    // The sum of only the positive entries of the budget exceeds 64 bits, too.
    for round in 0..12 {
        let number = round * 2 + 1;
        expect_new(handle.cards.first_message(purchase(Who::Main, number, "1000000000")?).await)?;
        let back = follow_up(Who::Main, token(number), number + 1, FollowUp::Reversal { amount: None })?;
        expect_new(handle.cards.follow_up(back).await)?;
    }
    books_are_right(&handle).await
}

async fn minor_units_of_every_exponent(handle: Handle) -> CheckResult {
    let mut data = seed_data(9_500)?;
    let mut expected = Vec::new();
    for (code, minor) in [("BHD", 1_234_567), ("CLF", 0), ("EUR", 1), ("GBP", 9_500), ("JPY", 5_000)] {
        if let Ok(currency) = Currency::parse(code) {
            expected.push((currency, minor));
        }
    }
    data.accounts[0].budgets[0] = seed_budget(Who::Main, Who::Main.budget(), &expected, 30)?;
    handle.seeding.seed(data).await?;
    let budgets = handle.seeding.budgets(&Who::Main.account()?).await?;
    let found: Vec<_> = budgets[0].balances.iter().map(|(currency, now)| (*currency, now.available().0)).collect();
    same("the balances", found, expected)?;
    let done = expect_new(handle.credits.credit(credit(Who::Main, 1, "0.001", Currency::parse("BHD")?)?).await)?;
    same("the smallest credit", done.balances.available(), Minor(1_234_568))?;
    books_are_right(&handle).await
}
