//! `DELETE /v2/cards/{cardId}/spending-limits/{window}`

use super::{CARD, WRITE, card_id};
use crate::call::Call;
use crate::extract::body;
use crate::extract::headers::idempotency_key;
use crate::extract::query::find;
use crate::mapping::removal_problem;
use crate::problem::{Problem, read};
use crate::repeat::{claim_of, execute};
use crate::routes::error_sets::ManagementErrors;
use crate::state::App;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::remove_limit;
use florin_domain::card::SpendingWindow;
use florin_ports::{Answer, RecordedBody};

/// Removes the limit of a card over a window. What was used is forgotten with it. Extension of Florin.
#[utoipa::path(delete, path = "/v2/cards/{cardId}/spending-limits/{window}", tag = "Cards",
    operation_id = "removeSpendingLimit",
    params(
        ("cardId" = String, Path, description = "The card.", format = Uuid),
        ("window" = String, Path, description = "The window it counts over.", pattern = "^(DAY|WEEK|MONTH|LIFETIME)$"),
        ("accountId" = String, Query, description = "The account to work with.", min_length = 1, max_length = 36),
        ("Idempotency-Key" = Option<String>, Header, description = "One effect for all requests under one key.",
            min_length = 1, max_length = 255, pattern = "^[!-~]+$")),
    responses((status = 204, description = "Removed."), ManagementErrors))]
pub(crate) async fn handle(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &WRITE).await?;
    body::nothing(&request, payload, &mut call.faults).await?;
    let key = idempotency_key(&request, &mut call.faults);
    let card = card_id(&mut call);
    let window = find(request.match_info().query("window"), &SpendingWindow::ALL, SpendingWindow::as_str);
    let window = call.faults.take("path.window", window);
    let account_id = call.account_id();
    let account = call.account(account_id).await?;
    let claim = key.map(|key| claim_of(&call, key, &account, RecordedBody::Json(String::new()), render));
    let card = read(card)?;
    let window = read(window)?;
    let object = (CARD, "card");
    execute(claim, object, removal_problem, render, async |claim| {
        remove_limit(&app.management, &account, card, window, claim).await
    })
    .await
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "as every answer is rendered")]
fn render(_: &SpendingWindow) -> Answer {
    Answer { status: StatusCode::NO_CONTENT.as_u16(), body: String::new() }
}
