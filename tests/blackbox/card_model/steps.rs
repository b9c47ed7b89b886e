//! The operations of a run, chosen by a random number generator.

use fastrand::Rng;

use super::choices::{self, pick};
use super::controls::Controls;
use super::disputes::Status;
use super::first::First;
use super::follow::Follow;
use super::limits::{Terms, Window};
use super::model::{CardState, Lives, Model};
use super::money::Currency;

/// An operation. Budgets, cards, messages and disputes are identified by their numbers.
#[derive(Clone, Debug)]
pub(super) enum Step {
    First(First),
    Follow(Follow),
    Credit {
        budget: usize,
        currency: Currency,
        amount: i64,
    },
    Transfer {
        from: usize,
        to: usize,
        currency: Currency,
        amount: i64,
    },
    /// The clock advances: the text of the duration, and its seconds.
    Advance(String, i64),
    /// A transition of a card.
    ChangeState(usize, CardState),
    Replace(usize),
    /// Creates an active card. With `days`, its last valid day is that many days after today.
    NewCard {
        budget: usize,
        currency: Currency,
        days: Option<i64>,
    },
    SetLimit(usize, Window, Terms),
    RemoveLimit(usize, Window),
    CardControls(usize, Controls),
    BudgetControls(usize, Controls),
    Pin(usize, u16),
    Person {
        is_active: bool,
    },
    HoldLife(Lives),
    OverClearing {
        /// The setting is NETWORK instead of ACCEPT.
        is_network: bool,
    },
    /// A message is disputed: the message and the amount.
    Dispute(usize, Option<i64>),
    CreditDispute(usize),
    /// A dispute is decided: the dispute, and whether it is won.
    Resolve(usize, bool),
    /// An earlier write is repeated with its idempotency key.
    Again(usize),
    /// The idempotency key of an earlier write is used for another request.
    Misuse(usize),
    /// A first message is previewed, and changes nothing.
    Preview(First),
    PreviewFollow(Follow),
    /// A first message of a card that does not exist.
    AbsentCard,
    /// A follow-up to a message that does not exist.
    AbsentMessage,
}

impl Step {
    /// Returns the name under which the operation is counted.
    pub(super) fn name(&self) -> String {
        let text = match self {
            Self::First(first) => format!("{:?}", first.kind),
            Self::Follow(follow) => format!("{:?}", follow.kind),
            other => format!("{other:?}"),
        };
        let end = text.find(|letter: char| !letter.is_alphanumeric()).unwrap_or(text.len());
        text[..end].to_owned()
    }
}

/// Chooses an operation. `writes` is the number of writes that can be repeated.
pub(super) fn next(rng: &mut Rng, model: &Model, writes: usize) -> Step {
    match rng.u8(..100) {
        33..63 if !model.messages.is_empty() => Step::Follow(choices::follow(rng, model)),
        63..69 => credit(rng, model),
        69..71 => transfer(rng, model),
        71..76 => advance(rng),
        76..79 => change_state(rng, model),
        79 => Step::Replace(rng.usize(..model.cards.len())),
        80 => new_card(rng, model),
        81..85 => set_limit(rng, model),
        85 => remove_limit(rng, model),
        86 | 87 => Step::CardControls(rng.usize(..model.cards.len()), choices::controls(rng)),
        88 => Step::BudgetControls(rng.usize(..model.budgets.len()), choices::controls(rng)),
        89 => Step::Pin(rng.usize(..model.cards.len()), rng.u16(..4)),
        90 => Step::Person { is_active: rng.u8(..3) > 0 },
        91 => Step::HoldLife(choices::lives(rng)),
        92 => Step::OverClearing { is_network: rng.bool() },
        93..96 if !model.messages.is_empty() => dispute(rng, model),
        96 if !model.messages.is_empty() => Step::PreviewFollow(choices::follow(rng, model)),
        97 => Step::Preview(choices::first(rng, model)),
        98 if writes > 0 => Step::Again(recent(rng, writes)),
        99 => match rng.u8(..4) {
            0 => Step::AbsentCard,
            1 => Step::AbsentMessage,
            _ if writes > 0 => Step::Misuse(recent(rng, writes)),
            _ => Step::First(choices::first(rng, model)),
        },
        _ => Step::First(choices::first(rng, model)),
    }
}

fn recent(rng: &mut Rng, count: usize) -> usize {
    count - 1 - rng.usize(..count.min(40))
}

