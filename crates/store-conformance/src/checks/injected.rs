//! Checks of writes that the adapter's tests make fail: a failure between any two writes leaves nothing.

use crate::check::{CheckResult, Failure, checks};
use crate::commands::{
    SANDBOX, claim, clearing, confirm_batch, credit, expiry, first, follow_up, message, open, stamp, token,
};
use crate::expect::{expect_new, expect_true};
use crate::factory::Handle;
use crate::failing_writes::{End, FaultedCommand, end, plain_end};
use crate::observe::{Observation, books_are_right};
use crate::payments::{NewPayments, batch_id, create, empty};
use crate::seed_data::{Who, enrolment, gbp, noon, seed_data};
use chrono::TimeDelta;
use florin_domain::card::decide::FirstKind;
use florin_domain::ids::PaymentBatchId;
use florin_domain::mfa::{MfaProviderName, MfaVerdict};
use florin_domain::money::Minor;
use florin_ports::FirstMessageCommand;

checks! {
    "injected.failure_of_any_write_leaves_nothing" (Faults) => any_write,
}

/// Number of commands that [`execute`] knows.
const COMMANDS: u8 = 8;

fn faulted_command(command: u8) -> FaultedCommand {
    let expected = if command == 6 { End::Refused } else { End::Effect };
    FaultedCommand { name: format!("command {command}"), has_key: !matches!(command, 2 | 5 | 6), expected }
}

fn purchase(number: u128) -> Result<FirstMessageCommand, Failure> {
    first(Who::Main, Who::Main.limited_card(), message(FirstKind::Purchase, "0.10")?, stamp(number))
}

/// Returns the batch that a round confirms. Each round has its own, because a batch can be confirmed only once.
const fn batch_of(base: u128) -> PaymentBatchId {
    batch_id(base)
}

/// Executes the command with this number, with ids that start at `base`.
async fn execute(handle: &Handle, command: u8, base: u128) -> Result<End, Failure> {
    let key = format!("{command}-{base}");
    match command {
        0 => {
            let claim = Some(claim(Who::Main, &key, "{}")?);
            end(handle.cards.first_message(FirstMessageCommand { claim, ..purchase(base + 11)? }).await)
        }
        1 => {
            let mut command = follow_up(Who::Main, token(base + 1), base + 12, clearing("0.04", true)?)?;
            command.claim = Some(claim(Who::Main, &key, "{}")?);
            end(handle.cards.follow_up(command).await)
        }
        2 => {
            let due = noon() + TimeDelta::days(8);
            plain_end(handle.cards.expire(expiry(Who::Main, token(base + 2), base + 13, due)?).await)
        }
        3 => {
            let mut command = credit(Who::Main, base + 14, "1", gbp()?)?;
            command.claim = Some(claim(Who::Main, &key, "{}")?);
            end(handle.credits.credit(command).await)
        }
        4 => {
            let mut command = open(Who::Main, base + 15, SANDBOX)?;
            command.claim = Some(claim(Who::Main, &key, "{}")?);
            end(handle.mfa.open(command).await)
        }
        5 => {
            let declined = first(Who::Main, Who::Main.card(), message(FirstKind::Purchase, "1000")?, stamp(base + 17))?;
            end(handle.cards.first_message(declined).await)
        }
        6 => {
            let proof = (MfaProviderName::Totp, MfaVerdict::Wrong);
            let command = confirm_batch(Who::Main, batch_of(base), base + 1, base * 1_000, proof)?;
            end(handle.batches.confirm(command).await)
        }
        _ => {
            let proof = (MfaProviderName::Totp, MfaVerdict::Correct { step: Some(7) });
            let mut command = confirm_batch(Who::Main, batch_of(base), base + 1, base * 1_000, proof)?;
            command.claim = Some(claim(Who::Main, &key, "{}")?);
            end(handle.batches.confirm(command).await)
        }
    }
}

/// Creates the records that the commands of a round use.
async fn prepare(handle: &Handle, base: u128) -> CheckResult {
    for number in [base + 1, base + 2] {
        expect_new(handle.cards.first_message(purchase(number)?).await)?;
    }
    // A few wrong tokens lock an enrolment, so each round has its own.
    handle.registry.enrol(enrolment(Who::Main)?).await?;
    let new_payments = Some(NewPayments::of(base * 1_000, 2));
    expect_new(handle.management.create(create(Who::Main, empty(Who::Main, base, noon())?, new_payments)?).await)?;
    let mut session = open(Who::Main, base + 1, MfaProviderName::Totp)?;
    session.batch = batch_of(base);
    expect_new(handle.mfa.open(session).await)?;
    Ok(())
}

async fn any_write(handle: Handle) -> CheckResult {
    let mut data = seed_data(9_500)?;
    for limit in data.accounts[0].cards.iter_mut().flat_map(|card| &mut card.limits) {
        (limit.amount, limit.max_uses) = (Minor(i64::MAX), None);
    }
    handle.seeding.seed(data).await?;
    let Some(faults) = handle.faults.clone() else { return Ok(()) };
    // Separate checks cover the places that only batch commands or only management commands write.
    let others =
        |place: &String| super::payments_injected::is_ours(place) || super::management_injected::is_ours(place);
    let places = faults.places().into_iter().filter(|place| !others(place));
    for (base, place) in (1..).map(|number| number * 100).zip(places) {
        prepare(&handle, base).await?;
        let mut failed = 0;
        for command in 0..COMMANDS {
            let (faulted, before) = (
                faulted_command(command),
                Observation::of_accounts(&handle, &[Who::Main], base + 11..=base + 17).await?,
            );
            faults.arm(&place).await?;
            let ended = execute(&handle, command, base).await;
            faults.disarm().await?;
            if faulted.failed(ended?, &place)? {
                before.still_holds(&format!("command {command}, which failed at `{place}`,"), &handle).await?;
                failed += 1;
                faulted.works_again(execute(&handle, command, base).await?, &place)?;
            }
        }
        expect_true(&format!("no command failed at `{place}`"), failed > 0)?;
    }
    books_are_right(&handle).await
}
