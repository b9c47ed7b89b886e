//! Shared parts of the operations on decision endpoints.

use crate::call::WriteCall;
use crate::idempotency::{canonical, client_claim};
use crate::problem::Problem;
use crate::reply::{answer, no_content};
use crate::views::DecisionEndpointView;
use actix_web::http::StatusCode;
use florin_application::Requirement;
use florin_domain::access::Scope;
use florin_domain::card::EndpointChange;
use florin_ports::{ClientClaim, StoredResponse};

pub(super) const READ: Requirement = Requirement::of(Scope::CardsRead);
pub(super) const WRITE: Requirement = Requirement::of(Scope::CardsWrite);
/// The query parameter and the kind of object in the 404 for a write.
pub(super) const ENDPOINT: (&str, &str) = ("query.accountId", "account");

/// Returns the 404 of an account without an endpoint.
pub(super) fn no_endpoint() -> Problem {
    Problem::absent("query.accountId", "decision endpoint")
}

/// Creates the claim of a change, if the request has an idempotency key. A response with a secret is not stored.
pub(super) fn claim(write: &mut WriteCall<'_>) -> Result<Option<ClientClaim<EndpointChange>>, Problem> {
    let body = canonical(write.body.as_ref())?;
    Ok(write.key.take().map(|key| client_claim(&write.call, key, &body, without_secret)))
}

/// Returns the response to a change. `None`: the response must contain a new secret, so it cannot be stored.
pub(super) fn without_secret(change: &EndpointChange) -> Option<StoredResponse> {
    if change.has_new_secret {
        return None;
    }
    Some(
        change
            .endpoint
            .as_ref()
            .map_or_else(no_content, |endpoint| answer(StatusCode::OK, &DecisionEndpointView::from(endpoint))),
    )
}
