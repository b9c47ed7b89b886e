//! `PATCH /v2/budgets/{budgetId}` (contract 5.6)

use super::common::{BUDGET, BudgetPath, Features, WRITE};
use crate::call::Call;
use crate::declare::{AccountParameter, Clearable, IdempotencyKeyHeader, ZeroOrMoreNumber, body};
use crate::idempotency::{claim, execute};
use crate::mapping::edit_budget_problem;
use crate::problem::{Problem, expect_valid};
use crate::reply::answer;
use crate::routes::error_sets::EditBudgetErrors;
use crate::state::App;
use crate::views::BudgetView;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::edit_budget;
use florin_domain::budget::{BudgetEdit, BudgetRecord, BudgetStatus};
use florin_domain::money::Currency;
use florin_domain::text::Text;
use florin_ports::StoredResponse;

body! {
    /// The changes. Omitted members keep their values.
    pub(crate) struct EditBudgetBody as "EditBudgetRequest" {
        /// New display name.
        "name" => name: Option<Text<1, 75>>,
        /// Whether to show the budget to people: `active` or `hidden`.
        "status" => status: Option<BudgetStatus>,
        /// Replaces all features. Existing cards and batches are not affected.
        "features" => features: Option<Features>,
        /// The balance below which you consider the budget low; null removes it.
        #[example(100.00)]
        "lowBalanceThreshold" => low_balance: Clearable<ZeroOrMoreNumber>,
        /// The currency of the threshold; it requires `lowBalanceThreshold`. Default: the currency of the existing
        /// threshold; if there is none, GBP if the budget holds it, else the first currency of the budget.
        "lowBalanceCurrencyCode" => low_balance_currency: Option<Currency>,
    }
}

/// Changes the name, the status, the features or the threshold of a budget.
///
/// The parent budget can be changed, too. Example: `{"name": "Trips", "lowBalanceThreshold": 100.00}`.
#[utoipa::path(patch, path = "/v2/budgets/{budgetId}", tag = "Budgets", operation_id = "updateBudget",
    security(("apiKey" = [WRITE.scope])),
    request_body = EditBudgetBody,
    params(BudgetPath, AccountParameter, IdempotencyKeyHeader),
    responses((status = 200, description = "The budget, without `balance` and `totalBalance`.", body = BudgetView),
        EditBudgetErrors))]
pub(crate) async fn handle(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let mut write = Call::enter(&app, &request, &WRITE).await?.with_body(payload).await?;
    let budget = write.call.read::<BudgetPath>();
    let body = write.read::<EditBudgetBody>()?;
    let account = write.account().await?;
    let claim = claim(&write, &account, false, render)?;
    let (budget, body) = (expect_valid(budget)?.id, expect_valid(body)?);
    let edit = BudgetEdit {
        name: body.name,
        status: body.status,
        features: body.features.map(|features| features.0),
        low_balance: body.low_balance.changed().map(|to| to.map(|threshold| threshold.0)),
        low_balance_currency: body.low_balance_currency,
    };
    execute(claim, (BUDGET, "budget"), edit_budget_problem, render, async |claim| {
        edit_budget(&app.management, &account, budget, edit, claim).await
    })
    .await
}

fn render(record: &BudgetRecord) -> StoredResponse {
    answer(StatusCode::OK, &BudgetView::new(record.clone()))
}
