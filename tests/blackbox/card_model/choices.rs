//! Random messages, controls and settings.

use fastrand::Rng;

use super::chain::{Chain, Kind, Role};
use super::controls::{Acceptor, Controls};
use super::first::{First, PresentedData};
use super::follow::{Follow, FollowKind};
use super::model::{CardState, LifeRule, Lives, Model};
use super::money::Currency;

const MIDS: [&str; 3] = ["11111", "000000000022222", "SHOP-3"];
const MCCS: [&str; 6] = ["5411", "5812", "5541", "7011", "3600", "4121"];
const COUNTRIES: [&str; 3] = ["GBR", "FRA", "USA"];
const MODES: [&str; 4] = ["CHIP", "CONTACTLESS", "KEYED", "ECOMMERCE"];
/// Lives of holds: the duration as the setting has it, and in seconds.
const LIVES: [(&str, i64); 7] = [
    ("PT1S", 1),
    ("PT90M", 5_400),
    ("P1D", 86_400),
    ("P2DT3H4M5S", 183_845),
    ("P4D", 345_600),
    ("P7D", 604_800),
    ("P30D", 2_592_000),
];

pub(super) fn pick<T: Clone>(rng: &mut Rng, values: &[T]) -> T {
    values[rng.usize(..values.len())].clone()
}

/// Returns one of the values with a probability of 1 in `times`, otherwise `None`.
fn one_in<T: Clone>(rng: &mut Rng, times: u8, values: &[T]) -> Option<T> {
    (rng.u8(..times) == 0).then(|| pick(rng, values))
}

fn usable_card(rng: &mut Rng, model: &Model) -> usize {
    let individual = model.cards.iter().position(|card| card.is_individual);
    if let (Some(card), 0) = (individual, rng.u8(..10)) {
        return card;
    }
    let active: Vec<_> = (0..model.cards.len()).filter(|card| model.cards[*card].state == CardState::Active).collect();
    if active.is_empty() || rng.u8(..12) == 0 { rng.usize(..model.cards.len()) } else { pick(rng, &active) }
}

/// Returns a random first message.
pub(super) fn first(rng: &mut Rng, model: &Model) -> First {
    use Kind::{Atm, CashBack, Check, Debit, DebitCashBack, Fee, FeeBack, ForcePost, Inquiry, Purchase, Refund};
    let kind = match rng.u8(..40) {
        17..20 => CashBack,
        20 => Check,
        21..26 => Atm,
        26..29 => Refund,
        29 => Kind::UnlinkedRefund,
        30..33 => Debit,
        33 => DebitCashBack,
        34 => Inquiry,
        35 | 36 => ForcePost,
        37 => Fee,
        38 => FeeBack,
        _ => Purchase,
    };
    let card = usable_card(rng, model);
    let own = model.cards[card].currency;
    let is_fee = matches!(kind, Fee | FeeBack);
    let moves_nothing = matches!(kind, Check | Inquiry);
    let foreign = [Currency::Gbp, Currency::Jpy, Currency::Eur, Currency::Usd, Currency::Inr];
    let has_cash_back = matches!(kind, CashBack | DebitCashBack);
    let foreign = if has_cash_back { &foreign[..4] } else { &foreign };
    let currency = if is_fee || moves_nothing { None } else { one_in(rng, 5, foreign) };
    let is_foreign = currency.is_some_and(|currency| currency != own);
    let available = model.card_funds(card).available;
    let amount = match kind {
        Check | Inquiry => 0,
        Refund | ForcePost => rng.i64(1..3_000),
        _ if is_foreign => pick(rng, &[1, 2, 3, 10, 30, 50, 70, 90, 140, 250, 333, 1_000, 4_567, 45_678]),
        _ if kind != Purchase && rng.u8(..40) == 0 => 0,
        _ => money(rng, available),
    };
    let cash_back = has_cash_back.then(|| rng.i64(1..=amount.max(1)));
    let amount = if cash_back.is_some() { amount.max(1) } else { amount };
    First {
        kind,
        card,
        amount,
        is_too_fine: !moves_nothing && amount > 0 && rng.u8(..60) == 0,
        currency,
        cash_back,
        acquirer_fee: if kind == Atm { one_in(rng, 2, &[0, 1, 250]) } else { None },
        partial: matches!(kind, Purchase | CashBack) && rng.u8(..4) == 0,
        acceptor: acceptor(rng),
        presents: if is_fee { PresentedData::default() } else { presents(rng, model, card, kind) },
        forced: if is_fee || kind == ForcePost { None } else { one_in(rng, 40, &["1004", "1005", "1016", "1817"]) },
    }
}

