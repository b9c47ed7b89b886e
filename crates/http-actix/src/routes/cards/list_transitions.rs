//! `GET /v2/cards/{cardId}/transitions`

use super::{READ, card_id, no_card};
use crate::call::Call;
use crate::problem::{Problem, read};
use crate::repeat::ok_list;
use crate::routes::error_sets::ReadErrors;
use crate::state::App;
use crate::views::{List, TransitionView};
use actix_web::{HttpRequest, HttpResponse, web};

/// How a card came to its state, the last step first. Extension of Florin.
#[utoipa::path(get, path = "/v2/cards/{cardId}/transitions", tag = "Cards", operation_id = "listCardTransitions",
    params(
        ("cardId" = String, Path, description = "The card.", format = Uuid),
        ("accountId" = String, Query, description = "The account to work with.", min_length = 1, max_length = 36),
        ("limit" = Option<i64>, Query, description = "The page size; 100 by default.", minimum = 1, maximum = 1000),
        ("offset" = Option<i64>, Query, description = "Items to skip; 0 by default.", minimum = 0)),
    responses((status = 200, description = "One page of transitions.", body = List<TransitionView>), ReadErrors))]
pub(crate) async fn handle(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &READ).await?;
    let card = card_id(&mut call);
    let account_id = call.account_id();
    let page = call.query.page(&mut call.faults);
    let account = call.account(account_id).await?;
    let found = app.management.cards.transitions(&account.id, read(card)?, page).await?.ok_or_else(no_card)?;
    ok_list(&List::new(page, found, TransitionView::from))
}
