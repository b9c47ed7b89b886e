//! `GET /v2/cards/{cardId}/spending-limits` (contract 5.6)

use super::{READ, card_id, no_card};
use crate::call::Call;
use crate::problem::{Problem, read};
use crate::repeat::ok;
use crate::routes::error_sets::ReadErrors;
use crate::state::App;
use crate::views::LimitsView;
use actix_web::{HttpRequest, HttpResponse, web};

/// The limits of a card, with what was used in the windows that are on. One that has passed counts for nothing.
#[utoipa::path(get, path = "/v2/cards/{cardId}/spending-limits", tag = "Cards", operation_id = "listSpendingLimits",
    params(
        ("cardId" = String, Path, description = "The card.", format = Uuid),
        ("accountId" = String, Query, description = "The account to work with.", min_length = 1, max_length = 36)),
    responses((status = 200, description = "The limits.", body = LimitsView), ReadErrors))]
pub(crate) async fn handle(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &READ).await?;
    let card = card_id(&mut call);
    let account_id = call.account_id();
    let account = call.account(account_id).await?;
    let found = app.management.cards.limits(&account.id, read(card)?).await?.ok_or_else(no_card)?;
    ok(&LimitsView::at(&found, app.management.time.now_of(&account)))
}
