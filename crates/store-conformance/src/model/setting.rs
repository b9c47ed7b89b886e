//! The setting of the model test: cards in every state, spending limits and several batches.

use crate::check::Failure;
use crate::seed_data::{BOTH, Who, batch, card, day, uuid};
use florin_domain::batch::BatchState;
use florin_domain::card::{Card, CardState};
use florin_domain::ids::{BudgetId, CardId, PaymentBatchId};
use florin_ports::{SeedCard, SeedData};

/// Creates the data of the checks, with additional cards and batches.
pub(super) fn seed_data() -> Result<SeedData, Failure> {
    let mut data = crate::seed_data::seed_data(9_500)?;
    for (who, seed) in BOTH.into_iter().zip(&mut data.accounts) {
        let states = [CardState::Unactivated, CardState::Suspended, CardState::Replaced, CardState::Terminated];
        for (number, state) in (0..).zip(states) {
            let card = Card { state, ..card(who, more_card(who, number))? };
            seed.cards.push(SeedCard { card, limits: vec![] });
        }
        let expired = Card { expires_on: day(2026, 8, 31), ..card(who, more_card(who, 4))? };
        seed.cards.push(SeedCard { card: expired, limits: vec![] });
        seed.batches.push(batch(who, more_batch(who), BatchState::Validated)?);
        seed.account.mfa_required = who == Who::Main;
    }
    Ok(data)
}

fn more_card(who: Who, number: u128) -> CardId {
    CardId(uuid(16, u128::from(who.number()) * 10 + number))
}

fn more_batch(who: Who) -> PaymentBatchId {
    PaymentBatchId(uuid(22, who.number().into()))
}

/// Returns a card for a random number: usually a working card of the account, sometimes another account's card.
pub(super) fn card_of(who: Who, number: u8) -> CardId {
    match number {
        0..3 => who.card(),
        3..6 => who.limited_card(),
        6..8 => who.yen_card(),
        8..13 => more_card(who, u128::from(number - 8)),
        _ => other(who).card(),
    }
}

pub(super) fn budget_of(who: Who, number: u8) -> BudgetId {
    match number {
        0..4 => who.budget(),
        4..6 => who.second_budget(),
        _ => other(who).budget(),
    }
}

pub(super) fn batch_of(who: Who, number: u8) -> PaymentBatchId {
    match number {
        0..4 => who.batch(),
        4..7 => more_batch(who),
        7 => who.draft(),
        _ => other(who).batch(),
    }
}

const fn other(who: Who) -> Who {
    match who {
        Who::Main | Who::Twin => Who::Other,
        Who::Other => Who::Main,
    }
}
