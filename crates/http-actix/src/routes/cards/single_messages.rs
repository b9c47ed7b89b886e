//! Messages without a hold: debits and their returns, balance inquiries and fees. Florin extensions.

use super::bodies::{DebitBody, FeeBody, InquiryBody};
use super::common::SIMULATE;
use super::follow_up_bodies::ReturnBody;
use super::messages;
use crate::declare::{AccountParameter, DryRunParameter, IdempotencyKeyHeader};
use crate::problem::Problem;
use crate::routes::error_sets::{CreditErrors, FirstMessageErrors, InquiryErrors, ReturnErrors};
use crate::state::App;
use crate::views::TransactionAnswer;
use actix_web::{HttpRequest, HttpResponse, web};

/// Simulates a debit in a single message, which takes the money without a hold. Florin extension.
#[utoipa::path(post, path = "/v2/cards/simulations/debit", tag = "Simulations",
    operation_id = "debit", request_body = DebitBody,
    security(("apiKey" = [SIMULATE.scope])),
    params(AccountParameter, DryRunParameter, IdempotencyKeyHeader),
    responses((status = 201, description = "The record. A declined message also gets 201, with state DECLINED.",
        body = TransactionAnswer), FirstMessageErrors))]
pub(crate) async fn debit(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    messages::receive(&app, &request, payload, messages::DEBIT).await
}

/// Simulates the return of a debit, in full or in part. Florin extension.
#[utoipa::path(post, path = "/v2/cards/simulations/debit/reversal", tag = "Simulations",
    operation_id = "reverseDebit", request_body = ReturnBody,
    security(("apiKey" = [SIMULATE.scope])),
    params(AccountParameter, DryRunParameter, IdempotencyKeyHeader),
    responses((status = 201, description = "The record.",
        body = TransactionAnswer), ReturnErrors))]
pub(crate) async fn return_debit(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    messages::receive(&app, &request, payload, messages::DEBIT_RETURN).await
}

/// Simulates a balance inquiry, which moves no money. Florin extension.
#[utoipa::path(post, path = "/v2/cards/simulations/balance-inquiry", tag = "Simulations",
    operation_id = "inquireBalance", request_body = InquiryBody,
    security(("apiKey" = [SIMULATE.scope])),
    params(AccountParameter, DryRunParameter, IdempotencyKeyHeader),
    responses((status = 201, description = "The record. A declined message also gets 201, with state DECLINED.",
        body = TransactionAnswer), InquiryErrors))]
pub(crate) async fn inquire(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    messages::receive(&app, &request, payload, messages::INQUIRY).await
}

/// Simulates a fee of the card network that is charged or paid back. A charge may overdraw the budget.
/// Florin extension.
#[utoipa::path(post, path = "/v2/cards/simulations/fee", tag = "Simulations",
    operation_id = "chargeFee", request_body = FeeBody,
    security(("apiKey" = [SIMULATE.scope])),
    params(AccountParameter, DryRunParameter, IdempotencyKeyHeader),
    responses((status = 201, description = "The record.",
        body = TransactionAnswer), CreditErrors))]
pub(crate) async fn fee(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    messages::receive(&app, &request, payload, messages::FEE).await
}
