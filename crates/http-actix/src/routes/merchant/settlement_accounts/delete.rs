//! `DELETE /v2/merchant/settlement-accounts/{settlementAccountId}`

use super::common::{SETTLEMENT_ACCOUNT, SettlementAccountPath, WRITE_SETTLEMENT_ACCOUNTS};
use crate::call::Call;
use crate::declare::{AccountParameter, IdempotencyKeyHeader};
use crate::idempotency::{claim_without_body, execute};
use crate::mapping::settlement_problem;
use crate::problem::{Problem, expect_valid};
use crate::reply::no_content;
use crate::routes::error_sets::CancelErrors;
use crate::state::App;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::delete_settlement_account;
use florin_domain::merchant::SettlementAccountOverview;
use florin_ports::StoredResponse;

/// Deletes a settlement account.
///
/// The response is 409 while a checkout names the settlement account or would have none left, and while a session that
/// has not ended, or a pending refund, uses it. If it is the default of its currency, the oldest other APPROVED
/// settlement account becomes the default.
#[utoipa::path(delete, path = "/v2/merchant/settlement-accounts/{settlementAccountId}", tag = "Merchant",
    operation_id = "deleteSettlementAccount",
    security(("apiKey" = [WRITE_SETTLEMENT_ACCOUNTS.scope])),
    params(SettlementAccountPath, AccountParameter, IdempotencyKeyHeader),
    responses((status = 204, description = "Deleted."), CancelErrors))]
pub(crate) async fn handle(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &WRITE_SETTLEMENT_ACCOUNTS).await?;
    call.no_body(payload).await?;
    let key = call.idempotency_key();
    let path = call.read::<SettlementAccountPath>();
    let account_id = call.account_id();
    let account = call.account(account_id).await?;
    app.merchants.active_profile(&account).await?;
    let claim = claim_without_body(&call, key, &account, render);
    let id = expect_valid(path)?.id;
    execute(claim, SETTLEMENT_ACCOUNT, settlement_problem, render, async |claim| {
        delete_settlement_account(&app.merchants, &account, id, claim).await
    })
    .await
}

#[expect(clippy::ref_option, reason = "an answer is rendered from a reference to the result")]
fn render(_: &Option<SettlementAccountOverview>) -> StoredResponse {
    no_content()
}
