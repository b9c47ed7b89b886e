//! What the rules of budgets, cards and limits refuse.

use super::{balance_limit, bug, conflict, forbidden};
use crate::codes::ErrorCode;
use crate::problem::Problem;
use florin_domain::budget::{CreateBudgetRefusal, MAX_BUDGETS, MAX_LEVELS, TransferRefusal};
use florin_domain::card::{CardState, CreateCardRefusal, IllegalTransition, LimitRefusal, MAX_CARDS, NoSuchLimit};

const ACCOUNT: &str = "query.accountId";

/// A budget that can't be made.
pub(crate) fn create_budget_problem(refusal: CreateBudgetRefusal) -> Problem {
    match refusal {
        CreateBudgetRefusal::NoParent => Problem::absent("body.parentBudgetId", "budget"),
        CreateBudgetRefusal::TooDeep => {
            let message = format!("Budgets are nested at most {MAX_LEVELS} deep; the parent is on the last level.");
            conflict("body.parentBudgetId", ErrorCode::InvalidState, message)
        }
        CreateBudgetRefusal::TooMany => {
            let message = format!("The account has {MAX_BUDGETS} budgets; it can't have more.");
            conflict(ACCOUNT, ErrorCode::InvalidState, message)
        }
    }
}

/// A transfer that can't be made.
pub(crate) fn transfer_problem(refusal: TransferRefusal) -> Problem {
    match refusal {
        TransferRefusal::NoReceiver => Problem::absent("body.toBudgetId", "budget"),
        TransferRefusal::Faults(faults) => Problem::faults(faults),
        TransferRefusal::GiverOff => feature_off("path.budgetId", "transfers"),
        TransferRefusal::ReceiverOff => feature_off("body.toBudgetId", "transfers"),
        TransferRefusal::InsufficientFunds { available } => {
            let message = format!("Only {available} {} is available.", available.currency);
            conflict("body.amount", ErrorCode::InsufficientFunds, message)
        }
        TransferRefusal::AmountOverflow(_) => balance_limit("body.amount"),
        TransferRefusal::Unbalanced(error) => bug(&error),
    }
}

/// A card that can't be made.
pub(crate) fn create_card_problem(refusal: CreateCardRefusal) -> Problem {
    match refusal {
        CreateCardRefusal::Faults(faults) => Problem::faults(faults),
        CreateCardRefusal::CardsOff => feature_off("body.budgetId", "cards"),
        CreateCardRefusal::TooMany => {
            let message = format!("The account has {MAX_CARDS} cards; it can't have more.");
            conflict(ACCOUNT, ErrorCode::InvalidState, message)
        }
    }
}

/// A card that can't be brought there.
pub(crate) fn transition_problem(illegal: IllegalTransition) -> Problem {
    let ways: Vec<_> = illegal.current.ways().iter().copied().map(CardState::as_str).collect();
    let message = match ways.as_slice() {
        [] => format!("The card is {}, which it stays.", illegal.current.as_str()),
        ways => format!("The card is {}; it can become {}.", illegal.current.as_str(), ways.join(", ")),
    };
    conflict("body.state", ErrorCode::InvalidState, message)
}

/// A limit that can't be set.
pub(crate) fn limit_problem(refusal: LimitRefusal) -> Problem {
    match refusal {
        LimitRefusal::Amount(flaw) => Problem::faults(vec![flaw.at("body.amount")]),
    }
}

/// A limit that can't be removed.
pub(crate) fn removal_problem(NoSuchLimit: NoSuchLimit) -> Problem {
    Problem::absent("path.window", "spending limit")
}

fn feature_off(path: &str, feature: &str) -> Problem {
    forbidden(path, ErrorCode::FeatureNotEnabled, format!("The budget was made without the feature {feature}."))
}
