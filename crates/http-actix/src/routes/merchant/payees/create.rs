//! `POST /v2/merchant/payees`

use super::bodies::CreatePayeeBody;
use super::common::{MERCHANT, WRITE_PAYEES};
use crate::call::Call;
use crate::declare::{AccountParameter, IdempotencyKeyHeader};
use crate::idempotency::{claim, execute};
use crate::mapping::create_payee_problem;
use crate::problem::{Problem, expect_valid};
use crate::reply::answer;
use crate::routes::error_sets::ChangeErrors;
use crate::state::App;
use crate::views::PayeeView;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::create_payee;
use florin_domain::merchant::CreatedPayee;
use florin_ports::StoredResponse;

/// Creates a payee, or returns the existing payee with the same bank details.
///
/// A new payee is PENDING until the operator decides, or APPROVED immediately if the merchant has the permission
/// `canCreateTopUpCheckouts`. Responses show masked bank details.
#[utoipa::path(post, path = "/v2/merchant/payees", tag = "Merchant", operation_id = "createPayee",
    security(("apiKey" = [WRITE_PAYEES.scope])),
    request_body = CreatePayeeBody,
    params(AccountParameter, IdempotencyKeyHeader),
    responses((status = 200, description = "The payee with the same bank details, unchanged.", body = PayeeView),
        (status = 201, description = "The new payee.", body = PayeeView), ChangeErrors))]
pub(crate) async fn handle(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let mut write = Call::enter(&app, &request, &WRITE_PAYEES).await?.with_body(payload).await?;
    let body = write.read::<CreatePayeeBody>()?;
    let new = body.and_then(|CreatePayeeBody { name, currency, details }| {
        let details = details.read(currency, &app.merchants.modulus, &mut write.call.faults)?;
        Some((name, details))
    });
    let account = write.account().await?;
    app.merchants.active_profile(&account).await?;
    let claim = claim(&write, &account, true, render)?;
    let (name, details) = expect_valid(new)?;
    execute(claim, MERCHANT, create_payee_problem, render, async |claim| {
        create_payee(&app.merchants, &account, name, details, claim).await
    })
    .await
}

fn render(created: &CreatedPayee) -> StoredResponse {
    let status = if created.is_new { StatusCode::CREATED } else { StatusCode::OK };
    answer(status, &PayeeView::from(&created.payee))
}
