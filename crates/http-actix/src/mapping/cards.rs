//! Maps errors of cards and card messages to responses.

use super::budgets::feature_missing;
use super::range::out_of_range;
use super::webhooks::webhook_problem;
use super::write::write_problem;
use crate::codes::ErrorCode;
use crate::problem::Problem;
use florin_application::FirstMessageError;
use florin_domain::card::decide::CardRefusal;
use florin_domain::card::{
    CardState, ChangeCardRefusal, CreateCardRefusal, EndpointRefusal, IllegalTransition, LimitRefusal, NoSuchLimit,
    PhysicalCardRefusal, ReplaceCardRefusal,
};
use florin_domain::fault::Flaw;
use florin_domain::webhook::WebhookRefusal;
use florin_ports::RecordedRequest;

const TOKEN: &str = "body.precedingRelatedTransactionToken";
const AMOUNT: &str = "body.amount";
const CURRENCY: &str = "body.currencyCode";

/// Maps the failure of a first message.
pub(crate) fn first_message_problem(error: FirstMessageError, request: Option<&RecordedRequest>) -> Problem {
    match error {
        FirstMessageError::NoRates(currency) => Problem::faults(vec![
            Flaw::value(format!("must be a currency with an exchange rate (got {currency})")).at(CURRENCY),
        ]),
        FirstMessageError::Rates(error) => {
            tracing::error!(%error, "cannot read exchange rates");
            let message = "exchange rates unavailable; retry after the interval in Retry-After";
            Problem::unavailable(ErrorCode::ProviderUnavailable, message).retry_after(5)
        }
        FirstMessageError::Write(error) => write_problem(error, ("body.cardId", "card"), request, card_problem),
    }
}

/// Maps the refusal of a card message.
pub(crate) fn card_problem(refusal: CardRefusal) -> Problem {
    match refusal {
        CardRefusal::Amount(flaw) => Problem::faults(vec![flaw.at(AMOUNT)]),
        CardRefusal::Fee(flaw) => Problem::faults(vec![flaw.at("body.acquirerFeeAmount")]),
        CardRefusal::CashBack(flaw) => Problem::faults(vec![flaw.at("body.cashBackAmount")]),
        CardRefusal::Currency(flaw) => Problem::faults(vec![flaw.at(CURRENCY)]),
        CardRefusal::WrongKind { found, state } => {
            let message =
                format!("cannot be followed by this message (got {} in state {})", found.as_str(), state.as_str());
            Problem::conflict(TOKEN, ErrorCode::WrongTransactionKind, message)
        }
        CardRefusal::AlreadyCleared => Problem::conflict(
            TOKEN,
            ErrorCode::AlreadyCleared,
            "cannot be followed: the transaction is already cleared",
        ),
        CardRefusal::AlreadyReversed => Problem::conflict(
            TOKEN,
            ErrorCode::AlreadyReversed,
            "cannot be followed: the transaction is already reversed",
        ),
        CardRefusal::Expired => {
            Problem::conflict(TOKEN, ErrorCode::Expired, "cannot be followed: the hold has expired")
        }
        CardRefusal::ExceedsHold { held } => Problem::conflict(
            AMOUNT,
            ErrorCode::AmountExceedsHold,
            format!("must be at most the held {held} {}", held.currency),
        ),
        CardRefusal::ExceedsAuthorization { authorised } => {
            let message = format!("must be at most the authorised {authorised} {}", authorised.currency);
            Problem::conflict(AMOUNT, ErrorCode::AmountExceedsAuthorization, message)
        }
        CardRefusal::ExceedsMargin { max } => {
            let message = format!("must be at most {max} {}, by the setting overClearing", max.currency);
            Problem::conflict(AMOUNT, ErrorCode::AmountExceedsAuthorization, message)
        }
        CardRefusal::ExceedsRemainder { rest } => {
            let message = format!("must be at most {rest} {}, the amount left", rest.currency);
            Problem::conflict(AMOUNT, ErrorCode::AmountExceedsAuthorization, message)
        }
        CardRefusal::WorldRestored => Problem::world_restored(),
        CardRefusal::AmountOutOfRange(error) => out_of_range(error, AMOUNT),
        // Not expected: the use case asks the endpoint, and runs the command again with its decision.
        refusal @ CardRefusal::EndpointNotAsked(_) => Problem::bug(&refusal),
    }
}

