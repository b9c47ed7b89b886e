//! Maps refusals of disputes to responses.

use super::cards::card_problem;
use crate::codes::ErrorCode;
use crate::problem::Problem;
use florin_domain::card::decide::DisputeRefusal;

const DISPUTE: &str = "path.disputeId";
const AMOUNT: &str = "body.amount";

/// Maps the refusal of a new dispute, or of an action on a dispute.
pub(crate) fn dispute_problem(refusal: DisputeRefusal) -> Problem {
    let invalid_state = |message: String| Problem::conflict(DISPUTE, ErrorCode::InvalidState, message);
    match refusal {
        DisputeRefusal::Amount(flaw) => Problem::faults(vec![flaw.at(AMOUNT)]),
        DisputeRefusal::WrongKind { found, state } => {
            let (found, state) = (found.as_str(), state.as_str());
            let message = format!("must be a settled purchase or debit (got {found} in state {state})");
            Problem::conflict("body.transactionToken", ErrorCode::WrongTransactionKind, message)
        }
        DisputeRefusal::ExceedsUndisputed { rest } => {
            let message = format!("must be at most {rest} {}, the amount that is undisputed", rest.currency);
            Problem::conflict(AMOUNT, ErrorCode::AmountExceedsAuthorization, message)
        }
        DisputeRefusal::NotOpen(status) => invalid_state(format!("must be OPEN (got {})", status.as_str())),
        refusal @ (DisputeRefusal::AlreadyCredited | DisputeRefusal::TooMuchEvidence) => {
            invalid_state(refusal.to_string())
        }
        DisputeRefusal::Message(refusal) => card_problem(refusal),
    }
}
