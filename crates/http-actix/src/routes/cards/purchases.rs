//! Purchases: authorization, advice, increment, clearing, reversal.

use super::first_message::forced_decline;
use super::{AmountBody, AuthorizationBody, ClearingBody, IncrementBody, ReversalBody, first_message, follow_up};
use crate::extract::members::{boolean, positive_amount};
use crate::problem::Problem;
use crate::routes::error_sets::SimulationErrors;
use crate::state::App;
use crate::views::TransactionAnswer;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_domain::card::ChainKind;
use florin_domain::card::decide::FollowUp;

/// Simulates the authorization of a purchase. An amount of zero is an account check.
#[utoipa::path(post, path = "/v2/cards/simulations/transaction/authorization", tag = "Simulations",
    operation_id = "authorizeTransaction", request_body = AuthorizationBody,
    params(
        ("accountId" = String, Query, description = "The account to work with.", min_length = 1, max_length = 36),
        ("dryRun" = Option<bool>, Query, description = "Extension of Florin, sandbox only: true answers what would happen, and writes nothing."),
        ("Idempotency-Key" = Option<String>, Header, description = "One effect for all requests under one key.",
            min_length = 1, max_length = 255, pattern = "^[!-~]+$")),
    responses((status = 201, description = "The record. A decline is an answer, too: state DECLINED.", body = TransactionAnswer), SimulationErrors))]
pub(crate) async fn authorize(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    first_message::take(&app, &request, payload, ChainKind::Purchase).await
}

/// Simulates an authorization advice: a new total for what is held.
#[utoipa::path(post, path = "/v2/cards/simulations/transaction/authorization/advice", tag = "Simulations",
    operation_id = "adviseTransaction", request_body = AmountBody,
    params(
        ("accountId" = String, Query, description = "The account to work with.", min_length = 1, max_length = 36),
        ("dryRun" = Option<bool>, Query, description = "Extension of Florin, sandbox only: true answers what would happen, and writes nothing."),
        ("Idempotency-Key" = Option<String>, Header, description = "One effect for all requests under one key.",
            min_length = 1, max_length = 255, pattern = "^[!-~]+$")),
    responses((status = 201, description = "The record. A decline is an answer, too: state DECLINED.", body = TransactionAnswer), SimulationErrors))]
pub(crate) async fn advise(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    follow_up::take(&app, &request, payload, |members, faults| {
        let amount = members.required("amount", faults, positive_amount);
        Some(FollowUp::Advice { amount: amount? })
    })
    .await
}

/// Extension of Florin: simulates an incremental authorization, which adds to what is held.
#[utoipa::path(post, path = "/v2/cards/simulations/transaction/authorization/incremental", tag = "Simulations",
    operation_id = "incrementTransaction", request_body = IncrementBody,
    params(
        ("accountId" = String, Query, description = "The account to work with.", min_length = 1, max_length = 36),
        ("dryRun" = Option<bool>, Query, description = "Extension of Florin, sandbox only: true answers what would happen, and writes nothing."),
        ("Idempotency-Key" = Option<String>, Header, description = "One effect for all requests under one key.",
            min_length = 1, max_length = 255, pattern = "^[!-~]+$")),
    responses((status = 201, description = "The record. A decline is an answer, too: state DECLINED.", body = TransactionAnswer), SimulationErrors))]
pub(crate) async fn increment(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    follow_up::take(&app, &request, payload, |members, faults| {
        let amount = members.required("amount", faults, positive_amount);
        let decline = forced_decline(members, faults);
        Some(FollowUp::Incremental { amount: amount?, decline: decline? })
    })
    .await
}

/// Simulates the clearing of an authorization.
#[utoipa::path(post, path = "/v2/cards/simulations/transaction/authorization/clearing", tag = "Simulations",
    operation_id = "clearTransaction", request_body = ClearingBody,
    params(
        ("accountId" = String, Query, description = "The account to work with.", min_length = 1, max_length = 36),
        ("dryRun" = Option<bool>, Query, description = "Extension of Florin, sandbox only: true answers what would happen, and writes nothing."),
        ("Idempotency-Key" = Option<String>, Header, description = "One effect for all requests under one key.",
            min_length = 1, max_length = 255, pattern = "^[!-~]+$")),
    responses((status = 201, description = "The record.", body = TransactionAnswer), SimulationErrors))]
pub(crate) async fn clear(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    follow_up::take(&app, &request, payload, |members, faults| {
        let amount = members.required("amount", faults, positive_amount);
        let is_final = members.optional("finalClearing", faults, boolean);
        Some(FollowUp::Clearing { amount: amount?, is_final: is_final?.unwrap_or(true) })
    })
    .await
}

/// Simulates the reversal of an authorization, of a purchase or an ATM withdrawal.
#[utoipa::path(post, path = "/v2/cards/simulations/transaction/authorization/reversal", tag = "Simulations",
    operation_id = "reverseTransaction", request_body = ReversalBody,
    params(
        ("accountId" = String, Query, description = "The account to work with.", min_length = 1, max_length = 36),
        ("dryRun" = Option<bool>, Query, description = "Extension of Florin, sandbox only: true answers what would happen, and writes nothing."),
        ("Idempotency-Key" = Option<String>, Header, description = "One effect for all requests under one key.",
            min_length = 1, max_length = 255, pattern = "^[!-~]+$")),
    responses((status = 201, description = "The record.", body = TransactionAnswer), SimulationErrors))]
pub(crate) async fn reverse(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    follow_up::take(&app, &request, payload, |members, faults| {
        let amount = members.optional("amount", faults, positive_amount);
        Some(FollowUp::Reversal { amount: amount? })
    })
    .await
}
