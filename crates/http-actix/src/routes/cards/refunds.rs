//! Refunds: authorization, clearing, reversal.

use super::{AmountBody, RefundBody, RefundReversalBody, first_message, follow_up};
use crate::extract::members::positive_amount;
use crate::problem::Problem;
use crate::routes::error_sets::SimulationErrors;
use crate::state::App;
use crate::views::TransactionAnswer;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_domain::card::ChainKind;
use florin_domain::card::decide::FollowUp;

/// Simulates the authorization of a refund.
#[utoipa::path(post, path = "/v2/cards/simulations/refund/authorization", tag = "Simulations",
    operation_id = "authorizeRefund", request_body = RefundBody,
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
    first_message::take(&app, &request, payload, ChainKind::Refund).await
}

/// Simulates the clearing of a refund.
#[utoipa::path(post, path = "/v2/cards/simulations/refund/authorization/clearing", tag = "Simulations",
    operation_id = "clearRefund", request_body = AmountBody,
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
        Some(FollowUp::RefundClearing { amount: amount? })
    })
    .await
}

/// Extension of Florin: simulates the reversal of a refund authorization that was not cleared.
#[utoipa::path(post, path = "/v2/cards/simulations/refund/authorization/reversal", tag = "Simulations",
    operation_id = "reverseRefund", request_body = RefundReversalBody,
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
    follow_up::take(&app, &request, payload, |_, _| Some(FollowUp::RefundReversal)).await
}
