//! Writes that fail where the adapter's tests let them: between any two, nothing may stay.

use crate::check::{Failure, Proof, checks};
use crate::commands::{
    SANDBOX, claim, clearing, confirm, credit, expiry, first, follow_up, message, open, stamp, token,
};
use crate::expect::{fresh, holds};
use crate::factory::Handle;
use crate::observe::{Observation, audited};
use crate::world::{Who, gbp, noon, uuid, world};
use chrono::TimeDelta;
use florin_domain::batch::ConfirmSituation;
use florin_domain::card::ChainKind;
use florin_domain::ids::{AccountId, BudgetId};
use florin_domain::ledger::Balances;
use florin_domain::mfa::{MfaProviderName, MfaVerdict};
use florin_domain::money::Minor;
use florin_ports::{ConfirmCommand, FirstMessageCommand, WriteError};
use std::fmt::Debug;
use std::sync::Arc;

checks! {
    "injected.failure_of_any_write_leaves_nothing" (Faults) => any_write,
}

/// How many orders [`execute`] knows.
const ORDERS: u8 = 8;

fn purchase(number: u128) -> Result<FirstMessageCommand, Failure> {
    first(Who::Mine, Who::Mine.limited_card(), message(ChainKind::Purchase, "0.10")?, stamp(number))
}

/// Carries out an order of each kind, with ids from `base` on; whether it came to an end.
async fn execute(handle: &Handle, command: u8, base: u128) -> Result<bool, Failure> {
    let key = format!("{command}-{base}");
    match command {
        0 => {
            let repeat = Some(claim(Who::Mine, &key, "{}")?);
            done(handle.cards.first_message(FirstMessageCommand { repeat, ..purchase(base + 11)? }).await)
        }
        1 => {
            let mut command = follow_up(Who::Mine, token(base + 1), base + 12, clearing("0.04", true)?)?;
            command.repeat = Some(claim(Who::Mine, &key, "{}")?);
            done(handle.cards.follow_up(command).await)
        }
        2 => {
            let due = noon() + TimeDelta::days(8);
            done(handle.cards.expire(expiry(Who::Mine, token(base + 2), base + 13, due)?).await)
        }
        3 => {
            let mut command = credit(Who::Mine, base + 14, "1", gbp()?)?;
            command.repeat = Some(claim(Who::Mine, &key, "{}")?);
            done(handle.credits.credit(command).await)
        }
        4 => {
            let mut command = open(Who::Mine, base + 15, SANDBOX)?;
            command.repeat = Some(claim(Who::Mine, &key, "{}")?);
            done(handle.mfa.open(command).await)
        }
        5 => {
            let declined = first(Who::Mine, Who::Mine.card(), message(ChainKind::Purchase, "1000")?, stamp(base + 17))?;
            done(handle.cards.first_message(declined).await)
        }
        6 => done(handle.batches.confirm(doomed(confirm(Who::Mine, base + 1, base + 16, wrong())?)?).await),
        _ => done(handle.batches.confirm(doomed(confirm(Who::Mine, base + 1, base + 18, right())?)?).await),
    }
}

const fn wrong() -> (MfaProviderName, MfaVerdict) {
    (MfaProviderName::Totp, MfaVerdict::Wrong)
}

const fn right() -> (MfaProviderName, MfaVerdict) {
    (MfaProviderName::Totp, MfaVerdict::Right { step: Some(7) })
}

/// A batch can be confirmed once, and a session has few attempts: so the last thing that is stored always fails.
fn doomed(command: ConfirmCommand) -> Result<ConfirmCommand, Failure> {
    let (nobody, nothing, gbp) = (AccountId::parse("F99")?, BudgetId(uuid(u128::MAX >> 64, 0)), gbp()?);
    let balances = Balances::new(Minor(1), Minor(0), Minor(0))?;
    let rule = command.decide;
    let decide = Arc::new(move |situation: &ConfirmSituation| {
        let mut decision = rule(situation);
        match (&mut decision.answer, &mut decision.enrolment) {
            (Ok(confirmation), _) => {
                confirmation.balances.insert((nothing, gbp), balances);
            }
            (Err(_), Some(enrolment)) => enrolment.account = nobody.clone(),
            (Err(_), None) => {}
        }
        decision
    });
    Ok(ConfirmCommand { decide, ..command })
}

/// Whether the order came to its end: a failure of the store is none.
fn done<T: Debug, R: Debug>(answer: Result<T, WriteError<R>>) -> Result<bool, Failure> {
    match answer {
        Ok(_) => Ok(true),
        Err(WriteError::Store(_)) => Ok(false),
        Err(other) => Err(Failure::new(format!("neither an effect nor a failure: {other:?}"))),
    }
}

async fn any_write(handle: Handle) -> Proof {
    let mut world = world(9_500)?;
    for limit in world.accounts[0].cards.iter_mut().flat_map(|card| &mut card.limits) {
        (limit.amount, limit.most_uses) = (Minor(i64::MAX), None);
    }
    handle.seeding.seed(world).await?;
    let Some(faults) = handle.faults.clone() else { return Ok(()) };
    // Where only batches are written, or only what is managed, has a check of its own.
    let others =
        |place: &String| super::payments_injected::is_ours(place) || super::management_injected::is_ours(place);
    let places = faults.places().into_iter().filter(|place| !others(place));
    for (base, place) in (1..).map(|number| number * 100).zip(places) {
        for number in [base + 1, base + 2] {
            fresh(handle.cards.first_message(purchase(number)?).await)?;
        }
        fresh(handle.mfa.open(open(Who::Mine, base + 1, MfaProviderName::Totp)?).await)?;
        let mut failed = 0;
        for command in 0..ORDERS {
            let before = Observation::of(&handle, base + 1..=base + 19).await?;
            faults.arm(&place).await?;
            let done = execute(&handle, command, base).await;
            faults.disarm().await?;
            if done? {
                // It does not write there.
                continue;
            }
            before.still_holds(&format!("order {command}, which failed at `{place}`,"), &handle).await?;
            failed += 1;
            let again = execute(&handle, command, base).await?;
            holds(&format!("order {command} fails after `{place}` was mended"), again || command >= 6)?;
        }
        holds(&format!("no order failed at `{place}`"), failed > 0)?;
    }
    audited(&handle).await
}
