//! `GET /v2/budgets/{budgetId}` (contract 5.6)

use super::{BUDGET, READ, budget_id, include_balances};
use crate::call::Call;
use crate::problem::{Problem, read};
use crate::repeat::ok;
use crate::routes::error_sets::ReadErrors;
use crate::state::App;
use crate::views::BudgetView;
use actix_web::{HttpRequest, HttpResponse, web};

/// A budget.
#[utoipa::path(get, path = "/v2/budgets/{budgetId}", tag = "Budgets", operation_id = "getBudget",
    params(
        ("budgetId" = String, Path, description = "The budget.", format = Uuid),
        ("accountId" = String, Query, description = "The account to work with.", min_length = 1, max_length = 36),
        ("include" = Option<String>, Query, description = "`balances`: with what it holds.",
            pattern = "^balances$")),
    responses((status = 200, description = "The budget.", body = BudgetView), ReadErrors))]
pub(crate) async fn handle(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &READ).await?;
    let budget = budget_id(&mut call);
    let with_balances = include_balances(&mut call);
    let account_id = call.account_id();
    let account = call.account(account_id).await?;
    let found = app.management.budgets.find(&account.id, read(budget)?).await?;
    let record = found.ok_or_else(|| Problem::absent(BUDGET, "budget"))?;
    ok(&BudgetView::new(record, with_balances))
}
