//! Purchases: authorization, advice, increment, clearing, reversal, expiry.

use super::bodies::AuthorizationBody;
use super::common::SIMULATE;
use super::follow_up_bodies::{ClearingBody, IncrementBody, ReversalBody, TokenAndAmountBody, TokenBody};
use super::messages;
use crate::declare::{AccountParameter, DryRunParameter, IdempotencyKeyHeader};
use crate::problem::Problem;
use crate::routes::error_sets::{ClearingErrors, ExpirationErrors, FirstMessageErrors, HoldErrors, ReversalErrors};
use crate::state::App;
use crate::views::TransactionAnswer;
use actix_web::{HttpRequest, HttpResponse, web};

/// Simulates the authorization of a purchase.
///
/// An amount of zero requests an account check.
#[utoipa::path(post, path = "/v2/cards/simulations/transaction/authorization", tag = "Simulations",
    operation_id = "authorizeTransaction", request_body = AuthorizationBody,
    security(("apiKey" = [SIMULATE.scope])),
    params(AccountParameter, DryRunParameter, IdempotencyKeyHeader),
    responses((status = 201, description = "The record. A declined message also gets 201, with state DECLINED.",
        body = TransactionAnswer), FirstMessageErrors))]
pub(crate) async fn authorize(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    messages::receive(&app, &request, payload, messages::AUTHORIZATION).await
}

/// Simulates an authorization advice, which sets a new total for the hold.
#[utoipa::path(post, path = "/v2/cards/simulations/transaction/authorization/advice", tag = "Simulations",
    operation_id = "adviseTransaction", request_body = TokenAndAmountBody,
    security(("apiKey" = [SIMULATE.scope])),
    params(AccountParameter, DryRunParameter, IdempotencyKeyHeader),
    responses((status = 201, description = "The record.",
        body = TransactionAnswer), HoldErrors))]
pub(crate) async fn advise(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    messages::receive(&app, &request, payload, messages::ADVICE).await
}

/// Simulates an incremental authorization, which adds to the hold. Florin extension.
#[utoipa::path(post, path = "/v2/cards/simulations/transaction/authorization/incremental", tag = "Simulations",
    operation_id = "incrementTransaction", request_body = IncrementBody,
    security(("apiKey" = [SIMULATE.scope])),
    params(AccountParameter, DryRunParameter, IdempotencyKeyHeader),
    responses((status = 201, description = "The record. A declined message also gets 201, with state DECLINED.",
        body = TransactionAnswer), HoldErrors))]
pub(crate) async fn increment(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    messages::receive(&app, &request, payload, messages::INCREMENT).await
}

/// Simulates the clearing of an authorization.
///
/// With `forcePost`, the clearing is posted even if the authorization has ended. With `cardId`, it needs no
/// authorization. Both are Florin extensions.
#[utoipa::path(post, path = "/v2/cards/simulations/transaction/authorization/clearing", tag = "Simulations",
    operation_id = "clearTransaction", request_body = ClearingBody,
    security(("apiKey" = [SIMULATE.scope])),
    params(AccountParameter, DryRunParameter, IdempotencyKeyHeader),
    responses((status = 201, description = "The record.",
        body = TransactionAnswer), ClearingErrors))]
pub(crate) async fn clear(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    messages::receive(&app, &request, payload, messages::CLEARING).await
}

/// Simulates the reversal of the authorization of a purchase or an ATM withdrawal.
#[utoipa::path(post, path = "/v2/cards/simulations/transaction/authorization/reversal", tag = "Simulations",
    operation_id = "reverseTransaction", request_body = ReversalBody,
    security(("apiKey" = [SIMULATE.scope])),
    params(AccountParameter, DryRunParameter, IdempotencyKeyHeader),
    responses((status = 201, description = "The record.",
        body = TransactionAnswer), ReversalErrors))]
pub(crate) async fn reverse(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    messages::receive(&app, &request, payload, messages::REVERSAL).await
}

/// Simulates the expiry of a hold before it is due. Florin extension.
#[utoipa::path(post, path = "/v2/cards/simulations/transaction/authorization/expiration", tag = "Simulations",
    operation_id = "expireTransaction", request_body = TokenBody,
    security(("apiKey" = [SIMULATE.scope])),
    params(AccountParameter, DryRunParameter, IdempotencyKeyHeader),
    responses((status = 201, description = "The record.",
        body = TransactionAnswer), ExpirationErrors))]
pub(crate) async fn expire(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    messages::receive(&app, &request, payload, messages::EXPIRATION).await
}
