//! Maps errors of budgets, credits and transfers to responses.

use super::range::out_of_range;
use crate::codes::ErrorCode;
use crate::problem::Problem;
use florin_domain::budget::{CreateBudgetRefusal, CreditRefusal, EditBudgetRefusal, MAX_LEVELS, TransferRefusal};

/// Maps the refusal of a credit.
pub(crate) fn credit_problem(refusal: CreditRefusal) -> Problem {
    match refusal {
        CreditRefusal::Faults(faults) => Problem::faults(faults),
        CreditRefusal::AmountOutOfRange(error) => out_of_range(error, "body.settlementPriceAmount"),
    }
}

/// Maps the refusal of a new budget.
pub(crate) fn create_budget_problem(refusal: CreateBudgetRefusal) -> Problem {
    match refusal {
        CreateBudgetRefusal::NoParent => Problem::absent("body.parentId", "budget"),
        CreateBudgetRefusal::NoPersona => Problem::absent("body.personaId", "person"),
        CreateBudgetRefusal::Faults(faults) => Problem::faults(faults),
        CreateBudgetRefusal::TooDeep => {
            let message = format!("must not be on the last level: budgets nest at most {MAX_LEVELS} levels deep");
            Problem::conflict("body.parentId", ErrorCode::InvalidState, message)
        }
        CreateBudgetRefusal::SecondOfPerson => {
            let message = "must name a person without an individual budget";
            Problem::conflict("body.personaId", ErrorCode::InvalidState, message)
        }
        CreateBudgetRefusal::NameTaken => name_taken(),
        CreateBudgetRefusal::TooMany { max } => {
            let message = format!("already has the maximum of {max} budgets");
            Problem::conflict("query.accountId", ErrorCode::InvalidState, message)
        }
    }
}

/// Maps the refusal of a change of a budget.
pub(crate) fn edit_budget_problem(refusal: EditBudgetRefusal) -> Problem {
    match refusal {
        EditBudgetRefusal::Faults(faults) => Problem::faults(faults),
        EditBudgetRefusal::NameTaken => name_taken(),
    }
}

fn name_taken() -> Problem {
    let message = "must differ from the names of the account's other budgets";
    Problem::conflict("body.name", ErrorCode::InvalidState, message)
}

/// Maps the refusal of a transfer.
pub(crate) fn transfer_problem(refusal: TransferRefusal) -> Problem {
    match refusal {
        TransferRefusal::NoReceiver => Problem::absent("body.destinationBudgetId", "budget"),
        TransferRefusal::Faults(faults) => Problem::faults(faults),
        TransferRefusal::InsufficientFunds { available } => {
            let message = format!("must be at most the available {available} {}", available.currency);
            Problem::conflict("body.amount", ErrorCode::InsufficientFunds, message)
        }
        TransferRefusal::AmountOutOfRange(error) => out_of_range(error, "body.amount"),
    }
}

/// Returns the 403 for a budget without a required feature.
pub(super) fn feature_missing(path: &str, feature: &str) -> Problem {
    Problem::forbidden(path, ErrorCode::FeatureNotEnabled, format!("must name a budget with the feature {feature}"))
}
