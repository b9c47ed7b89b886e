//! `GET /v2/sandbox/invariants`

use crate::call::Call;
use crate::problem::Problem;
use crate::repeat::ok;
use crate::routes::error_sets::SandboxReadErrors;
use crate::state::App;
use crate::views::InvariantsView;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::{Permission, check_invariants};
use florin_domain::access::Scope;

const PERMISSION: Permission = Permission::sandbox(Scope::BudgetsRead);

/// Whether the books of the account agree, from one consistent read; where they don't, a counter-example. Extension of
/// Florin.
#[utoipa::path(get, path = "/v2/sandbox/invariants", tag = "Looking inside", operation_id = "checkInvariants",
    params(
        ("accountId" = String, Query, description = "The account to work with.", min_length = 1, max_length = 36)),
    responses((status = 200, description = "What holds, and what does not.", body = InvariantsView),
        SandboxReadErrors))]
pub(crate) async fn handle(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &PERMISSION).await?;
    let account_id = call.account_id();
    let account = call.account(account_id).await?;
    let report = check_invariants(&app.services, &account).await?;
    ok(&InvariantsView::from(&report))
}
