//! Purchases: authorization, advice, increment, clearing, reversal, expiry.

use super::bodies::AuthorizationBody;
use super::common::SIMULATE;
use super::follow_up_bodies::{ClearingBody, IncrementBody, Next, ReversalBody, TokenAndAmountBody, TokenBody};
use super::{first_message, follow_up};
use crate::call::Call;
use crate::declare::{AccountParameter, DryRunParameter, IdempotencyKeyHeader};
use crate::problem::{Problem, read};
use crate::routes::error_sets::SimulationErrors;
use crate::state::App;
use crate::views::TransactionAnswer;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::NewMessage;
use florin_domain::card::decide::Clearing;

/// Simulates the authorization of a purchase.
///
/// An amount of zero requests an account check.
#[utoipa::path(post, path = "/v2/cards/simulations/transaction/authorization", tag = "Simulations",
    operation_id = "authorizeTransaction", request_body = AuthorizationBody,
    params(AccountParameter, DryRunParameter, IdempotencyKeyHeader),
    responses((status = 201, description = "The record. A declined message also gets 201, with state DECLINED.",
        body = TransactionAnswer), SimulationErrors))]
pub(crate) async fn authorize(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    first_message::handle::<AuthorizationBody>(&app, &request, payload, Into::into).await
}

/// Simulates an authorization advice, which sets a new total for the hold.
#[utoipa::path(post, path = "/v2/cards/simulations/transaction/authorization/advice", tag = "Simulations",
    operation_id = "adviseTransaction", request_body = TokenAndAmountBody,
    params(AccountParameter, DryRunParameter, IdempotencyKeyHeader),
    responses((status = 201, description = "The record.",
        body = TransactionAnswer), SimulationErrors))]
pub(crate) async fn advise(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    follow_up::handle::<TokenAndAmountBody>(&app, &request, payload, TokenAndAmountBody::advice).await
}

/// Simulates an incremental authorization, which adds to the hold. Florin extension.
#[utoipa::path(post, path = "/v2/cards/simulations/transaction/authorization/incremental", tag = "Simulations",
    operation_id = "incrementTransaction", request_body = IncrementBody,
    params(AccountParameter, DryRunParameter, IdempotencyKeyHeader),
    responses((status = 201, description = "The record. A declined message also gets 201, with state DECLINED.",
        body = TransactionAnswer), SimulationErrors))]
pub(crate) async fn increment(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    follow_up::handle::<IncrementBody>(&app, &request, payload, Into::into).await
}

/// Simulates the clearing of an authorization.
///
/// With `forcePost` the clearing is posted even if the authorization has ended, and with `cardId` it needs none (Florin
/// extension).
#[utoipa::path(post, path = "/v2/cards/simulations/transaction/authorization/clearing", tag = "Simulations",
    operation_id = "clearTransaction", request_body = ClearingBody,
    params(AccountParameter, DryRunParameter, IdempotencyKeyHeader),
    responses((status = 201, description = "The record.",
        body = TransactionAnswer), SimulationErrors))]
pub(crate) async fn clear(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &SIMULATE).await?;
    let mode = call.mode()?;
    let mut write = call.with_body(payload).await?;
    let clearing = write.read::<ClearingBody>()?.map(|body| Clearing::of(body.into()));
    let clearing = clearing.and_then(|clearing| {
        clearing.map_err(|faults| faults.into_iter().for_each(|fault| write.call.faults.push(fault))).ok()
    });
    let account = write.account().await?;
    match read(clearing)? {
        Clearing::Of(preceding, message, place) => {
            follow_up::send(&write, &account, Next { preceding, message, place }, mode).await
        }
        Clearing::Without(card, message, merchant) => {
            let new = NewMessage { card, message: *message, merchant, pin: None };
            first_message::send(&write, &account, new, mode).await
        }
    }
}

/// Simulates the reversal of the authorization of a purchase or an ATM withdrawal.
#[utoipa::path(post, path = "/v2/cards/simulations/transaction/authorization/reversal", tag = "Simulations",
    operation_id = "reverseTransaction", request_body = ReversalBody,
    params(AccountParameter, DryRunParameter, IdempotencyKeyHeader),
    responses((status = 201, description = "The record.",
        body = TransactionAnswer), SimulationErrors))]
pub(crate) async fn reverse(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    follow_up::handle::<ReversalBody>(&app, &request, payload, Into::into).await
}

/// Simulates the expiry of a hold before it is due. Florin extension.
#[utoipa::path(post, path = "/v2/cards/simulations/transaction/authorization/expiration", tag = "Simulations",
    operation_id = "expireTransaction", request_body = TokenBody,
    params(AccountParameter, DryRunParameter, IdempotencyKeyHeader),
    responses((status = 201, description = "The record.",
        body = TransactionAnswer), SimulationErrors))]
pub(crate) async fn expire(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    follow_up::handle::<TokenBody>(&app, &request, payload, TokenBody::expiration).await
}
