//! `GET /v2/cards/{cardId}` (contract 5.6)

use super::common::{CardPath, READ, no_card};
use crate::call::Call;
use crate::declare::AccountParameter;
use crate::problem::{Problem, expect_valid};
use crate::reply::ok;
use crate::routes::error_sets::ReadErrors;
use crate::state::App;
use crate::views::CardView;
use actix_web::{HttpRequest, HttpResponse, web};

/// Returns a card, in any state.
#[utoipa::path(get, path = "/v2/cards/{cardId}", tag = "Cards", operation_id = "getCard",
    security(("apiKey" = [READ.scope])),
    params(CardPath, AccountParameter),
    responses((status = 200, description = "The card.", body = CardView), ReadErrors))]
pub(crate) async fn handle(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &READ).await?;
    let card = call.read::<CardPath>();
    let account_id = call.account_id();
    let account = call.account(account_id).await?;
    let found = app.management.cards.find(&account.id, expect_valid(card)?.id).await?.ok_or_else(no_card)?;
    ok(&CardView::at(&found, app.management.time.now_of(&account)))
}
