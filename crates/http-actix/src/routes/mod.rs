//! The routes, one operation a file.

mod activity;
mod addresses;
mod budgets;
mod cards;
mod error_sets;
mod fallback;
mod merchant;
mod mfa;
pub(crate) mod openapi;
mod payment_batches;
mod sandbox;
mod service;

use actix_web::web::{self, ServiceConfig};
use fallback::{get, post};

/// Every route there is.
pub(crate) fn configure(config: &mut ServiceConfig) {
    config
        .service(get("/healthz", service::healthz))
        .service(get("/readyz", service::readyz))
        .service(get("/metrics", service::metrics))
        .service(get("/openapi.json", openapi::serve))
        .service(get("/docs", service::docs))
        .service(get("/docs/{file:.*}", service::docs_file))
        .service(web::scope("/v2").configure(version_2))
        .default_service(web::to(fallback::not_found));
}

fn version_2(config: &mut ServiceConfig) {
    config
        .service(get("/merchant/checkouts", merchant::list_checkouts::handle))
        .service(get("/merchant/banks", merchant::list_banks::handle))
        .configure(payment_batches::configure)
        .configure(sandbox::configure)
        .service(post("/mfa/sessions", mfa::open_session::handle))
        .service(get("/addresses/lookup", addresses::lookup::handle))
        .service(get("/activity/{accountId}", activity::list::handle))
        .service(get("/activity/{accountId}/{activityId}", activity::find::handle))
        .service(get("/sandbox/invariants", sandbox::invariants::handle))
        .configure(budgets::configure)
        .configure(cards::configure)
        .default_service(web::to(fallback::not_found));
}
