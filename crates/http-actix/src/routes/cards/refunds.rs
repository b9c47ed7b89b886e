//! Refunds: authorization, clearing, reversal, refund without an authorization, return.

use super::bodies::RefundBody;
use super::common::SIMULATE;
use super::follow_up_bodies::{ReturnBody, TokenAndAmountBody, TokenBody};
use super::messages;
use crate::declare::{AccountParameter, DryRunParameter, IdempotencyKeyHeader};
use crate::problem::Problem;
use crate::routes::error_sets::{FirstMessageErrors, RefundClearingErrors, RefundReversalErrors, ReturnErrors};
use crate::state::App;
use crate::views::TransactionAnswer;
use actix_web::{HttpRequest, HttpResponse, web};

/// Simulates the authorization of a refund.
#[utoipa::path(post, path = "/v2/cards/simulations/refund/authorization", tag = "Simulations",
    operation_id = "authorizeRefund", request_body = RefundBody,
    security(("apiKey" = [SIMULATE.scope])),
    params(AccountParameter, DryRunParameter, IdempotencyKeyHeader),
    responses((status = 201, description = "The record. A declined message also gets 201, with state DECLINED.",
        body = TransactionAnswer), FirstMessageErrors))]
pub(crate) async fn authorize(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    messages::receive(&app, &request, payload, messages::REFUND_AUTHORIZATION).await
}

/// Simulates the clearing of a refund.
#[utoipa::path(post, path = "/v2/cards/simulations/refund/authorization/clearing", tag = "Simulations",
    operation_id = "clearRefund", request_body = TokenAndAmountBody,
    security(("apiKey" = [SIMULATE.scope])),
    params(AccountParameter, DryRunParameter, IdempotencyKeyHeader),
    responses((status = 201, description = "The record.",
        body = TransactionAnswer), RefundClearingErrors))]
pub(crate) async fn clear(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    messages::receive(&app, &request, payload, messages::REFUND_CLEARING).await
}

/// Simulates the reversal of a refund authorization that was not cleared. Florin extension.
#[utoipa::path(post, path = "/v2/cards/simulations/refund/authorization/reversal", tag = "Simulations",
    operation_id = "reverseRefund", request_body = TokenBody,
    security(("apiKey" = [SIMULATE.scope])),
    params(AccountParameter, DryRunParameter, IdempotencyKeyHeader),
    responses((status = 201, description = "The record.",
        body = TransactionAnswer), RefundReversalErrors))]
pub(crate) async fn reverse(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    messages::receive(&app, &request, payload, messages::REFUND_REVERSAL).await
}

/// Simulates a refund without an authorization. Florin extension.
#[utoipa::path(post, path = "/v2/cards/simulations/refund", tag = "Simulations",
    operation_id = "refund", request_body = RefundBody,
    security(("apiKey" = [SIMULATE.scope])),
    params(AccountParameter, DryRunParameter, IdempotencyKeyHeader),
    responses((status = 201, description = "The record. A declined message also gets 201, with state DECLINED.",
        body = TransactionAnswer), FirstMessageErrors))]
pub(crate) async fn refund(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    messages::receive(&app, &request, payload, messages::REFUND).await
}

/// Simulates the return of a settled refund: its money is taken back. This may overdraw the budget. Florin extension.
#[utoipa::path(post, path = "/v2/cards/simulations/refund/reversal", tag = "Simulations",
    operation_id = "returnRefund", request_body = ReturnBody,
    security(("apiKey" = [SIMULATE.scope])),
    params(AccountParameter, DryRunParameter, IdempotencyKeyHeader),
    responses((status = 201, description = "The record.",
        body = TransactionAnswer), ReturnErrors))]
pub(crate) async fn return_refund(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    messages::receive(&app, &request, payload, messages::REFUND_RETURN).await
}
