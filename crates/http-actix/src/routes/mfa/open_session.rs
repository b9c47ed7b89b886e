//! `POST /v2/mfa/sessions` (contract 3.2)

use crate::call::Call;
use crate::declare::{AccountParameter, IdempotencyKeyHeader, MfaProvider, body};
use crate::idempotency::{claim, execute};
use crate::mapping::open_problem;
use crate::problem::{Problem, expect_valid};
use crate::reply::answer;
use crate::routes::error_sets::MfaSessionErrors;
use crate::state::App;
use crate::views::Time;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::{OpenMfaSessionRequest, Requirement, open_mfa_session};
use florin_domain::access::Scope;
use florin_domain::ids::PaymentBatchId;
use florin_domain::mfa::{MfaProviderName, MfaSession};
use florin_ports::StoredResponse;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

const REQUIREMENT: Requirement = Requirement::of(Scope::PaymentBatchesConfirm);

/// A multi-factor authentication session.
#[derive(Serialize, ToSchema)]
#[schema(as = MfaSession)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MfaSessionView {
    /// The id of the session.
    #[schema(value_type = String, format = Uuid)]
    session_id: Uuid,
    /// The provider that checks the token.
    #[schema(pattern = "^(totp|sandbox)$")]
    provider: &'static str,
    /// When the session expires.
    #[schema(value_type = String, format = DateTime)]
    expires_at: Time,
}

body! {
    /// The batch to confirm, and the provider that checks the token.
    pub(crate) struct OpenMfaSessionBody as "OpenMfaSessionRequest" {
        /// The payment batch to confirm.
        "paymentBatchId" => batch: PaymentBatchId,
        /// The provider: `totp`, `sandbox` (in the sandbox only), or `fx-mfa-service` for the default provider of the
        /// environment. Default: `fx-mfa-service`.
        "provider" => provider: Option<MfaProvider>,
    }
}

/// Opens a multi-factor authentication session for one payment batch.
///
/// Florin extension.
#[utoipa::path(post, path = "/v2/mfa/sessions", tag = "Payment batches", operation_id = "openMfaSession",
    security(("apiKey" = [REQUIREMENT.scope])),
    request_body = OpenMfaSessionBody,
    params(AccountParameter, IdempotencyKeyHeader),
    responses((status = 201, description = "The session.", body = MfaSessionView), MfaSessionErrors))]
pub(crate) async fn handle(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let mut write = Call::enter(&app, &request, &REQUIREMENT).await?.with_body(payload).await?;
    let body = write.read::<OpenMfaSessionBody>()?;
    let account = write.account().await?;
    let OpenMfaSessionBody { batch, provider } = expect_valid(body)?;
    let default = || MfaProviderName::default_in(app.services.environment);
    let open = OpenMfaSessionRequest { batch, provider: provider.map_or_else(default, |provider| provider.0) };
    let claim = claim(&write, &account, false, render)?;
    let object = ("body.paymentBatchId", "payment batch");
    execute(claim, object, open_problem, render, async |claim| {
        open_mfa_session(&app.services, &write.call.caller, &account, open, claim).await
    })
    .await
}

fn render(session: &MfaSession) -> StoredResponse {
    let view = MfaSessionView {
        session_id: session.id.0,
        provider: session.provider.as_str(),
        expires_at: Time(session.expires_at),
    };
    answer(StatusCode::CREATED, &view)
}
