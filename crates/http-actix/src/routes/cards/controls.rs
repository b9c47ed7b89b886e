//! `/v2/cards/{cardId}/controls` (contract 5.6)

use super::common::{CARD, CardPath, READ, WRITE, no_card};
use crate::call::Call;
use crate::declare::{AccountParameter, ControlsBody, IdempotencyKeyHeader};
use crate::idempotency::{claim, execute};
use crate::mapping::change_card_problem;
use crate::problem::{Problem, expect_valid};
use crate::reply::{answer, ok};
use crate::routes::error_sets::{ReadErrors, SetErrors};
use crate::state::App;
use crate::views::ControlsView;
use actix_web::http::StatusCode;
use actix_web::web::{Data, Payload};
use actix_web::{HttpRequest, HttpResponse};
use florin_application::set_card_controls;
use florin_domain::card::CardProfile;
use florin_ports::StoredResponse;

/// Returns the controls of a card.
///
/// Florin extension.
#[utoipa::path(get, path = "/v2/cards/{cardId}/controls", tag = "Cards", operation_id = "getCardControls",
    security(("apiKey" = [READ.scope])),
    params(CardPath, AccountParameter),
    responses((status = 200, description = "The controls.", body = ControlsView), ReadErrors))]
pub(crate) async fn find(app: Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &READ).await?;
    let card = call.read::<CardPath>();
    let account_id = call.account_id();
    let account = call.account(account_id).await?;
    let found = app.management.cards.find(&account.id, expect_valid(card)?.id).await?.ok_or_else(no_card)?;
    ok(&ControlsView::from(&found.record.controls))
}

/// Replaces the controls of a card: where and how the card may be used.
///
/// The controls of its budget apply in addition. A declined message names the control that declined it.
/// Florin extension.
#[utoipa::path(put, path = "/v2/cards/{cardId}/controls", tag = "Cards", operation_id = "setCardControls",
    security(("apiKey" = [WRITE.scope])),
    request_body = ControlsBody,
    params(CardPath, AccountParameter, IdempotencyKeyHeader),
    responses((status = 200, description = "The controls.", body = ControlsView), SetErrors))]
pub(crate) async fn set(app: Data<App>, request: HttpRequest, payload: Payload) -> Result<HttpResponse, Problem> {
    let mut write = Call::enter(&app, &request, &WRITE).await?.with_body(payload).await?;
    let card = write.call.read::<CardPath>();
    let body = write.read::<ControlsBody>()?;
    let account = write.account().await?;
    let (card, controls) = (expect_valid(card)?.id, expect_valid(body)?.into());
    let claim = claim(&write, &account, false, render)?;
    execute(claim, (CARD, "card"), change_card_problem, render, async |claim| {
        set_card_controls(&app.management, &account, card, controls, claim).await
    })
    .await
}

fn render(profile: &CardProfile) -> StoredResponse {
    answer(StatusCode::OK, &ControlsView::from(&profile.record.controls))
}
