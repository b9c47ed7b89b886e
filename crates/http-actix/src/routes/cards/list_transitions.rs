//! `GET /v2/cards/{cardId}/transitions`

use super::common::{CardPath, READ, no_card};
use crate::call::Call;
use crate::declare::{AccountParameter, PageParameters};
use crate::problem::{Problem, expect_valid};
use crate::reply::ok_list;
use crate::routes::error_sets::ListErrors;
use crate::state::App;
use crate::views::{List, TransitionView};
use actix_web::{HttpRequest, HttpResponse, web};

/// Lists the state changes of a card, newest first. Florin extension.
#[utoipa::path(get, path = "/v2/cards/{cardId}/transitions", tag = "Cards", operation_id = "listCardTransitions",
    security(("apiKey" = [READ.scope])),
    params(CardPath, AccountParameter, PageParameters),
    responses((status = 200, description = "One page of state changes.", body = List<TransitionView>), ListErrors))]
pub(crate) async fn handle(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &READ).await?;
    let card = call.read::<CardPath>();
    let account_id = call.account_id();
    let page = call.page();
    let account = call.account(account_id).await?;
    let found =
        app.management.cards.transitions(&account.id, expect_valid(card)?.id, page).await?.ok_or_else(no_card)?;
    ok_list(&List::new(page, found, TransitionView::from))
}
