//! Maps refusals of operations on people to responses.

use crate::codes::ErrorCode;
use crate::problem::Problem;
use florin_domain::people::{CreatePersonRefusal, EditPersonRefusal};

/// Maps the refusal of a new person.
pub(crate) fn create_person_problem(refusal: CreatePersonRefusal) -> Problem {
    match refusal {
        CreatePersonRefusal::EmailTaken => {
            let message = "must be an email address that no person of the account has";
            Problem::conflict("body.emailAddress", ErrorCode::InvalidState, message)
        }
        CreatePersonRefusal::TooMany { max } => {
            let message = format!("already has the maximum of {max} people");
            Problem::conflict("query.accountId", ErrorCode::InvalidState, message)
        }
    }
}

/// Maps the refusal of a change of a person.
pub(crate) fn edit_person_problem(refusal: EditPersonRefusal) -> Problem {
    match refusal {
        EditPersonRefusal::Erased => {
            Problem::conflict("path.personId", ErrorCode::InvalidState, "cannot change: the person was erased")
        }
    }
}
