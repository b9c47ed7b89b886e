//! `GET /v2/sandbox/invariants`

use crate::call::Call;
use crate::declare::AccountParameter;
use crate::problem::Problem;
use crate::reply::ok;
use crate::routes::error_sets::SandboxReadErrors;
use crate::state::App;
use crate::views::InvariantsView;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::{Requirement, check_invariants};
use florin_domain::access::Scope;

const REQUIREMENT: Requirement = Requirement::sandbox(Scope::BudgetsRead);

/// Checks the invariants of the account's books.
///
/// All checks read the same consistent state. Each violated invariant is returned with a counterexample.
/// Florin extension.
#[utoipa::path(get, path = "/v2/sandbox/invariants", tag = "Looking inside", operation_id = "checkInvariants",
    security(("apiKey" = [REQUIREMENT.scope])),
    params(AccountParameter),
    responses((status = 200, description = "The result of each check.", body = InvariantsView),
        SandboxReadErrors))]
pub(crate) async fn handle(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &REQUIREMENT).await?;
    let account_id = call.account_id();
    let account = call.account(account_id).await?;
    let report = check_invariants(&app.services, &account).await?;
    ok(&InvariantsView::from(&report))
}
