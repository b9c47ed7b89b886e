//! `/v2/budgets` (contract 5.2, 5.6)

pub(crate) mod create;
pub(crate) mod explain;
pub(crate) mod find;
pub(crate) mod generate_credit;
pub(crate) mod list;
pub(crate) mod transfer;

use super::fallback::{get, many, post, reading};
use crate::call::Call;
use crate::middleware::catch_panic;
use actix_web::middleware::from_fn;
use actix_web::web::{self, ServiceConfig};
use florin_application::Permission;
use florin_domain::access::Scope;
use florin_domain::ids::BudgetId;

const READ: Permission = Permission::of(Scope::BudgetsRead);
const WRITE: Permission = Permission::of(Scope::BudgetsWrite);
/// What names a budget.
const BUDGET: &str = "path.budgetId";

/// The routes of budgets. The simulation comes first: its path could be taken for a budget's.
pub(super) fn configure(config: &mut ServiceConfig) {
    let budgets =
        many("/budgets", "GET, HEAD, POST").route(reading().to(list::handle)).route(web::post().to(create::handle));
    config
        .service(post("/budgets/generate-credit", generate_credit::handle))
        .service(budgets.wrap(from_fn(catch_panic)))
        .service(get("/budgets/{budgetId}", find::handle))
        .service(get("/budgets/{budgetId}/explanation", explain::handle))
        .service(post("/budgets/{budgetId}/transfer", transfer::handle));
}

/// The budget that the path names; a fault is noted.
fn budget_id(call: &mut Call<'_>) -> Option<BudgetId> {
    let id = BudgetId::parse(call.request.match_info().query("budgetId"));
    call.faults.take(BUDGET, id)
}

/// Whether balances are asked for; a fault is noted.
fn include_balances(call: &mut Call<'_>) -> bool {
    let included = call.query.one_of("include", &["balances"], |name| name);
    call.faults.take("query.include", included).flatten().is_some()
}
