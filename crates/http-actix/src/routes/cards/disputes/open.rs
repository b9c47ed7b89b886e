//! `POST /v2/cards/simulations/disputes`

use super::bodies::OpenDisputeBody;
use crate::declare::{AccountParameter, DryRunParameter, IdempotencyKeyHeader};
use crate::problem::Problem;
use crate::routes::cards::common::SIMULATE;
use crate::routes::cards::messages::{DISPUTE, receive};
use crate::routes::error_sets::OpenDisputeErrors;
use crate::state::App;
use crate::views::DisputeAnswer;
use actix_web::{HttpRequest, HttpResponse, web};

/// Disputes a settled purchase or debit, or a part of it. No money moves yet. Florin extension.
#[utoipa::path(post, path = "/v2/cards/simulations/disputes", tag = "Simulations", operation_id = "openDispute",
    security(("apiKey" = [SIMULATE.scope])),
    request_body = OpenDisputeBody,
    params(AccountParameter, DryRunParameter, IdempotencyKeyHeader),
    responses((status = 201, description = "The dispute.", body = DisputeAnswer<'static>), OpenDisputeErrors))]
pub(crate) async fn handle(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    receive(&app, &request, payload, DISPUTE).await
}
