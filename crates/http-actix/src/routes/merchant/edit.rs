//! `PATCH /v2/merchant`

use super::bodies::EditMerchantBody;
use super::common::{MERCHANT, WRITE_PROFILE, render_merchant};
use crate::call::Call;
use crate::declare::{AccountParameter, IdempotencyKeyHeader};
use crate::idempotency::{claim, execute};
use crate::mapping::edit_profile_problem;
use crate::problem::{Problem, expect_valid};
use crate::routes::error_sets::EditMerchantErrors;
use crate::state::App;
use crate::views::MerchantView;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::edit_merchant;

/// Changes the merchant profile of the account.
#[utoipa::path(patch, path = "/v2/merchant", tag = "Merchant", operation_id = "updateMerchant",
    security(("apiKey" = [WRITE_PROFILE.scope])),
    request_body = EditMerchantBody,
    params(AccountParameter, IdempotencyKeyHeader),
    responses((status = 200, description = "The merchant.", body = MerchantView), EditMerchantErrors))]
pub(crate) async fn handle(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let mut write = Call::enter(&app, &request, &WRITE_PROFILE).await?.with_body(payload).await?;
    let body = write.read::<EditMerchantBody>()?;
    let account = write.account().await?;
    app.merchants.active_profile(&account).await?;
    let render = render_merchant(&app);
    let claim = claim(&write, &account, false, render.clone())?;
    let edit = expect_valid(body)?.edit();
    execute(claim, MERCHANT, edit_profile_problem, render, async |claim| {
        edit_merchant(&app.merchants, &account, edit, claim).await
    })
    .await
}