/// Returns a random amount: small, larger, or near the amount `existing`.
fn money(rng: &mut Rng, existing: i64) -> i64 {
    let existing = existing.max(1);
    let (small, more) = (rng.i64(1..1_000), rng.i64(1..6_000));
    let amounts =
        [1, small, small, small, more, more, existing / 9, existing / 5, existing / 3, existing, existing + 1];
    pick(rng, &amounts).max(1)
}

fn acceptor(rng: &mut Rng) -> Acceptor {
    Acceptor {
        mid: pick(rng, &MIDS),
        mcc: if rng.bool() { Some(pick(rng, &MCCS)) } else { None },
        country: one_in(rng, 3, &COUNTRIES),
    }
}

fn presents(rng: &mut Rng, model: &Model, card: usize, kind: Kind) -> PresentedData {
    let is_debit = kind.is_debit();
    let takes_pin = is_debit || matches!(kind, Kind::Atm | Kind::Inquiry);
    let right = model.cards[card].pin;
    PresentedData {
        mode: one_in(rng, 3, &MODES),
        pin: if takes_pin { one_in(rng, 4, &[right, right, right, Some(1)]).flatten() } else { None },
        security_code: if kind.is_purchase() { one_in(rng, 8, &[true, true, true, false]) } else { None },
        wallet: if kind.is_purchase() || takes_pin {
            one_in(rng, 12, &["ACTIVE", "ACTIVE", "SUSPENDED"])
        } else {
            None
        },
        three_ds: if kind.is_purchase() || is_debit {
            one_in(rng, 12, &["AUTHENTICATED", "ATTEMPTED", "UNAVAILABLE", "REJECTED", "NOT_AUTHENTICATED"])
        } else {
            None
        },
    }
}

/// Returns follow-ups to send to chains of a kind. Common ones are listed more often. Chains of the kinds in the last
/// arm accept no follow-up.
const fn usual_follow_ups(kind: Kind) -> &'static [FollowKind] {
    const FINAL: FollowKind = FollowKind::Clear { is_final: true };
    const PARTIAL: FollowKind = FollowKind::Clear { is_final: false };
    match kind {
        Kind::Purchase | Kind::CashBack | Kind::Check => &[
            FINAL,
            FINAL,
            FINAL,
            PARTIAL,
            PARTIAL,
            PARTIAL,
            FollowKind::Advice,
            FollowKind::Advice,
            FollowKind::Increment,
            FollowKind::Increment,
            FollowKind::Reverse,
            FollowKind::Reverse,
            FollowKind::ForcePost,
            FollowKind::Expire,
        ],
        Kind::Atm => &[FollowKind::AtmClear, FollowKind::AtmClear, FollowKind::Reverse, FollowKind::Expire],
        Kind::Refund => {
            &[FollowKind::RefundClear, FollowKind::RefundClear, FollowKind::RefundReverse, FollowKind::RefundReturn]
        }
        Kind::UnlinkedRefund => &[FollowKind::RefundReturn],
        Kind::Debit | Kind::DebitCashBack => &[FollowKind::DebitReturn],
        Kind::Inquiry | Kind::ForcePost | Kind::Fee | Kind::FeeBack | Kind::Dispute(_) => {
            &[FINAL, FollowKind::Advice, FollowKind::Reverse, FollowKind::DebitReturn, FollowKind::ForcePost]
        }
    }
}

const ALL_FOLLOW_UPS: [FollowKind; 11] = [
    FollowKind::Advice,
    FollowKind::Increment,
    FollowKind::Clear { is_final: true },
    FollowKind::ForcePost,
    FollowKind::AtmClear,
    FollowKind::Reverse,
    FollowKind::Expire,
    FollowKind::RefundClear,
    FollowKind::RefundReverse,
    FollowKind::DebitReturn,
    FollowKind::RefundReturn,
];

/// Returns a random follow-up, mostly one that can be accepted.
pub(super) fn follow(rng: &mut Rng, model: &Model) -> Follow {
    let chain_of = |message: usize| &model.chains[model.messages[message].chain];
    let from = model.messages.len().saturating_sub(150);
    let can_be_followed = |message: &usize| {
        let (role, chain) = (model.messages[*message].role, chain_of(*message));
        let is_live = match chain.kind {
            Kind::Purchase | Kind::CashBack | Kind::Atm | Kind::Refund => chain.is_open(),
            kind => (kind.is_debit() || kind.is_refund()) && chain.cleared() > 0 && role == Role::First,
        };
        is_live && matches!(role, Role::First | Role::Step)
    };
    let live: Vec<_> = (from..model.messages.len()).filter(can_be_followed).collect();
    let is_any = live.is_empty() || rng.u8(..8) == 0;
    let after = if is_any { rng.usize(from..model.messages.len()) } else { pick(rng, &live) };
    let chain = chain_of(after);
    let kind = if rng.u8(..12) == 0 { pick(rng, &ALL_FOLLOW_UPS) } else { pick(rng, usual_follow_ups(chain.kind)) };
    let has_no_amount = matches!(kind, FollowKind::Expire | FollowKind::RefundReverse);
    let amount = if has_no_amount { None } else { Some(follow_up_amount(rng, model, chain, kind)) };
    let can_omit = matches!(kind, FollowKind::Reverse | FollowKind::DebitReturn | FollowKind::RefundReturn);
    let amount = if can_omit && rng.bool() { None } else { amount };
    Follow {
        kind,
        after,
        amount,
        is_too_fine: amount.is_some_and(|amount| amount > 0) && rng.u8(..60) == 0,
        acquirer_fee: if kind == FollowKind::AtmClear { one_in(rng, 2, &[0, 1, 250]) } else { None },
        forced: if kind == FollowKind::Increment { one_in(rng, 25, &["1004", "1005"]) } else { None },
    }
}

