//! The steps of a merchant and its payers, chosen by a random number generator.

use fastrand::Rng;

use super::model::{Kind, Outcome, Session};

/// A step. Sessions are identified by their place among the merchant's sessions, and refunds by their place in a
/// session.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    /// The merchant creates a session of a kind: the amount, and the number of minutes for which it can be paid.
    Create(Kind, i64, i64),
    /// The merchant repeats the creation.
    CreateAgain(usize),
    /// The payer reads the page, and keeps it for a later `SendOldForm`.
    ReadPage(usize),
    /// The payer continues on the page, with the address if it is asked for.
    Continue(usize),
    Choose(usize),
    /// The payer decides at the bank: the outcome, the minutes until the bank's report, and whether a name selects the
    /// outcome.
    AtBank(usize, Outcome, i64, bool),
    PayerCancels(usize),
    /// The payer sends a form of the page that was kept. The form takes effect if the stage of that page is still
    /// current.
    SendOldForm(usize, FormAction),
    /// The payer pays over the API of the sandbox, without the page: the outcome, and the minutes until the bank's
    /// report.
    Pay(usize, Outcome, i64),
    MerchantCancels(usize),
    Refund(usize, i64),
    /// The merchant authorises a refund: on the page if the last member is true, otherwise over the API.
    Authorise(usize, usize, Outcome, i64, bool),
    Wait(i64),
    /// The last write is repeated with its idempotency key.
    Retry,
}

/// An action of a form.
#[derive(Clone, Copy, Debug)]
pub(super) enum FormAction {
    Cancel,
    Choose,
    Approve,
}

/// The outcomes. Outcomes that are followed by more steps are listed more often.
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

/// Chooses a step that is possible with these sessions.
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
    let action = if session.lacks_address() {
        FormAction::Cancel
    } else {
        pick(rng, &[FormAction::Cancel, FormAction::Choose, FormAction::Approve])
    };
    match rng.u8(..100) {
        0..3 => Step::CreateAgain(place),
        3..10 => Step::ReadPage(place),
        10..16 => Step::SendOldForm(place, action),
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
    let waiting: Vec<_> =
        (0..session.refunds.len()).filter(|refund| session.refunds[*refund].awaits_authorisation()).collect();
    match rng.u8(..10) {
        0..5 if !waiting.is_empty() => Step::Authorise(place, pick(rng, &waiting), outcome, minutes, rng.bool()),
        5 if !session.refunds.is_empty() => {
            Step::Authorise(place, rng.usize(..session.refunds.len()), outcome, minutes, rng.bool())
        }
        _ => {
            let refundable = session.refundable();
            Step::Refund(place, pick(rng, &[1, 500, 100_000, 100_001, refundable.max(1), refundable + 1]))
        }
    }
}
