//! `/v2/budgets/{budgetId}/controls` (contract 5.6)

use super::common::{BUDGET, BudgetPath, READ, WRITE};
use crate::call::Call;
use crate::declare::{AccountParameter, ControlsBody, IdempotencyKeyHeader};
use crate::idempotency::{claim, execute};
use crate::mapping::edit_budget_problem;
use crate::problem::{Problem, expect_valid};
use crate::reply::{answer, ok};
use crate::routes::error_sets::{ReadErrors, SetErrors};
use crate::state::App;
use crate::views::ControlsView;
use actix_web::http::StatusCode;
use actix_web::web::{Data, Payload};
use actix_web::{HttpRequest, HttpResponse};
use florin_application::set_budget_controls;
use florin_domain::budget::BudgetRecord;
use florin_ports::StoredResponse;

/// Returns the controls of a budget.
///
/// Florin extension.
#[utoipa::path(get, path = "/v2/budgets/{budgetId}/controls", tag = "Budgets", operation_id = "getBudgetControls",
    security(("apiKey" = [READ.scope])),
    params(BudgetPath, AccountParameter),
    responses((status = 200, description = "The controls.", body = ControlsView), ReadErrors))]
pub(crate) async fn find(app: Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &READ).await?;
    let budget = call.read::<BudgetPath>();
    let account_id = call.account_id();
    let account = call.account(account_id).await?;
    let found = app.management.budgets.find(&account.id, expect_valid(budget)?.id).await?;
    ok(&ControlsView::from(&found.ok_or_else(|| Problem::absent(BUDGET, "budget"))?.controls))
}

/// Replaces the controls of a budget: where and how the cards that spend from it may be used.
///
/// The controls of a card apply in addition. A declined message names the control that declined it. Florin extension.
#[utoipa::path(put, path = "/v2/budgets/{budgetId}/controls", tag = "Budgets", operation_id = "setBudgetControls",
    security(("apiKey" = [WRITE.scope])),
    request_body = ControlsBody,
    params(BudgetPath, AccountParameter, IdempotencyKeyHeader),
    responses((status = 200, description = "The controls.", body = ControlsView), SetErrors))]
pub(crate) async fn set(app: Data<App>, request: HttpRequest, payload: Payload) -> Result<HttpResponse, Problem> {
    let mut write = Call::enter(&app, &request, &WRITE).await?.with_body(payload).await?;
    let budget = write.call.read::<BudgetPath>();
    let body = write.read::<ControlsBody>()?;
    let account = write.account().await?;
    let (budget, controls) = (expect_valid(budget)?.id, expect_valid(body)?.into());
    let claim = claim(&write, &account, false, render)?;
    execute(claim, (BUDGET, "budget"), edit_budget_problem, render, async |claim| {
        set_budget_controls(&app.management, &account, budget, controls, claim).await
    })
    .await
}

fn render(record: &BudgetRecord) -> StoredResponse {
    answer(StatusCode::OK, &ControlsView::from(&record.controls))
}