/// Returns a random amount for a follow-up, often near an amount of the chain.
fn follow_up_amount(rng: &mut Rng, model: &Model, chain: &Chain, kind: FollowKind) -> i64 {
    let left = match chain.kind {
        Kind::Refund if chain.is_open() => chain.refundable_m,
        kind if kind.is_refund() || kind.is_debit() => chain.cleared_m,
        _ => chain.held_m,
    };
    if rng.u8(..60) == 0 {
        return 0;
    }
    let available = model.card_funds(chain.card).available.max(1);
    let edge =
        if kind == FollowKind::Increment || kind == FollowKind::Advice { available + left } else { left * 6 / 5 };
    if model.is_network && matches!(kind, FollowKind::Clear { .. } | FollowKind::AtmClear) && rng.bool() {
        return (chain.max_cleared() - chain.cleared_m + chain.forced_m + pick(rng, &[0, 0, 1])).max(1);
    }
    let amounts = [left, left, left, left / 2, left / 3, left - 1, left + 1, left * 23 / 20, edge, edge + 1, 1];
    pick(rng, &amounts).max(1)
}

/// Returns a message that can probably be disputed.
pub(super) fn disputable(rng: &mut Rng, model: &Model) -> usize {
    let is_settled = |message: &usize| {
        let one = model.messages[*message];
        let chain = &model.chains[one.chain];
        match one.role {
            Role::Clearing => true,
            Role::First => chain.kind.is_debit() || matches!(chain.kind, Kind::Purchase) && chain.cleared() > 0,
            Role::Step | Role::Last => false,
        }
    };
    let settled: Vec<_> = (0..model.messages.len()).filter(is_settled).collect();
    if settled.is_empty() || rng.u8(..8) == 0 { rng.usize(..model.messages.len()) } else { pick(rng, &settled) }
}

/// Returns random controls, most of them without a rule.
pub(super) fn controls(rng: &mut Rng) -> Controls {
    let mut controls = Controls::default();
    if rng.u8(..5) < 3 {
        return controls;
    }
    let mccs = [vec!["5812"], vec!["3501-3999", "7011"], vec!["5000-5999"], vec![]];
    controls.blocked_mccs = one_in(rng, 3, &mccs);
    controls.allowed_mccs = one_in(rng, 5, &mccs);
    controls.blocked_merchants = one_in(rng, 4, &[vec!["22222"], vec!["SHOP-3", "1"]]);
    controls.allowed_merchants = one_in(rng, 6, &[vec!["11111", "22222"], vec!["000000000011111"]]);
    controls.blocked_countries = one_in(rng, 4, &[vec!["FRA"], vec!["USA", "GBR"]]);
    controls.allowed_countries = one_in(rng, 6, &[vec!["GBR", "FRA"], vec!["GBR"]]);
    controls.allowed_entry_modes = one_in(rng, 8, &[vec!["CHIP", "CONTACTLESS"], vec!["KEYED"]]);
    controls
}

/// Returns a random setting of the lives of holds.
pub(super) fn lives(rng: &mut Rng) -> Lives {
    let keys = [
        (None, Some("authorization")),
        (Some("5812"), None),
        (Some("3501-3999"), None),
        (Some("3600"), Some("authorization")),
        (Some("5000-5999"), Some("authorization.cashback")),
        (None, Some("authorization.atm.withdrawal")),
        (Some("5411"), Some("authorization.atm.withdrawal")),
        (Some("5411"), None),
    ];
    let mut rules: Vec<_> = keys
        .iter()
        .filter(|_| rng.u8(..3) == 0)
        .map(|(mcc, message)| LifeRule { mcc: *mcc, message: *message, life: LIVES[0] })
        .collect();
    rng.shuffle(&mut rules);
    for rule in &mut rules {
        rule.life = pick(rng, &LIVES);
    }
    Lives { default: one_in(rng, 2, &LIVES), rules }
}
