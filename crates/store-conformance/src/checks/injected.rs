//! Writes that fail where the adapter's tests let them: between any two, nothing may stay.

use crate::check::{Failure, Proof, checks};
use crate::commands::{
    SANDBOX, claim, clearing, confirm_batch, credit, expiry, first, follow_up, message, open, stamp, token,
};
use crate::expect::{fresh, holds};
use crate::factory::Handle;
use crate::observe::{Observation, audited};
use crate::payments::{Fill, batch_id, create, empty};
use crate::world::{Who, enrolment, gbp, noon, world};
use chrono::TimeDelta;
use florin_domain::card::ChainKind;
use florin_domain::ids::PaymentBatchId;
use florin_domain::mfa::{MfaProviderName, MfaVerdict};
use florin_domain::money::Minor;
use florin_ports::{FirstMessageCommand, ProcessingError, StoreError, WriteError, Written};
use std::fmt::Debug;

checks! {
    "injected.failure_of_any_write_leaves_nothing" (Faults) => any_write,
}

/// How a command ended while a write was made to fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// It had its effect: it does not write at that place.
    Effect,
    /// The answer of before.
    Replayed,
    /// The rule refused: it took effect as far as it was meant to.
    Refused,
    /// The store failed.
    Failed,
}

/// How a command under a rule ended. What a check does not send can't be absent or a mismatch.
pub(super) fn end<T: Debug, R: Debug>(answer: Result<Written<T>, WriteError<R>>) -> Result<End, Failure> {
    match answer {
        Ok(Written::New(_)) => Ok(End::Effect),
        Ok(Written::Replayed(_)) => Ok(End::Replayed),
        Err(WriteError::Refused(_)) => Ok(End::Refused),
        Err(WriteError::Store(_)) => Ok(End::Failed),
        other => Err(Failure::new(format!("neither an effect nor a failure: {other:?}"))),
    }
}

/// How a write without an idempotency key ended.
pub(super) fn plain_end<T: Debug, E: Into<PlainError> + Debug>(answer: Result<T, E>) -> Result<End, Failure> {
    match answer.map_err(Into::into) {
        Ok(_) => Ok(End::Effect),
        Err(PlainError::Store) => Ok(End::Failed),
        Err(PlainError::Other(other)) => Err(Failure::new(format!("neither an effect nor a failure: {other}"))),
    }
}

/// Why a write without an idempotency key failed.
#[derive(Debug)]
pub(super) enum PlainError {
    Store,
    Other(String),
}

impl From<StoreError> for PlainError {
    fn from(_: StoreError) -> Self {
        Self::Store
    }
}

impl<R: Debug> From<WriteError<R>> for PlainError {
    fn from(error: WriteError<R>) -> Self {
        if matches!(error, WriteError::Store(_)) { Self::Store } else { Self::Other(format!("{error:?}")) }
    }
}

impl<R: Debug> From<ProcessingError<R>> for PlainError {
    fn from(error: ProcessingError<R>) -> Self {
        if matches!(error, ProcessingError::Store(_)) { Self::Store } else { Self::Other(format!("{error:?}")) }
    }
}

/// Whether idempotency records are written at a place: then no command with a key may have an effect while it fails.
pub(super) fn is_of_records(place: &str) -> bool {
    place.ends_with(" idempotency_records")
}

/// A command of a check: what it sends while a write fails, and once more when it works again.
pub(super) struct Tried {
    pub(super) name: String,
    /// Whether it has an idempotency key.
    pub(super) has_key: bool,
    /// How it ends where nothing fails.
    pub(super) works: End,
}

impl Tried {
    /// Judges how the command ended while a write failed at that place; whether it failed.
    pub(super) fn failed(&self, ended: End, place: &str) -> Result<bool, Failure> {
        let Self { name, has_key, works } = self;
        if ended != End::Failed && *has_key && is_of_records(place) {
            return Err(Failure::new(format!("{name} had an effect though its record could not be stored: {ended:?}")));
        }
        if ended != End::Failed && ended != *works {
            return Err(Failure::new(format!("{name} ended as {ended:?} while writes failed at `{place}`")));
        }
        Ok(ended == End::Failed)
    }

    /// Expects that the command works when no write fails any more: that nothing of its failure stayed, not even a record.
    pub(super) fn works_again(&self, ended: End, place: &str) -> Proof {
        let Self { name, works, .. } = self;
        holds(&format!("{name} ended as {ended:?} after its failure at `{place}`"), ended == *works)
    }
}

