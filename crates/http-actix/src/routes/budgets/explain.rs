//! `GET /v2/budgets/{budgetId}/explanation`

use crate::call::Call;
use crate::problem::{Problem, read};
use crate::repeat::ok;
use crate::routes::error_sets::SandboxReadErrors;
use crate::state::App;
use crate::views::ExplanationView;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::{Permission, explain_balance};
use florin_domain::access::Scope;
use florin_domain::fault::Flaw;
use florin_domain::ids::BudgetId;
use florin_domain::money::Currency;

const PERMISSION: Permission = Permission::sandbox(Scope::BudgetsRead);

/// What a balance is made of: journal transactions with running balances, open holds, reservations, and whether all of it
/// adds up, from one consistent read. Extension of Florin.
#[utoipa::path(get, path = "/v2/budgets/{budgetId}/explanation", tag = "Looking inside",
    operation_id = "explainBalance",
    params(
        ("budgetId" = String, Path, description = "The budget.", format = Uuid),
        ("accountId" = String, Query, description = "The account to work with.", min_length = 1, max_length = 36),
        ("currencyCode" = String, Query, description = "One of the currencies that the budget holds.",
            pattern = "^[A-Z]{3}$"),
        ("limit" = Option<i64>, Query, description = "The page size of postings; 100 by default.",
            minimum = 1, maximum = 1000),
        ("offset" = Option<i64>, Query, description = "Postings to skip; 0 by default.", minimum = 0)),
    responses((status = 200, description = "The balance, explained.", body = ExplanationView), SandboxReadErrors))]
pub(crate) async fn handle(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &PERMISSION).await?;
    let budget = BudgetId::parse(call.request.match_info().query("budgetId"));
    let budget = call.faults.take("path.budgetId", budget);
    let account_id = call.account_id();
    let currency = call.query.one("currencyCode").and_then(|code| Currency::parse(code.ok_or_else(Flaw::required)?));
    let currency = call.faults.take("query.currencyCode", currency);
    let page = call.query.page(&mut call.faults);
    let account = call.account(account_id).await?;
    let explained = explain_balance(&app.services, &account, (read(budget)?, read(currency)?), page).await?;
    ok(&ExplanationView::from(&explained))
}
