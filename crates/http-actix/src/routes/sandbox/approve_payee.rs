//! `POST /v2/sandbox/merchant/payees/{payeeId}/approval`

use super::common::MERCHANTS;
use crate::call::Call;
use crate::declare::{AccountParameter, IdempotencyKeyHeader};
use crate::idempotency::{claim, execute};
use crate::mapping::payee_problem;
use crate::problem::{Problem, expect_valid};
use crate::reply::answer;
use crate::routes::error_sets::ApprovalErrors;
use crate::routes::merchant::{ApprovalBody, PAYEE, PayeePath};
use crate::state::App;
use crate::views::PayeeView;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::approve_payee;
use florin_domain::merchant::Payee;
use florin_ports::StoredResponse;

/// Approves or rejects a PENDING payee, as the operator would.
///
/// Florin extension.
#[utoipa::path(post, path = "/v2/sandbox/merchant/payees/{payeeId}/approval", tag = "Sandbox",
    operation_id = "approvePayee",
    security(("apiKey" = [MERCHANTS.scope])),
    request_body = ApprovalBody,
    params(PayeePath, AccountParameter, IdempotencyKeyHeader),
    responses((status = 200, description = "The payee.", body = PayeeView), ApprovalErrors))]
pub(crate) async fn handle(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let mut write = Call::enter(&app, &request, &MERCHANTS).await?.with_body(payload).await?;
    let path = write.call.read::<PayeePath>();
    let body = write.read::<ApprovalBody>()?;
    let account = write.account().await?;
    app.merchants.active_profile(&account).await?;
    let claim = claim(&write, &account, false, render)?;
    let (payee, approval) = (expect_valid(path)?.id, expect_valid(body)?.approval);
    let decision = (approval, app.merchants.time.now_of(&account));
    execute(claim, PAYEE, payee_problem, render, async |claim| {
        approve_payee(app.merchants.payees.as_ref(), account.id.clone(), payee, decision, claim).await
    })
    .await
}

fn render(payee: &Payee) -> StoredResponse {
    answer(StatusCode::OK, &PayeeView::from(payee))
}
