//! The steps of runs, chosen by a random number generator.

use fastrand::Rng;

use super::model::{Kind, Outcome, Session};

/// A step. Sessions and refunds are identified by their place in the run.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    /// The merchant creates a session of a kind: the amount, and the number of minutes for which it can be paid.
    Create(Kind, i64, i64),
    /// The merchant repeats the creation.
    CreateAgain(usize),
    /// The payer reads the page, and keeps its form.
    Look(usize),
    /// The payer continues on the page, with the address if it is asked for.
    Continue(usize),
    Choose(usize),
    /// The payer decides at the bank: the outcome, the minutes until the bank's report, and whether a name selects the
    /// outcome.
    AtBank(usize, Outcome, i64, bool),
    PayerCancels(usize),
    /// The payer sends the form that was kept. If its stage is still current, the form has this action.
    Kept(usize, Kept),
    Pay(usize, Outcome, i64),
    MerchantCancels(usize),
    Refund(usize, i64),
    /// The merchant authorises a refund: over the API, or on the page.
    Authorise(usize, usize, Outcome, i64, bool),
    Wait(i64),
    /// The last write is repeated under its key.
    Retry,
}

/// An action of a form that was kept.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kept {
    Cancel,
    Choose,
    Approve,
}

/// The outcomes. Outcomes that continue the run are listed more often.
const OUTCOMES: [Outcome; 11] = [
    Outcome::Approve,
    Outcome::Approve,
    Outcome::Approve,
    Outcome::Reject,
    Outcome::Leave,
    Outcome::Pending,
    Outcome::Pending,
    Outcome::Pending,
    Outcome::FailLater,
    Outcome::TimeOut,
    Outcome::TechnicalError,
];

fn pick<T: Copy>(rng: &mut Rng, values: &[T]) -> T {
    values[rng.usize(..values.len())]
}

/// Chooses a step that is possible in a run.
pub(super) fn next(rng: &mut Rng, sessions: &[Session]) -> Step {
    if sessions.is_empty() || (sessions.len() < 3 && rng.u8(..100) < 10) {
        let kind =
            pick(rng, &[Kind::Shopping, Kind::Shopping, Kind::Shopping, Kind::Parcel, Kind::Payee, Kind::Budget]);
        let minutes = if kind == Kind::Budget { 20 } else { pick(rng, &[3, 20, 60]) };
        return Step::Create(kind, pick(rng, &[1, 1250, 1250, 150_000]), minutes);
    }
    match rng.u8(..100) {
        0..12 => return Step::Wait(pick(rng, &[1, 1, 2, 3, 7, 20])),
        12..15 => return Step::Retry,
        _ => {}
    }
    // The newest session is chosen twice as often.
    let place = rng.usize(..=sessions.len()).min(sessions.len() - 1);
    of_session(rng, place, &sessions[place])
}

fn of_session(rng: &mut Rng, place: usize, session: &Session) -> Step {
    let (outcome, minutes) = (pick(rng, &OUTCOMES), pick(rng, &[1, 2, 6, 25]));
    let kept =
        if session.lacks_address() { Kept::Cancel } else { pick(rng, &[Kept::Cancel, Kept::Choose, Kept::Approve]) };
    match rng.u8(..100) {
        0..3 => Step::CreateAgain(place),
        3..10 => Step::Look(place),
        10..16 => Step::Kept(place, kept),
        16..24 => Step::Pay(place, outcome, minutes),
        24..27 => Step::MerchantCancels(place),
        _ if session.is_completed() && session.is_shopping() => of_refunds(rng, place, session, (outcome, minutes)),
        _ if !session.is_open() => Step::Wait(minutes),
        27..29 => Step::PayerCancels(place),
        _ if session.is_at_bank() => match rng.u8(..8) {
            0 => Step::Choose(place),
            _ => Step::AtBank(place, outcome, minutes, rng.bool()),
        },
        29..42 => Step::Continue(place),
        _ if session.lacks_address() => Step::Continue(place),
        _ => Step::Choose(place),
    }
}

fn of_refunds(rng: &mut Rng, place: usize, session: &Session, (outcome, minutes): (Outcome, i64)) -> Step {
    let waiting: Vec<_> = (0..session.refunds.len()).filter(|refund| session.refunds[*refund].awaits()).collect();
    match rng.u8(..10) {
        0..5 if !waiting.is_empty() => Step::Authorise(place, pick(rng, &waiting), outcome, minutes, rng.bool()),
        5 if !session.refunds.is_empty() => {
            Step::Authorise(place, rng.usize(..session.refunds.len()), outcome, minutes, rng.bool())
        }
        _ => {
            let left = session.left();
            Step::Refund(place, pick(rng, &[1, 500, 100_000, 100_001, left.max(1), left + 1]))
        }
    }
}
