//! `PATCH /v2/merchant/settlement-accounts/{settlementAccountId}`

use super::bodies::EditSettlementAccountBody;
use super::common::{SETTLEMENT_ACCOUNT, SettlementAccountPath, WRITE_SETTLEMENT_ACCOUNTS};
use crate::call::Call;
use crate::declare::{AccountParameter, IdempotencyKeyHeader};
use crate::idempotency::{claim, execute};
use crate::mapping::settlement_problem;
use crate::problem::{Problem, expect_valid};
use crate::reply::answer;
use crate::routes::error_sets::ChangeErrors;
use crate::state::App;
use crate::views::SettlementAccountView;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::edit_settlement_account;
use florin_domain::merchant::{SettlementAccountEdit, SettlementAccountOverview};
use florin_ports::StoredResponse;

/// Changes a settlement account.
#[utoipa::path(patch, path = "/v2/merchant/settlement-accounts/{settlementAccountId}", tag = "Merchant",
    operation_id = "updateSettlementAccount",
    security(("apiKey" = [WRITE_SETTLEMENT_ACCOUNTS.scope])),
    request_body = EditSettlementAccountBody,
    params(SettlementAccountPath, AccountParameter, IdempotencyKeyHeader),
    responses((status = 200, description = "The settlement account.", body = SettlementAccountView), ChangeErrors))]
pub(crate) async fn handle(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let mut write = Call::enter(&app, &request, &WRITE_SETTLEMENT_ACCOUNTS).await?.with_body(payload).await?;
    let path = write.call.read::<SettlementAccountPath>();
    let body = write.read::<EditSettlementAccountBody>()?;
    let account = write.account().await?;
    app.merchants.active_profile(&account).await?;
    let claim = claim(&write, &account, false, render)?;
    let (id, body) = (expect_valid(path)?.id, expect_valid(body)?);
    let edit = SettlementAccountEdit {
        name: body.name.changed(),
        bank: body.bank.changed(),
        make_default: body.make_default.is_some(),
    };
    execute(claim, SETTLEMENT_ACCOUNT, settlement_problem, render, async |claim| {
        edit_settlement_account(&app.merchants, &account, id, edit, claim).await
    })
    .await
}

#[expect(clippy::ref_option, reason = "an answer is rendered from a reference to the result")]
fn render(edited: &Option<SettlementAccountOverview>) -> StoredResponse {
    answer(StatusCode::OK, &edited.as_ref().map(SettlementAccountView::from))
}