fn any_funds(rng: &mut Rng, model: &Model) -> (usize, Currency) {
    let budget = rng.usize(..model.budgets.len());
    let held: Vec<_> = model.budgets[budget].funds.keys().copied().collect();
    (budget, pick(rng, &held))
}

fn credit(rng: &mut Rng, model: &Model) -> Step {
    let (budget, mut currency) = any_funds(rng, model);
    if rng.u8(..15) == 0 {
        currency = pick(rng, &Currency::HELD);
    }
    let amount = pick(rng, &[0, 1, 999, 10_000, 10_000, 25_000, 40_000, 75_005, 150_000]);
    Step::Credit { budget, currency, amount }
}

fn transfer(rng: &mut Rng, model: &Model) -> Step {
    let (from, mut currency) = any_funds(rng, model);
    let holds = |budget: &usize| model.budgets[*budget].funds.contains_key(&currency);
    let fitting: Vec<_> = (0..model.budgets.len()).filter(holds).collect();
    let to = if rng.u8(..5) == 0 { rng.usize(..model.budgets.len()) } else { pick(rng, &fitting) };
    let available = model.funds(from, currency).available.max(1);
    if rng.u8(..10) == 0 {
        currency = pick(rng, &Currency::HELD);
    }
    let amount = pick(rng, &[0, 1, available / 2 + 1, available / 3 + 1, available, available + 1]);
    let amount = if from == to { amount.max(1) } else { amount };
    Step::Transfer { from, to, currency, amount }
}

fn advance(rng: &mut Rng) -> Step {
    let (number, letter, unit) =
        pick(rng, &[(30, "S", 1), (45, "M", 60), (9, "H", 3600), (23, "H", 3600), (2, "D", 86_400), (8, "D", 86_400)]);
    let number = rng.i64(1..=number);
    let time = if letter == "D" { "" } else { "T" };
    Step::Advance(format!("P{time}{number}{letter}"), number * unit)
}

fn change_state(rng: &mut Rng, model: &Model) -> Step {
    use CardState::{Active, Replaced, Suspended, Terminated};
    let card = rng.usize(..model.cards.len());
    let states = match model.cards[card].state {
        CardState::Unactivated => [Active, Active, Active, Active, Active, Suspended],
        Active => [Suspended, Suspended, Suspended, Active, Replaced, Terminated],
        _ => [Active, Active, Active, Active, Suspended, Terminated],
    };
    Step::ChangeState(card, pick(rng, &states))
}

fn new_card(rng: &mut Rng, model: &Model) -> Step {
    let (budget, currency) = any_funds(rng, model);
    let days = (rng.u8(..4) == 0).then(|| rng.i64(0..30));
    Step::NewCard { budget: budget.max(1), currency: if budget == 0 { Currency::Gbp } else { currency }, days }
}

fn set_limit(rng: &mut Rng, model: &Model) -> Step {
    let amount = pick(rng, &[0, 1_000, 9_000, 30_000, 30_000, 100_000, 400_000, 400_000]);
    let usage = pick(rng, &[-1, -1, -1, -1, 0, 1, 5, 20]);
    let terms = Terms { amount, usage, active: rng.u8(..8) > 0, off: rng.u8(..8) == 0 };
    Step::SetLimit(rng.usize(..model.cards.len()), pick(rng, &Window::ALL), terms)
}

fn remove_limit(rng: &mut Rng, model: &Model) -> Step {
    let card = rng.usize(..model.cards.len());
    let set: Vec<_> = model.cards[card].limits.iter().map(|limit| limit.window).collect();
    let any = set.is_empty() || rng.u8(..4) == 0;
    Step::RemoveLimit(card, if any { pick(rng, &Window::ALL) } else { pick(rng, &set) })
}

fn dispute(rng: &mut Rng, model: &Model) -> Step {
    let open: Vec<_> =
        (0..model.disputes.len()).filter(|number| model.disputes[*number].status == Status::Open).collect();
    if !model.disputes.is_empty() && rng.u8(..10) < 5 {
        let any = rng.usize(..model.disputes.len());
        let number = if open.is_empty() || rng.u8(..8) == 0 { any } else { pick(rng, &open) };
        return match rng.u8(..3) {
            0 => Step::CreditDispute(number),
            _ => Step::Resolve(number, rng.bool()),
        };
    }
    let message = choices::disputable(rng, model);
    let left = model.undisputed(message);
    let amount = pick(rng, &[None, None, Some(left), Some(left + 1), Some(left / 2), Some(left / 3), Some(1)]);
    let least = i64::from(rng.u8(..20) > 0);
    Step::Dispute(message, amount.map(|amount| amount.max(least)))
}
