//! `/v2/budgets` (contract 5.2, 5.6)

mod common;
pub(crate) mod controls;
pub(crate) mod create;
pub(crate) mod edit;
pub(crate) mod explain;
pub(crate) mod find;
pub(crate) mod generate_credit;
pub(crate) mod list;
pub(crate) mod transfer;

use crate::routes::operation::run;
use crate::routes::resources::{get, get_or_head, post, resource_allowing};
use actix_web::web::{self, ServiceConfig};

/// Registers the routes of budgets. The simulation is registered first, because its path would otherwise
/// match the route with a budget id.
pub(super) fn configure(config: &mut ServiceConfig) {
    let budgets = resource_allowing("", "GET, HEAD, POST")
        .route(run(get_or_head(), list::handle))
        .route(run(web::post(), create::handle));
    let budget = resource_allowing("/{budgetId}", "GET, HEAD, PATCH")
        .route(run(get_or_head(), find::handle))
        .route(run(web::patch(), edit::handle));
    let controls = resource_allowing("/{budgetId}/controls", "GET, HEAD, PUT")
        .route(run(get_or_head(), controls::find))
        .route(run(web::put(), controls::set));
    config
        .service(post("/generate-credit", generate_credit::handle))
        .service(budgets)
        .service(budget)
        .service(controls)
        .service(get("/{budgetId}/explanation", explain::handle))
        .service(post("/{budgetId}/transfer", transfer::handle));
}
