//! `POST /v2/payment-batches/{paymentBatchId}/confirm` (contract 3.2)

use super::common::BatchPath;
use crate::call::Call;
use crate::declare::{AccountParameter, DryRunParameter, IdempotencyKeyHeader, MfaProvider, body};
use crate::dry_run::respond;
use crate::idempotency::claim;
use crate::mapping::confirm_problem;
use crate::problem::{Problem, expect_valid};
use crate::reply::answer;
use crate::routes::error_sets::ConfirmErrors;
use crate::state::App;
use crate::views::DryRunView;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::{ConfirmBatchError, ConfirmRequest, MfaToken, Requirement, confirm_batch};
use florin_domain::access::Scope;
use florin_domain::batch::{ConfirmRefusal, PaymentBatch};
use florin_domain::ids::MfaSessionId;
use florin_domain::mfa::MfaFailure;
use florin_domain::text::Text;
use florin_ports::{StoredResponse, WriteError};
use serde::Serialize;
use utoipa::ToSchema;

const REQUIREMENT: Requirement = Requirement::of(Scope::PaymentBatchesConfirm);

/// The status of a payment batch after its confirmation.
#[derive(Serialize, ToSchema)]
#[schema(as = PaymentBatchStatus)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ConfirmedView {
    #[schema(pattern = "^(draft|validated|confirmed|started|completed|failed|cancelled)$")]
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    dry_run: Option<DryRunView>,
}

body! {
    /// A confirmation.
    pub(crate) struct ConfirmBody as "ConfirmPaymentBatchRequest" {
        /// Multi-factor authentication. Required unless the account's policy waives it.
        "mfa" => mfa: Option<MfaBody>,
    }
}

body! {
    /// An MFA token and its session.
    pub(crate) struct MfaBody as "MfaRequest" {
        /// `totp`, `sandbox` (in the sandbox only), or `fx-mfa-service` for the default provider.
        "provider" => provider: MfaProvider,
        /// The id of the session, from `POST /v2/mfa/sessions`.
        "sessionId" => session: MfaSessionId,
        /// The MFA token.
        "token" => token: Text<1, 64>,
    }
}

impl From<MfaBody> for MfaToken {
    fn from(body: MfaBody) -> Self {
        Self { provider: body.provider.0, session: body.session, token: body.token.into_string() }
    }
}

/// Confirms a payment batch and reserves its funds.
#[utoipa::path(post, path = "/v2/payment-batches/{paymentBatchId}/confirm", tag = "Payment batches",
    operation_id = "confirmPaymentBatch", request_body = ConfirmBody,
    security(("apiKey" = [REQUIREMENT.scope])),
    params(BatchPath, AccountParameter, DryRunParameter, IdempotencyKeyHeader),
    responses((status = 200, description = "Confirmed.", body = ConfirmedView), ConfirmErrors))]
pub(crate) async fn handle(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &REQUIREMENT).await?;
    let mode = call.read_mode()?;
    let mut write = call.with_body(payload).await?;
    let batch = write.call.read::<BatchPath>();
    let body = write.read::<ConfirmBody>()?;
    let account = write.account().await?;
    let confirm = ConfirmRequest { batch: expect_valid(batch)?.id, mfa: expect_valid(body)?.mfa.map(MfaToken::from) };
    let claim = claim(&write, &account, true, |batch| render(batch, None))?;
    let recorded = claim.as_ref().map(|claim| claim.request.clone());
    let caller = &write.call.caller;
    let written = confirm_batch(&app.services, caller, &account, confirm, mode, claim).await;
    if let Err(ConfirmBatchError::Write(WriteError::Refused(ConfirmRefusal::Mfa(failure)))) = &written {
        let peer = request.peer_addr().map(|address| address.ip());
        app.services.refusals.count(peer, Some(caller.key.id), refusal_reason(*failure));
    }
    respond(written.map_err(|error| confirm_problem(error, recorded.as_deref()))?, render)
}

/// Returns the reason for refusing an MFA token, for the audit log.
fn refusal_reason(failure: MfaFailure) -> &'static str {
    match failure {
        MfaFailure::Failed => "wrong MFA token or session",
        MfaFailure::Expired => "expired MFA session",
        MfaFailure::Locked => "MFA is locked",
    }
}

fn render(batch: &PaymentBatch, dry_run: Option<DryRunView>) -> StoredResponse {
    answer(StatusCode::OK, &ConfirmedView { status: batch.status().as_str(), dry_run })
}
