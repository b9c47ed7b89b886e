//! `GET /v2/budgets/{budgetId}/explanation`

use super::common::BudgetPath;
use crate::call::Call;
use crate::declare::{AccountParameter, PageParameters, parameters};
use crate::problem::{Problem, expect_valid};
use crate::reply::ok;
use crate::routes::error_sets::SandboxListErrors;
use crate::state::App;
use crate::views::ExplanationView;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::{Requirement, explain_balance};
use florin_domain::access::Scope;
use florin_domain::money::Currency;

const REQUIREMENT: Requirement = Requirement::sandbox(Scope::BudgetsRead);

parameters! {
    /// The balance to explain.
    pub(crate) struct ExplainParameters in Query {
        /// One of the currencies that the budget holds.
        "currencyCode" => currency: Currency,
    }
}

/// Explains a balance and proves that it adds up.
///
/// Returns the journal transactions with running balances (`postings`), the open holds and the reservations, all from
/// one consistent read. Pagination applies to `postings`. Florin extension.
#[utoipa::path(get, path = "/v2/budgets/{budgetId}/explanation", tag = "Looking inside",
    operation_id = "explainBalance",
    security(("apiKey" = [REQUIREMENT.scope])),
    params(BudgetPath, AccountParameter, ExplainParameters, PageParameters),
    responses((status = 200, description = "The balance, explained.", body = ExplanationView), SandboxListErrors))]
pub(crate) async fn handle(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &REQUIREMENT).await?;
    let budget = call.read::<BudgetPath>();
    let account_id = call.account_id();
    let balance = call.read::<ExplainParameters>();
    let page = call.page();
    let account = call.account(account_id).await?;
    let balance = (expect_valid(budget)?.id, expect_valid(balance)?.currency);
    let explained = explain_balance(&app.services, &account, balance, page).await?;
    ok(&ExplanationView::from(&explained))
}
