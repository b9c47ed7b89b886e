//! What happens to a dispute: evidence, a provisional credit, the network's decision.

use super::common::{DISPUTE, DisputePath, dispute_answer, message_answer};
use crate::call::Call;
use crate::declare::{AccountParameter, DryRunParameter, IdempotencyKeyHeader, body};
use crate::dry_run::execute;
use crate::idempotency::{claim, claim_without_body};
use crate::mapping::dispute_problem;
use crate::problem::{Problem, read};
use crate::routes::cards::common::SIMULATE;
use crate::routes::error_sets::DisputeErrors;
use crate::state::App;
use crate::views::{DisputeAnswer, DisputeMessageAnswer};
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::act_on_dispute;
use florin_domain::card::{DisputeAction, DisputeOutcome, EvidenceText};

body! {
    /// Evidence for a dispute.
    pub(crate) struct EvidenceBody as "DisputeEvidenceRequest" {
        /// What supports the dispute. It is stored.
        #[example("The parcel never arrived.")]
        "text" => text: EvidenceText,
    }
}

body! {
    /// The network's decision about a dispute.
    pub(crate) struct ResolveBody as "ResolveDisputeRequest" {
        /// Who keeps the money: the cardholder (`WON`) or the merchant (`LOST`).
        "outcome" => outcome: DisputeOutcome,
    }
}

/// Adds a text of evidence to an OPEN dispute, which has at most 20. Florin extension.
#[utoipa::path(post, path = "/v2/cards/simulations/disputes/{disputeId}/evidence", tag = "Simulations",
    operation_id = "addDisputeEvidence", request_body = EvidenceBody,
    params(DisputePath, AccountParameter, DryRunParameter, IdempotencyKeyHeader),
    responses((status = 201, description = "The dispute.", body = DisputeAnswer<'static>), DisputeErrors))]
pub(crate) async fn add_evidence(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &SIMULATE).await?;
    let mode = call.mode()?;
    let mut write = call.with_body(payload).await?;
    let path = write.call.read::<DisputePath>();
    let body = write.read::<EvidenceBody>()?;
    let account = write.account().await?;
    let action = (read(path)?.id, DisputeAction::Evidence(read(body)?.text));
    let claim = claim(&write, &account, false, |done| dispute_answer(done, None))?;
    execute(claim, DISPUTE, dispute_problem, dispute_answer, async |claim| {
        act_on_dispute(&app.services, &account, action, mode, claim).await
    })
    .await
}

/// Credits the amount of an OPEN dispute until the network decides. Florin extension.
#[utoipa::path(post, path = "/v2/cards/simulations/disputes/{disputeId}/provisional-credit", tag = "Simulations",
    operation_id = "creditDispute",
    params(DisputePath, AccountParameter, DryRunParameter, IdempotencyKeyHeader),
    responses((status = 201, description = "The record of the message, and the dispute.",
        body = DisputeMessageAnswer<'static>), DisputeErrors))]
pub(crate) async fn credit(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &SIMULATE).await?;
    let mode = call.mode()?;
    call.no_body(payload).await?;
    let key = call.idempotency_key();
    let path = call.read::<DisputePath>();
    let account_id = call.account_id();
    let account = call.account(account_id).await?;
    let action = (read(path)?.id, DisputeAction::Credit);
    let claim = claim_without_body(&call, key, &account, |done| message_answer(done, None));
    execute(claim, DISPUTE, dispute_problem, message_answer, async |claim| {
        act_on_dispute(&app.services, &account, action, mode, claim).await
    })
    .await
}

/// Decides an OPEN dispute as the network does. Florin extension.
///
/// A won dispute pays the amount to the budget, unless a provisional credit did. A lost one takes a provisional credit
/// back, which may overdraw the budget; without a credit it causes no message.
#[utoipa::path(post, path = "/v2/cards/simulations/disputes/{disputeId}/resolve", tag = "Simulations",
    operation_id = "resolveDispute", request_body = ResolveBody,
    params(DisputePath, AccountParameter, DryRunParameter, IdempotencyKeyHeader),
    responses((status = 201, description = "The record of the message, and the dispute.",
        body = DisputeMessageAnswer<'static>), DisputeErrors))]
pub(crate) async fn resolve(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &SIMULATE).await?;
    let mode = call.mode()?;
    let mut write = call.with_body(payload).await?;
    let path = write.call.read::<DisputePath>();
    let body = write.read::<ResolveBody>()?;
    let account = write.account().await?;
    let action = (read(path)?.id, DisputeAction::Resolve(read(body)?.outcome));
    let claim = claim(&write, &account, false, |done| message_answer(done, None))?;
    execute(claim, DISPUTE, dispute_problem, message_answer, async |claim| {
        act_on_dispute(&app.services, &account, action, mode, claim).await
    })
    .await
}
