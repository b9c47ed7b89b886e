//! `POST /v2/payment-batches/{paymentBatchId}/confirm` (contract 3.2)

use crate::call::Call;
use crate::dry_run::send;
use crate::extract::members::{Members, string, text};
use crate::mapping::confirm_problem;
use crate::problem::{Problem, read};
use crate::repeat::{answer, claim};
use crate::routes::error_sets::ConfirmErrors;
use crate::routes::mfa::provider;
use crate::state::App;
use crate::views::DryRunView;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::{ConfirmRequest, MfaToken, Permission, confirm_batch};
use florin_domain::access::{Environment, Scope};
use florin_domain::batch::PaymentBatch;
use florin_domain::fault::Faults;
use florin_domain::ids::{MfaSessionId, PaymentBatchId};
use florin_ports::Answer;
use serde::Serialize;
use utoipa::ToSchema;

const PERMISSION: Permission = Permission::of(Scope::PaymentBatchesConfirm);

/// The batch's status.
#[derive(Serialize, ToSchema)]
#[schema(as = PaymentBatchStatus)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StatusView {
    #[schema(pattern = "^(draft|validated|confirmed|started|completed|failed|cancelled)$")]
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    dry_run: Option<DryRunView>,
}

/// Multi-factor authentication details.
#[derive(ToSchema)]
#[schema(as = ConfirmPaymentBatchRequest)]
#[expect(dead_code, reason = "describes the body in the interface document")]
pub(crate) struct ConfirmBody {
    /// Required, unless the account's policy says otherwise.
    #[schema(nullable = true, value_type = Option<Mfa>)]
    mfa: Option<Mfa>,
}

/// A token with its session.
#[derive(ToSchema)]
#[schema(as = MfaRequest, rename_all = "camelCase")]
#[expect(dead_code, reason = "describes the body in the interface document")]
struct Mfa {
    /// `totp`, `sandbox` (in the sandbox only), or `fx-mfa-service`, which is the default one.
    #[schema(pattern = "^(totp|sandbox|fx-mfa-service)$")]
    provider: String,
    /// The session, from `POST /v2/mfa/sessions`.
    #[schema(format = Uuid)]
    session_id: String,
    /// The token.
    #[schema(min_length = 1, max_length = 64)]
    token: String,
}

/// Confirms a payment batch and reserves its money.
#[utoipa::path(post, path = "/v2/payment-batches/{paymentBatchId}/confirm", tag = "Payment batches",
    operation_id = "confirmPaymentBatch", request_body = ConfirmBody,
    params(
        ("paymentBatchId" = String, Path, description = "The payment batch.", format = Uuid),
        ("accountId" = String, Query, description = "The account to work with.", min_length = 1, max_length = 36),
        ("dryRun" = Option<bool>, Query, description = "Extension of Florin, sandbox only: true answers what would happen, and writes nothing."),
        ("Idempotency-Key" = Option<String>, Header, description = "One effect for all requests under one key.",
            min_length = 1, max_length = 255, pattern = "^[!-~]+$")),
    responses((status = 200, description = "Confirmed.", body = StatusView), ConfirmErrors))]
pub(crate) async fn handle(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &PERMISSION).await?;
    let mode = call.mode()?;
    let mut write = call.with_body(payload).await?;
    let faults = &mut write.call.faults;
    let batch = PaymentBatchId::parse(request.match_info().query("paymentBatchId"));
    let batch = faults.take("path.paymentBatchId", batch);
    let mut mfa = None;
    if let Some(mut members) = Members::of_body(write.body.as_ref(), faults) {
        if let Some(Some(inner)) = members.optional_object("mfa", faults) {
            mfa = read_mfa(inner, app.services.environment, faults);
        }
        members.finish(faults);
    }
    let account = write.account().await?;
    let confirm = ConfirmRequest { batch: read(batch)?, mfa };
    let claim = claim(&write, &account, true, |batch| render(batch, None));
    let recorded = claim.as_ref().map(|claim| claim.request.clone());
    let caller = &write.call.caller;
    let written = confirm_batch(&app.services, caller, &account, confirm, mode, claim).await;
    send(written.map_err(|error| confirm_problem(error, recorded.as_ref()))?, render)
}

fn read_mfa(mut members: Members<'_>, environment: Environment, faults: &mut Faults) -> Option<MfaToken> {
    let provider = members.required("provider", faults, |value| provider(value, environment));
    let session = members.required("sessionId", faults, |value| MfaSessionId::parse(string(value)?));
    let token = members.required("token", faults, text::<1, 64>);
    members.finish(faults);
    Some(MfaToken { provider: provider?, session: session?, token: token?.into_string() })
}

fn render(batch: &PaymentBatch, dry_run: Option<DryRunView>) -> Answer {
    answer(StatusCode::OK, &StatusView { status: batch.status.as_str(), dry_run })
}