/// Maps the refusal of a change of a decision endpoint.
pub(crate) fn endpoint_problem(refusal: EndpointRefusal) -> Problem {
    match refusal {
        EndpointRefusal::Absent => Problem::absent("query.accountId", "decision endpoint"),
        EndpointRefusal::Changed => Problem::conflict(
            "query.accountId",
            ErrorCode::InvalidState,
            "names a decision endpoint that was changed at the same time; try again",
        ),
        EndpointRefusal::ShownOnce => webhook_problem(WebhookRefusal::ShownOnce),
    }
}

/// Maps the refusal of a new card.
pub(crate) fn create_card_problem(refusal: CreateCardRefusal) -> Problem {
    match refusal {
        CreateCardRefusal::Faults(faults) => Problem::faults(faults),
        CreateCardRefusal::NoBudget(path) => Problem::absent(&path, "budget"),
        CreateCardRefusal::NoPerson => no_person(),
        CreateCardRefusal::Erased => person_erased(),
        CreateCardRefusal::FeatureMissing { path, feature } => feature_missing(&path, feature.as_str()),
        CreateCardRefusal::TooMany(max) => too_many_cards(max),
    }
}

/// Maps the refusal of a change of a card.
pub(crate) fn change_card_problem(refusal: ChangeCardRefusal) -> Problem {
    match refusal {
        ChangeCardRefusal::Illegal(illegal) => transition_problem(illegal),
        refusal @ ChangeCardRefusal::AwaitsFirstUse => {
            Problem::conflict("body.state", ErrorCode::InvalidState, refusal.to_string())
        }
        ChangeCardRefusal::Fault(fault) => Problem::faults(vec![*fault]),
        ChangeCardRefusal::NoPerson => no_person(),
        ChangeCardRefusal::Erased => person_erased(),
    }
}

fn no_person() -> Problem {
    Problem::absent("body.personId", "person")
}

fn person_erased() -> Problem {
    let message = "must name a person whose data was not erased";
    Problem::conflict("body.personId", ErrorCode::InvalidState, message)
}

/// Maps the refusal of a replacement.
pub(crate) fn replace_card_problem(refusal: ReplaceCardRefusal) -> Problem {
    match refusal {
        ReplaceCardRefusal::Illegal(illegal) => {
            let message = format!("must be ACTIVE or SUSPENDED (got {})", illegal.current.as_str());
            Problem::conflict("path.cardId", ErrorCode::InvalidState, message)
        }
        ReplaceCardRefusal::TooMany(max) => too_many_cards(max),
    }
}

/// Maps the refusal of a physical card.
pub(crate) fn physical_card_problem(refusal: PhysicalCardRefusal) -> Problem {
    match refusal {
        PhysicalCardRefusal::Physical | PhysicalCardRefusal::Ended(_) | PhysicalCardRefusal::Ordered => {
            Problem::conflict("path.cardId", ErrorCode::InvalidState, refusal.to_string())
        }
        PhysicalCardRefusal::TooMany(max) => too_many_cards(max),
    }
}

fn too_many_cards(max: u64) -> Problem {
    let message = format!("already has the maximum of {max} cards");
    Problem::conflict("query.accountId", ErrorCode::InvalidState, message)
}

/// Maps the refusal of a card's state change.
fn transition_problem(illegal: IllegalTransition) -> Problem {
    let next_states: Vec<_> = illegal.current.next_states().iter().copied().map(CardState::as_str).collect();
    let message = match next_states.as_slice() {
        [] => format!("cannot change: {} is final", illegal.current.as_str()),
        next_states => format!("cannot follow {}; allowed: {}", illegal.current.as_str(), next_states.join(", ")),
    };
    Problem::conflict("body.state", ErrorCode::InvalidState, message)
}

/// Maps the refusal of a limit.
pub(crate) fn limit_problem(LimitRefusal(faults): LimitRefusal) -> Problem {
    Problem::faults(faults)
}

/// Maps the refusal to remove a limit that does not exist.
pub(crate) fn removal_problem(NoSuchLimit: NoSuchLimit) -> Problem {
    Problem::absent("path.limitId", "limit")
}
