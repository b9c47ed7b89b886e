//! `POST /v2/mfa/sessions` (contract 3.2)

use crate::call::Call;
use crate::extract::members::{Members, string};
use crate::mapping::open_problem;
use crate::problem::{Problem, read};
use crate::repeat::{answer, claim, execute};
use crate::routes::error_sets::WriteErrors;
use crate::routes::mfa::provider;
use crate::state::App;
use crate::views::Time;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::{OpenSessionRequest, Permission, open_mfa_session};
use florin_domain::access::Scope;
use florin_domain::ids::PaymentBatchId;
use florin_domain::mfa::{MfaProviderName, MfaSession};
use florin_ports::Answer;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

const PERMISSION: Permission = Permission::of(Scope::PaymentBatchesConfirm);

/// A session.
#[derive(Serialize, ToSchema)]
#[schema(as = MfaSession)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SessionView {
    /// The session.
    #[schema(value_type = String, format = Uuid)]
    session_id: Uuid,
    /// Who checks its tokens.
    #[schema(pattern = "^(totp|sandbox)$")]
    provider: &'static str,
    /// When it ends.
    #[schema(value_type = String, format = DateTime)]
    expires_at: Time,
}

/// What to confirm, and how.
#[derive(ToSchema)]
#[schema(as = OpenMfaSessionRequest, rename_all = "camelCase")]
#[expect(dead_code, reason = "describes the body in the interface document")]
pub(crate) struct SessionBody {
    /// The batch to confirm.
    #[schema(format = Uuid)]
    payment_batch_id: String,
    /// `totp`, `sandbox` (in the sandbox only), or `fx-mfa-service`, which is the default one.
    #[schema(nullable = true, pattern = "^(totp|sandbox|fx-mfa-service)$")]
    provider: Option<String>,
}

/// Opens a multi-factor authentication session for one payment batch.
#[utoipa::path(post, path = "/v2/mfa/sessions", tag = "Payment batches", operation_id = "openMfaSession",
    request_body = SessionBody,
    params(
        ("accountId" = String, Query, description = "The account to work with.", min_length = 1, max_length = 36),
        ("Idempotency-Key" = Option<String>, Header, description = "One effect for all requests under one key.",
            min_length = 1, max_length = 255, pattern = "^[!-~]+$")),
    responses((status = 201, description = "The session.", body = SessionView), WriteErrors))]
pub(crate) async fn handle(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let mut write = Call::enter(&app, &request, &PERMISSION).await?.with_body(payload).await?;
    let faults = &mut write.call.faults;
    let environment = app.services.environment;
    let mut batch = None;
    let mut named = None;
    if let Some(mut members) = Members::of_body(write.body.as_ref(), faults) {
        batch = members.required("paymentBatchId", faults, |value| PaymentBatchId::parse(string(value)?));
        named = members.optional("provider", faults, |value| provider(value, environment)).flatten();
        members.finish(faults);
    }
    let account = write.account().await?;
    let provider = named.unwrap_or_else(|| MfaProviderName::default_in(environment));
    let open = OpenSessionRequest { batch: read(batch)?, provider };
    let claim = claim(&write, &account, false, render);
    let object = ("body.paymentBatchId", "payment batch");
    execute(claim, object, open_problem, render, async |claim| {
        open_mfa_session(&app.services, &write.call.caller, &account, open, claim).await
    })
    .await
}

fn render(session: &MfaSession) -> Answer {
    let view = SessionView {
        session_id: session.id.0,
        provider: session.provider.as_str(),
        expires_at: Time(session.expires_at),
    };
    answer(StatusCode::CREATED, &view)
}
