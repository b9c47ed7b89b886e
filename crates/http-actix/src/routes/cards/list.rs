//! `GET /v2/cards` (contract 5.6)

use super::common::READ;
use crate::call::Call;
use crate::declare::{AccountParameter, PageParameters, parameters};
use crate::problem::{Problem, read};
use crate::reply::ok_list;
use crate::routes::error_sets::ReadErrors;
use crate::state::App;
use crate::views::{CardView, List};
use actix_web::{HttpRequest, HttpResponse, web};
use florin_domain::card::{CardFilter, CardState};
use florin_domain::ids::{BudgetId, UserToken};

parameters! {
    /// Filters of the list of cards.
    pub(crate) struct CardParameters in Query {
        /// Only cards that spend from this budget.
        "budgetId" => budget: Option<BudgetId>,
        /// Only cards in this state.
        "state" => state: Option<CardState>,
        /// Only cards of this holder.
        "userToken" => user: Option<UserToken>,
    }
}

/// Lists the account's cards, newest first.
#[utoipa::path(get, path = "/v2/cards", tag = "Cards", operation_id = "listCards",
    params(AccountParameter, PageParameters, CardParameters),
    responses((status = 200, description = "One page of cards.", body = List<CardView>), ReadErrors))]
pub(crate) async fn handle(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &READ).await?;
    let account_id = call.account_id();
    let page = call.page();
    let filter = call.read::<CardParameters>();
    let account = call.account(account_id).await?;
    let CardParameters { budget, state, user } = read(filter)?;
    let found = app.management.cards.list(&account.id, CardFilter { budget, state, user }, page).await?;
    ok_list(&List::new(page, found, |record| CardView::from(&record)))
}
