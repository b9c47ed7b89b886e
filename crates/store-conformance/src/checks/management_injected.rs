//! Writes of budgets, transfers, cards and limits that fail where the adapter's tests let them: between any two, nothing may
//! stay.

use crate::check::{Failure, Proof, checks};
use crate::commands::claim;
use crate::expect::{fresh, holds};
use crate::factory::Handle;
use crate::management::{bring, budget_id, card_id, issue, limit, make, no_limit, transfer};
use crate::observe::{Observation, audited};
use crate::world::{Who, gbp, noon, seeded};
use florin_domain::card::{CardState, SpendingWindow};
use florin_ports::WriteError;
use std::fmt::Debug;

checks! {
    "injected.failure_of_any_write_of_management_leaves_nothing" (Faults) => any_write,
}

/// How many orders [`execute`] knows.
const ORDERS: u8 = 6;

/// Whether only what manages budgets and cards writes at a place.
pub(super) fn is_ours(place: &str) -> bool {
    let tables = ["budgets", "transfers", "cards", "card_transitions"];
    let others = ["INSERT ON balances", "INSERT ON spending_limits", "DELETE ON spending_limits"];
    tables.iter().any(|table| place.ends_with(&format!(" {table}"))) || others.contains(&place)
}

/// Whether it writes there at all.
fn is_written(place: &str) -> bool {
    let shared = ["journal_transactions", "journal_entries", "balances", "idempotency_records"];
    is_ours(place) || shared.iter().any(|table| place.ends_with(&format!(" {table}")))
}

/// Whether it came to its end: a failure of the store is none.
fn done<T: Debug, R: Debug>(answer: Result<T, WriteError<R>>) -> Result<bool, Failure> {
    match answer {
        Ok(_) => Ok(true),
        Err(WriteError::Store(_)) => Ok(false),
        Err(other) => Err(Failure::new(format!("neither an effect nor a failure: {other:?}"))),
    }
}

/// A card in use, with two limits.
async fn set(handle: &Handle, base: u128) -> Proof {
    let cards = &handle.card_management;
    fresh(cards.create(issue(Who::Mine, base, Who::Mine.budget(), true)?).await)?;
    for window in [SpendingWindow::Day, SpendingWindow::Week] {
        fresh(cards.set_limit(limit(Who::Mine, card_id(base), (window, "1", None), noon())?).await)?;
    }
    Ok(())
}

/// Carries out an order of each kind; whether it came to an end.
async fn execute(handle: &Handle, order: u8, base: u128) -> Result<bool, Failure> {
    let (key, card, cards) = (format!("{order}-{base}"), card_id(base), &handle.card_management);
    match order {
        0 => {
            let mut order = make(Who::Mine, base, Some(Who::Mine.budget()), vec![gbp()?])?;
            order.repeat = Some(claim(Who::Mine, &key, "{}")?);
            done(handle.budgets.create(order).await)
        }
        1 => {
            let ends = (Who::Mine.budget(), Who::Mine.second_budget());
            let mut order = transfer(Who::Mine, base, ends, "0.01")?;
            order.repeat = Some(claim(Who::Mine, &key, "{}")?);
            done(handle.transfers.transfer(order).await)
        }
        2 => {
            let mut order = issue(Who::Mine, base + 1, Who::Mine.budget(), false)?;
            order.repeat = Some(claim(Who::Mine, &key, "{}")?);
            done(cards.create(order).await)
        }
        3 => {
            let mut order = bring(Who::Mine, card, CardState::Suspended, "lost")?;
            order.repeat = Some(claim(Who::Mine, &key, "{}")?);
            done(cards.transition(order).await)
        }
        4 => {
            let mut order = limit(Who::Mine, card, (SpendingWindow::Day, "2", Some(2)), noon())?;
            order.repeat = Some(claim(Who::Mine, &key, "{}")?);
            done(cards.set_limit(order).await)
        }
        _ => {
            let mut order = no_limit(Who::Mine, card, SpendingWindow::Week)?;
            order.repeat = Some(claim(Who::Mine, &key, "{}")?);
            done(cards.remove_limit(order).await)
        }
    }
}

async fn any_write(handle: Handle) -> Proof {
    seeded(&handle).await?;
    let Some(faults) = handle.faults.clone() else { return Ok(()) };
    let places = faults.places().into_iter().filter(|place| is_written(place));
    for (base, place) in (1..).map(|number| number * 10).zip(places) {
        set(&handle, base).await?;
        let mut failed = 0;
        for order in 0..ORDERS {
            let before = Observation::take(&handle, 0).await?;
            faults.arm(&place).await?;
            let done = execute(&handle, order, base).await;
            faults.disarm().await?;
            if done? {
                // It does not write there.
                continue;
            }
            before.still_holds(&format!("order {order}, which failed at `{place}`,"), &handle).await?;
            failed += 1;
            holds(&format!("order {order} works after `{place}` was mended"), execute(&handle, order, base).await?)?;
        }
        holds(&format!("no order failed at `{place}`"), failed > 0)?;
        let made = handle.budgets.find(&Who::Mine.account()?, budget_id(base)).await?;
        holds("a budget that was made is there", made.is_some())?;
    }
    audited(&handle).await
}
