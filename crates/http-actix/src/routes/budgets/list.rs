//! `GET /v2/budgets` (contract 5.6)

use super::{READ, include_balances};
use crate::call::Call;
use crate::problem::Problem;
use crate::repeat::ok_list;
use crate::routes::error_sets::ReadErrors;
use crate::state::App;
use crate::views::{BudgetView, List};
use actix_web::{HttpRequest, HttpResponse, web};
use florin_domain::budget::BudgetFilter;
use florin_domain::ids::BudgetId;
use florin_domain::money::Currency;

/// The account's budgets, newest first.
#[utoipa::path(get, path = "/v2/budgets", tag = "Budgets", operation_id = "listBudgets",
    params(
        ("accountId" = String, Query, description = "The account to work with.", min_length = 1, max_length = 36),
        ("limit" = Option<i64>, Query, description = "The page size; 100 by default.", minimum = 1, maximum = 1000),
        ("offset" = Option<i64>, Query, description = "Items to skip; 0 by default.", minimum = 0),
        ("parentBudgetId" = Option<String>, Query, description = "Only the sub-budgets of this one.", format = Uuid),
        ("currencyCode" = Option<String>, Query, description = "Only those that hold this currency.",
            pattern = "^[A-Z]{3}$"),
        ("include" = Option<String>, Query, description = "`balances`: with what each holds.",
            pattern = "^balances$")),
    responses((status = 200, description = "One page of budgets.", body = List<BudgetView>), ReadErrors))]
pub(crate) async fn handle(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &READ).await?;
    let account_id = call.account_id();
    let page = call.query.page(&mut call.faults);
    let parent = call.query.one("parentBudgetId").and_then(|text| text.map(BudgetId::parse).transpose());
    let currency = call.query.one("currencyCode").and_then(|text| text.map(Currency::parse).transpose());
    let filter = BudgetFilter {
        parent: call.faults.take("query.parentBudgetId", parent).flatten(),
        currency: call.faults.take("query.currencyCode", currency).flatten(),
    };
    let with_balances = include_balances(&mut call);
    let account = call.account(account_id).await?;
    let found = app.management.budgets.list(&account.id, filter, page).await?;
    ok_list(&List::new(page, found, |record| BudgetView::new(record, with_balances)))
}
