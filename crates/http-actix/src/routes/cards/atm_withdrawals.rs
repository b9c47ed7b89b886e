//! ATM withdrawals: authorization and clearing.

use super::first_message::acquirer_fee;
use super::{AtmClearingBody, WithdrawalBody, first_message, follow_up};
use crate::extract::members::positive_amount;
use crate::problem::Problem;
use crate::routes::error_sets::SimulationErrors;
use crate::state::App;
use crate::views::TransactionAnswer;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_domain::card::ChainKind;
use florin_domain::card::decide::FollowUp;

/// Simulates the authorization of an ATM withdrawal.
#[utoipa::path(post, path = "/v2/cards/simulations/atm/withdrawal/authorization", tag = "Simulations",
    operation_id = "authorizeAtmWithdrawal", request_body = WithdrawalBody,
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
    first_message::take(&app, &request, payload, ChainKind::Atm).await
}

/// Simulates the clearing of an ATM withdrawal; always final.
#[utoipa::path(post, path = "/v2/cards/simulations/atm/withdrawal/authorization/clearing", tag = "Simulations",
    operation_id = "clearAtmWithdrawal", request_body = AtmClearingBody,
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
        let fee = acquirer_fee(members, faults);
        Some(FollowUp::AtmClearing { amount: amount?, fee: fee? })
    })
    .await
}
