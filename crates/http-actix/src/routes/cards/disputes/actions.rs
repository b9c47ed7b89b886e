//! Actions on a dispute: evidence, a provisional credit, the network's decision.

use super::bodies::{EvidenceBody, ResolveBody};
use super::common::DisputePath;
use crate::call::Call;
use crate::declare::{AccountParameter, DryRunParameter, IdempotencyKeyHeader};
use crate::problem::Problem;
use crate::routes::cards::common::SIMULATE;
use crate::routes::cards::messages::{DISPUTE_CREDIT, DISPUTE_EVIDENCE, DISPUTE_RESOLUTION, receive, respond};
use crate::routes::error_sets::{EvidenceErrors, ProvisionalCreditErrors, ResolveErrors};
use crate::state::App;
use crate::views::{DisputeAnswer, DisputeMessageAnswer};
use actix_web::{HttpRequest, HttpResponse, web};

/// Adds a text of evidence to an OPEN dispute. A dispute has at most 20 texts. Florin extension.
#[utoipa::path(post, path = "/v2/cards/simulations/disputes/{disputeId}/evidence", tag = "Simulations",
    operation_id = "addDisputeEvidence", request_body = EvidenceBody,
    security(("apiKey" = [SIMULATE.scope])),
    params(DisputePath, AccountParameter, DryRunParameter, IdempotencyKeyHeader),
    responses((status = 201, description = "The dispute.", body = DisputeAnswer<'static>), EvidenceErrors))]
pub(crate) async fn add_evidence(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    receive(&app, &request, payload, DISPUTE_EVIDENCE).await
}

/// Credits the amount of an OPEN dispute until the network decides. Florin extension.
#[utoipa::path(post, path = "/v2/cards/simulations/disputes/{disputeId}/provisional-credit", tag = "Simulations",
    operation_id = "creditDispute",
    security(("apiKey" = [SIMULATE.scope])),
    params(DisputePath, AccountParameter, DryRunParameter, IdempotencyKeyHeader),
    responses((status = 201, description = "The record of the message, and the dispute.",
        body = DisputeMessageAnswer<'static>), ProvisionalCreditErrors))]
pub(crate) async fn credit(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &SIMULATE).await?;
    let mode = call.read_mode()?;
    respond(call.without_body(payload).await?, DISPUTE_CREDIT, mode).await
}

/// Decides an OPEN dispute, as the card network would. Florin extension.
///
/// A won dispute pays the amount to the budget, unless a provisional credit has done so. A lost dispute takes the
/// provisional credit back, which may overdraw the budget. Without a provisional credit, a lost dispute causes no
/// message.
#[utoipa::path(post, path = "/v2/cards/simulations/disputes/{disputeId}/resolve", tag = "Simulations",
    operation_id = "resolveDispute", request_body = ResolveBody,
    security(("apiKey" = [SIMULATE.scope])),
    params(DisputePath, AccountParameter, DryRunParameter, IdempotencyKeyHeader),
    responses((status = 201, description = "The record of the message, and the dispute.",
        body = DisputeMessageAnswer<'static>), ResolveErrors))]
pub(crate) async fn resolve(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    receive(&app, &request, payload, DISPUTE_RESOLUTION).await
}
