//! `DELETE /v2/cards/{cardId}/spending-limits/{window}`

use super::common::{CARD, CardPath, WRITE};
use crate::call::Call;
use crate::declare::{AccountParameter, IdempotencyKeyHeader, parameters};
use crate::idempotency::{claim_without_body, execute};
use crate::mapping::removal_problem;
use crate::problem::{Problem, read};
use crate::reply::no_content;
use crate::routes::error_sets::ManagementErrors;
use crate::state::App;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::remove_limit;
use florin_domain::card::SpendingWindow;

parameters! {
    /// Path parameter: a spending limit.
    pub(crate) struct WindowPath in Path {
        /// The window of the limit.
        "window" => window: SpendingWindow,
    }
}

/// Removes a card's spending limit for a window, and its usage.
///
/// Florin extension.
#[utoipa::path(delete, path = "/v2/cards/{cardId}/spending-limits/{window}", tag = "Cards",
    operation_id = "removeSpendingLimit",
    params(CardPath, WindowPath, AccountParameter, IdempotencyKeyHeader),
    responses((status = 204, description = "Removed."), ManagementErrors))]
pub(crate) async fn handle(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &WRITE).await?;
    call.no_body(payload).await?;
    let key = call.idempotency_key();
    let (card, limit) = (call.read::<CardPath>(), call.read::<WindowPath>());
    let account_id = call.account_id();
    let account = call.account(account_id).await?;
    let claim = claim_without_body(&call, key, &account, |_| no_content());
    let (card, window) = (read(card)?.id, read(limit)?.window);
    execute(
        claim,
        (CARD, "card"),
        removal_problem,
        |_| no_content(),
        async |claim| remove_limit(&app.management, &account, card, window, claim).await,
    )
    .await
}
