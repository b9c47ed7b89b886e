//! Rules that panic: their caller is told, and the store goes on.

use crate::check::{Proof, checks};
use crate::commands::{RIGHT, SANDBOX, claim, confirm, credit, expiry, follow_up, open, purchase, token};
use crate::expect::{fresh, same, store_failed};
use crate::factory::Handle;
use crate::observe::{Observation, audited};
use crate::world::{Who, gbp, noon, seeded};
use florin_domain::card::decide::FollowUp;
use florin_ports::{Answer, Readiness};
use std::sync::Arc;

checks! {
    "panics.rule_that_panics_answers_and_changes_nothing" => rules,
    "panics.answer_that_panics_leaves_nothing" => answers,
}

/// What is checked.
#[expect(clippy::panic, reason = "a store has to live with rules that panic")]
pub(super) fn bug<T>() -> T {
    panic!("a rule that panics on purpose, for a check")
}

async fn rules(handle: Handle) -> Proof {
    seeded(&handle).await?;
    fresh(handle.cards.first_message(purchase(Who::Mine, 1, "10")?).await)?;
    fresh(handle.mfa.open(open(Who::Mine, 1, SANDBOX)?).await)?;
    let before = Observation::take(&handle, 3).await?;
    for _ in 0..2 {
        let mut order = purchase(Who::Mine, 2, "10")?;
        order.decide = Arc::new(|_| bug());
        store_failed(handle.cards.first_message(order).await)?;
        let mut order = follow_up(Who::Mine, token(1), 2, FollowUp::Reversal { amount: None })?;
        order.decide = Arc::new(|_| bug());
        store_failed(handle.cards.follow_up(order).await)?;
        let mut order = expiry(Who::Mine, token(1), 2, noon())?;
        order.decide = Arc::new(|_| bug());
        store_failed(handle.cards.expire(order).await)?;
        let mut order = credit(Who::Mine, 2, "1", gbp()?)?;
        order.decide = Arc::new(|_| bug());
        store_failed(handle.credits.credit(order).await)?;
        let mut order = open(Who::Mine, 2, SANDBOX)?;
        order.decide = Arc::new(|_| bug());
        store_failed(handle.mfa.open(order).await)?;
        let mut order = confirm(Who::Mine, 1, 2, (SANDBOX, RIGHT))?;
        order.decide = Arc::new(|_| bug());
        store_failed(handle.batches.confirm(order).await)?;
    }
    before.still_holds("rules that panicked", &handle).await?;
    same("readiness", handle.upkeep.readiness().await?, Readiness::Ready)?;
    fresh(handle.cards.first_message(purchase(Who::Mine, 2, "10")?).await)?;
    audited(&handle).await
}

async fn answers(handle: Handle) -> Proof {
    seeded(&handle).await?;
    let before = Observation::take(&handle, 2).await?;
    let mut order = purchase(Who::Mine, 1, "10")?;
    let mut repeat = claim(Who::Mine, "k", "{}")?;
    repeat.answer = Arc::new(|_| bug::<Answer>());
    order.repeat = Some(repeat);
    store_failed(handle.cards.first_message(order).await)?;
    before.still_holds("an effect without its record", &handle).await?;
    let mut order = purchase(Who::Mine, 1, "10")?;
    order.repeat = Some(claim(Who::Mine, "k", "{}")?);
    fresh(handle.cards.first_message(order).await)?;
    audited(&handle).await
}
