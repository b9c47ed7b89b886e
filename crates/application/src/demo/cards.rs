//! Cards in every state. Usable cards without limits come first, the card with limits last.

use super::budgets::BudgetBuilder;
use super::ids::{Kind, id};
use chrono::{DateTime, Days, Months, Utc};
use florin_domain::card::{Card, CardLimit, CardState, CarriedUse, LimitWindow};
use florin_domain::ids::{AccountId, CardId, LimitId, UserToken};
use florin_domain::money::Minor;
use florin_ports::SeedCard;

use CardState::{Active, Replaced, Suspended, Terminated, Unactivated};

/// The number of the card with spending limits.
const LIMITED: u32 = 18;
/// The number of the card whose expiry date has passed.
const EXPIRED: u32 = 17;
/// The number of the other account's card.
const OTHER: u32 = 101;

/// The demo account's cards: the number of the card, the index of its budget, and its state.
const PLAN: [(u32, usize, CardState); 18] = [
    (1, 0, Active),
    (2, 0, Active),
    (3, 0, Active),
    (4, 0, Active),
    (5, 1, Active),
    (6, 1, Active),
    (7, 2, Active),
    (8, 2, Active),
    (9, 2, Active),
    (10, 0, Unactivated),
    (11, 1, Unactivated),
    (12, 0, Suspended),
    (13, 2, Suspended),
    (14, 0, Replaced),
    (15, 0, Terminated),
    (16, 1, Terminated),
    (EXPIRED, 0, Active),
    (LIMITED, 0, Active),
];

/// Whether a card of the demo account has spending limits.
pub fn has_limits(card: CardId) -> bool {
    card.0 == id(Kind::Card, LIMITED)
}

/// The demo account's cards, paid from its budgets (GBP, EUR, JPY).
pub(super) fn of_demo_account(account: &AccountId, builders: &[BudgetBuilder; 3], now: DateTime<Utc>) -> Vec<SeedCard> {
    PLAN.iter().map(|&(number, budget, state)| card(number, account, &builders[budget], state, now)).collect()
}

/// The other account's only card.
pub(super) fn of_other_account(account: &AccountId, builder: &BudgetBuilder, now: DateTime<Utc>) -> Vec<SeedCard> {
    vec![card(OTHER, account, builder, Active, now)]
}

fn card(number: u32, account: &AccountId, builder: &BudgetBuilder, state: CardState, now: DateTime<Utc>) -> SeedCard {
    let today = now.date_naive();
    let expires_on = if number == EXPIRED {
        today.checked_sub_days(Days::new(40))
    } else {
        today.checked_add_months(Months::new(36))
    };
    let card = Card {
        id: CardId(id(Kind::Card, number)),
        account: account.clone(),
        budget: builder.id(),
        currency: builder.currency(),
        state,
        // Each holder has two cards.
        user_token: UserToken(id(Kind::Holder, number.div_ceil(2))),
        expires_on: expires_on.unwrap_or(today),
    };
    let limits = if number == LIMITED {
        vec![limit((1, LimitWindow::Day), Minor(10_000), now), limit((2, LimitWindow::Month), Minor(50_000), now)]
    } else {
        Vec::new()
    };
    SeedCard { card, limits }
}

fn limit((number, window): (u32, LimitWindow), amount: Minor, now: DateTime<Utc>) -> CardLimit {
    CardLimit {
        id: LimitId(id(Kind::Limit, number)),
        window,
        amount,
        max_uses: None,
        active: true,
        turned_off: false,
        window_start: window.start(now),
        spent: Minor::ZERO,
        uses: 0,
        carried: CarriedUse::default(),
    }
}