/// How many commands [`execute`] knows.
const COMMANDS: u8 = 8;

fn tried(command: u8) -> Tried {
    let works = if command == 6 { End::Refused } else { End::Effect };
    Tried { name: format!("command {command}"), has_key: !matches!(command, 2 | 5 | 6), works }
}

fn purchase(number: u128) -> Result<FirstMessageCommand, Failure> {
    first(Who::Mine, Who::Mine.limited_card(), message(ChainKind::Purchase, "0.10")?, stamp(number))
}

/// The batch that is confirmed in a round: of its own, since one is confirmed once.
const fn batch_of(base: u128) -> PaymentBatchId {
    batch_id(base)
}

/// Carries out a command of each kind, with ids from `base` on.
async fn execute(handle: &Handle, command: u8, base: u128) -> Result<End, Failure> {
    let key = format!("{command}-{base}");
    match command {
        0 => {
            let repeat = Some(claim(Who::Mine, &key, "{}")?);
            end(handle.cards.first_message(FirstMessageCommand { repeat, ..purchase(base + 11)? }).await)
        }
        1 => {
            let mut command = follow_up(Who::Mine, token(base + 1), base + 12, clearing("0.04", true)?)?;
            command.repeat = Some(claim(Who::Mine, &key, "{}")?);
            end(handle.cards.follow_up(command).await)
        }
        2 => {
            let due = noon() + TimeDelta::days(8);
            plain_end(handle.cards.expire(expiry(Who::Mine, token(base + 2), base + 13, due)?).await)
        }
        3 => {
            let mut command = credit(Who::Mine, base + 14, "1", gbp()?)?;
            command.repeat = Some(claim(Who::Mine, &key, "{}")?);
            end(handle.credits.credit(command).await)
        }
        4 => {
            let mut command = open(Who::Mine, base + 15, SANDBOX)?;
            command.repeat = Some(claim(Who::Mine, &key, "{}")?);
            end(handle.mfa.open(command).await)
        }
        5 => {
            let declined = first(Who::Mine, Who::Mine.card(), message(ChainKind::Purchase, "1000")?, stamp(base + 17))?;
            end(handle.cards.first_message(declined).await)
        }
        6 => {
            let proof = (MfaProviderName::Totp, MfaVerdict::Wrong);
            let command = confirm_batch(Who::Mine, batch_of(base), base + 1, base * 1_000, proof)?;
            end(handle.batches.confirm(command).await)
        }
        _ => {
            let proof = (MfaProviderName::Totp, MfaVerdict::Right { step: Some(7) });
            let mut command = confirm_batch(Who::Mine, batch_of(base), base + 1, base * 1_000, proof)?;
            command.repeat = Some(claim(Who::Mine, &key, "{}")?);
            end(handle.batches.confirm(command).await)
        }
    }
}

/// What the commands of a round work on.
async fn prepare(handle: &Handle, base: u128) -> Proof {
    for number in [base + 1, base + 2] {
        fresh(handle.cards.first_message(purchase(number)?).await)?;
    }
    // Few wrong tokens lock an enrolment: each round has one of its own.
    handle.registry.enrol(enrolment(Who::Mine)?).await?;
    let fill = Some(Fill::of(base * 1_000, 2));
    fresh(handle.management.create(create(Who::Mine, empty(Who::Mine, base, noon())?, fill)?).await)?;
    let mut session = open(Who::Mine, base + 1, MfaProviderName::Totp)?;
    session.batch = batch_of(base);
    fresh(handle.mfa.open(session).await)?;
    Ok(())
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
        prepare(&handle, base).await?;
        let mut failed = 0;
        for command in 0..COMMANDS {
            let (tried, before) =
                (tried(command), Observation::of_accounts(&handle, &[Who::Mine], base + 11..=base + 17).await?);
            faults.arm(&place).await?;
            let ended = execute(&handle, command, base).await;
            faults.disarm().await?;
            if tried.failed(ended?, &place)? {
                before.still_holds(&format!("command {command}, which failed at `{place}`,"), &handle).await?;
                failed += 1;
                tried.works_again(execute(&handle, command, base).await?, &place)?;
            }
        }
        holds(&format!("no command failed at `{place}`"), failed > 0)?;
    }
    audited(&handle).await
}
