//! `GET /v2/cards` (contract 5.6)

use super::READ;
use crate::call::Call;
use crate::problem::Problem;
use crate::repeat::ok_list;
use crate::routes::error_sets::ReadErrors;
use crate::state::App;
use crate::views::{CardView, List};
use actix_web::{HttpRequest, HttpResponse, web};
use florin_domain::card::{CardFilter, CardState};
use florin_domain::ids::{BudgetId, UserToken};

/// The account's cards, newest first.
#[utoipa::path(get, path = "/v2/cards", tag = "Cards", operation_id = "listCards",
    params(
        ("accountId" = String, Query, description = "The account to work with.", min_length = 1, max_length = 36),
        ("limit" = Option<i64>, Query, description = "The page size; 100 by default.", minimum = 1, maximum = 1000),
        ("offset" = Option<i64>, Query, description = "Items to skip; 0 by default.", minimum = 0),
        ("budgetId" = Option<String>, Query, description = "Only those that this budget pays for.", format = Uuid),
        ("state" = Option<String>, Query, description = "Only those in this state.",
            pattern = "^(UNACTIVATED|ACTIVE|SUSPENDED|REPLACED|TERMINATED)$"),
        ("userToken" = Option<String>, Query, description = "Only those of this holder.", format = Uuid)),
    responses((status = 200, description = "One page of cards.", body = List<CardView>), ReadErrors))]
pub(crate) async fn handle(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &READ).await?;
    let account_id = call.account_id();
    let page = call.query.page(&mut call.faults);
    let budget = call.query.one("budgetId").and_then(|text| text.map(BudgetId::parse).transpose());
    let state = call.query.one_of("state", &CardState::ALL, CardState::as_str);
    let user = call.query.one("userToken").and_then(|text| text.map(UserToken::parse).transpose());
    let filter = CardFilter {
        budget: call.faults.take("query.budgetId", budget).flatten(),
        state: call.faults.take("query.state", state).flatten(),
        user: call.faults.take("query.userToken", user).flatten(),
    };
    let account = call.account(account_id).await?;
    let found = app.management.cards.list(&account.id, filter, page).await?;
    ok_list(&List::new(page, found, |record| CardView::from(&record)))
}
