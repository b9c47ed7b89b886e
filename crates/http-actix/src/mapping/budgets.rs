//! Maps errors of budgets, credits and transfers to responses.

use crate::codes::ErrorCode;
use crate::problem::Problem;
use florin_domain::budget::{CreateBudgetRefusal, CreditRefusal, MAX_BUDGETS, MAX_LEVELS, TransferRefusal};

/// Maps the refusal of a credit.
pub(crate) fn credit_problem(refusal: CreditRefusal) -> Problem {
    match refusal {
        CreditRefusal::Faults(faults) => Problem::faults(faults),
        CreditRefusal::AmountOverflow(_) => Problem::balance_limit("body.settlementPriceAmount"),
        CreditRefusal::Unbalanced(error) => Problem::bug(&error),
    }
}

/// Maps the refusal of a new budget.
pub(crate) fn create_budget_problem(refusal: CreateBudgetRefusal) -> Problem {
    match refusal {
        CreateBudgetRefusal::NoParent => Problem::absent("body.parentBudgetId", "budget"),
        CreateBudgetRefusal::TooDeep => {
            let message = format!("must not be on the last level: budgets nest at most {MAX_LEVELS} levels deep");
            Problem::conflict("body.parentBudgetId", ErrorCode::InvalidState, message)
        }
        CreateBudgetRefusal::TooMany => {
            let message = format!("already has the maximum of {MAX_BUDGETS} budgets");
            Problem::conflict("query.accountId", ErrorCode::InvalidState, message)
        }
    }
}

/// Maps the refusal of a transfer.
pub(crate) fn transfer_problem(refusal: TransferRefusal) -> Problem {
    match refusal {
        TransferRefusal::NoReceiver => Problem::absent("body.toBudgetId", "budget"),
        TransferRefusal::Faults(faults) => Problem::faults(faults),
        TransferRefusal::GiverOff => feature_missing("path.budgetId", "transfers"),
        TransferRefusal::ReceiverOff => feature_missing("body.toBudgetId", "transfers"),
        TransferRefusal::InsufficientFunds { available } => {
            let message = format!("must be at most the available {available} {}", available.currency);
            Problem::conflict("body.amount", ErrorCode::InsufficientFunds, message)
        }
        TransferRefusal::AmountOverflow(_) => Problem::balance_limit("body.amount"),
        TransferRefusal::Unbalanced(error) => Problem::bug(&error),
    }
}

/// Returns the 403 for a budget without a feature.
pub(super) fn feature_missing(path: &str, feature: &str) -> Problem {
    Problem::forbidden(path, ErrorCode::FeatureNotEnabled, format!("must name a budget with the feature {feature}"))
}
