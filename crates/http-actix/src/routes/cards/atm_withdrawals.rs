//! ATM withdrawals: authorization and clearing.

use super::bodies::WithdrawalBody;
use super::common::SIMULATE;
use super::follow_up_bodies::AtmClearingBody;
use super::messages;
use crate::declare::{AccountParameter, DryRunParameter, IdempotencyKeyHeader};
use crate::problem::Problem;
use crate::routes::error_sets::{AtmClearingErrors, FirstMessageErrors};
use crate::state::App;
use crate::views::TransactionAnswer;
use actix_web::{HttpRequest, HttpResponse, web};

/// Simulates the authorization of an ATM withdrawal.
#[utoipa::path(post, path = "/v2/cards/simulations/atm/withdrawal/authorization", tag = "Simulations",
    operation_id = "authorizeAtmWithdrawal", request_body = WithdrawalBody,
    security(("apiKey" = [SIMULATE.scope])),
    params(AccountParameter, DryRunParameter, IdempotencyKeyHeader),
    responses((status = 201, description = "The record. A declined message also gets 201, with state DECLINED.",
        body = TransactionAnswer), FirstMessageErrors))]
pub(crate) async fn authorize(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    messages::receive(&app, &request, payload, messages::WITHDRAWAL).await
}

/// Simulates the clearing of an ATM withdrawal. The clearing is always final.
#[utoipa::path(post, path = "/v2/cards/simulations/atm/withdrawal/authorization/clearing", tag = "Simulations",
    operation_id = "clearAtmWithdrawal", request_body = AtmClearingBody,
    security(("apiKey" = [SIMULATE.scope])),
    params(AccountParameter, DryRunParameter, IdempotencyKeyHeader),
    responses((status = 201, description = "The record.",
        body = TransactionAnswer), AtmClearingErrors))]
pub(crate) async fn clear(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    messages::receive(&app, &request, payload, messages::WITHDRAWAL_CLEARING).await
}
