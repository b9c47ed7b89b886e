//! Shared helpers of the tests of card messages.

use super::{CardDecision, Extras, FirstMessage, FollowUp};
use crate::card::decide::FirstKind;
use crate::ledger::Balances;
use crate::money::Minor;
use crate::test_support::{CardScenario, a_budget, a_card, decimal, first_message};

/// A GBP budget with this much available (in pence) and an ACTIVE card.
pub(super) fn scenario_with(available: i64) -> CardScenario {
    let mut scenario = CardScenario::of(a_card(), a_budget().with("0.00 GBP"));
    scenario.balances = Balances::new(Minor(available), Minor(0), Minor(0)).unwrap();
    scenario
}

/// A first message with extensions.
pub(super) fn extended(kind: FirstKind, amount: &str, extras: Extras) -> FirstMessage {
    FirstMessage { extras, ..first_message(kind, amount) }
}

pub(super) fn advice(total: &str) -> FollowUp {
    FollowUp::Advice { amount: decimal(total) }
}

pub(super) fn clearing(text: &str, is_final: bool) -> FollowUp {
    FollowUp::Clearing { amount: decimal(text), is_final }
}

pub(super) fn incremental(text: &str) -> FollowUp {
    FollowUp::Incremental { amount: decimal(text), decline: None }
}

pub(super) fn reversal(text: Option<&str>) -> FollowUp {
    FollowUp::Reversal { amount: text.map(decimal) }
}

/// Type, state, ledger balance, available balance and impacted amount, as in the contract's table.
pub(super) fn row(decision: &CardDecision) -> [String; 5] {
    let record = &decision.transaction;
    let money = |minor: Minor| minor.of(record.currency).to_string();
    [
        record.kind.as_str().to_owned(),
        record.state.as_str().to_owned(),
        money(record.ledger_balance),
        money(record.available_balance),
        money(record.impacted),
    ]
}
