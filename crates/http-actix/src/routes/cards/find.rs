//! `GET /v2/cards/{cardId}` (contract 5.6)

use super::{READ, card_id, no_card};
use crate::call::Call;
use crate::problem::{Problem, read};
use crate::repeat::ok;
use crate::routes::error_sets::ReadErrors;
use crate::state::App;
use crate::views::CardView;
use actix_web::{HttpRequest, HttpResponse, web};

/// A card, in any state.
#[utoipa::path(get, path = "/v2/cards/{cardId}", tag = "Cards", operation_id = "getCard",
    params(
        ("cardId" = String, Path, description = "The card.", format = Uuid),
        ("accountId" = String, Query, description = "The account to work with.", min_length = 1, max_length = 36)),
    responses((status = 200, description = "The card.", body = CardView), ReadErrors))]
pub(crate) async fn handle(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &READ).await?;
    let card = card_id(&mut call);
    let account_id = call.account_id();
    let account = call.account(account_id).await?;
    let found = app.management.cards.find(&account.id, read(card)?).await?.ok_or_else(no_card)?;
    ok(&CardView::from(&found))
}
