//! `POST /v2/merchant/settlement-accounts`

use super::bodies::CreateSettlementAccountBody;
use super::common::{MERCHANT, WRITE_SETTLEMENT_ACCOUNTS};
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
use florin_application::create_settlement_account;
use florin_domain::merchant::SettlementAccountOverview;
use florin_ports::StoredResponse;

/// Creates a settlement account.
///
/// A new settlement account is PENDING until the operator decides, or APPROVED immediately if the merchant has the
/// permission `canCreateTopUpCheckouts`. The first APPROVED settlement account of a currency becomes its default.
/// Responses show masked bank details. An account has at most 100 settlement accounts.
#[utoipa::path(post, path = "/v2/merchant/settlement-accounts", tag = "Merchant",
    operation_id = "createSettlementAccount",
    security(("apiKey" = [WRITE_SETTLEMENT_ACCOUNTS.scope])),
    request_body = CreateSettlementAccountBody,
    params(AccountParameter, IdempotencyKeyHeader),
    responses((status = 201, description = "The settlement account.", body = SettlementAccountView), ChangeErrors))]
pub(crate) async fn handle(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let mut write = Call::enter(&app, &request, &WRITE_SETTLEMENT_ACCOUNTS).await?.with_body(payload).await?;
    let body = write.read::<CreateSettlementAccountBody>()?;
    let new = body.and_then(|CreateSettlementAccountBody { name, currency, details }| {
        let details = details.read(currency, &app.merchants.modulus, &mut write.call.faults)?;
        Some((name, details))
    });
    let account = write.account().await?;
    app.merchants.active_profile(&account).await?;
    let claim = claim(&write, &account, true, render)?;
    let (name, details) = expect_valid(new)?;
    execute(claim, MERCHANT, settlement_problem, render, async |claim| {
        create_settlement_account(&app.merchants, &account, name, details, claim).await
    })
    .await
}

#[expect(clippy::ref_option, reason = "an answer is rendered from a reference to the result")]
fn render(created: &Option<SettlementAccountOverview>) -> StoredResponse {
    answer(StatusCode::CREATED, &created.as_ref().map(SettlementAccountView::from))
}
