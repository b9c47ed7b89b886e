//! `POST /v2/sandbox/merchant/settlement-accounts/{settlementAccountId}/approval`

use super::common::MERCHANTS;
use crate::call::Call;
use crate::declare::{AccountParameter, IdempotencyKeyHeader};
use crate::idempotency::{claim, execute};
use crate::mapping::settlement_problem;
use crate::problem::{Problem, expect_valid};
use crate::reply::answer;
use crate::routes::error_sets::ApprovalErrors;
use crate::routes::merchant::{ApprovalBody, SETTLEMENT_ACCOUNT, SettlementAccountPath};
use crate::state::App;
use crate::views::SettlementAccountView;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::approve_settlement_account;
use florin_domain::merchant::SettlementAccountOverview;
use florin_ports::StoredResponse;

/// Approves or rejects a PENDING settlement account, as the operator would.
///
/// Florin extension.
#[utoipa::path(post, path = "/v2/sandbox/merchant/settlement-accounts/{settlementAccountId}/approval", tag = "Sandbox",
    operation_id = "approveSettlementAccount",
    security(("apiKey" = [MERCHANTS.scope])),
    request_body = ApprovalBody,
    params(SettlementAccountPath, AccountParameter, IdempotencyKeyHeader),
    responses((status = 200, description = "The settlement account.", body = SettlementAccountView),
        ApprovalErrors))]
pub(crate) async fn handle(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let mut write = Call::enter(&app, &request, &MERCHANTS).await?.with_body(payload).await?;
    let path = write.call.read::<SettlementAccountPath>();
    let body = write.read::<ApprovalBody>()?;
    let account = write.account().await?;
    app.merchants.active_profile(&account).await?;
    let claim = claim(&write, &account, false, render)?;
    let (id, approval) = (expect_valid(path)?.id, expect_valid(body)?.approval);
    let decision = (approval, app.merchants.time.now_of(&account));
    execute(claim, SETTLEMENT_ACCOUNT, settlement_problem, render, async |claim| {
        let accounts = app.merchants.settlement_accounts.as_ref();
        approve_settlement_account(accounts, account.id.clone(), id, decision, claim).await
    })
    .await
}

#[expect(clippy::ref_option, reason = "an answer is rendered from a reference to the result")]
fn render(decided: &Option<SettlementAccountOverview>) -> StoredResponse {
    answer(StatusCode::OK, &decided.as_ref().map(SettlementAccountView::from))
}
