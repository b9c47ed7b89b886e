//! The routes. Most files contain one operation.

mod accounts;
mod activity;
mod addresses;
mod budgets;
mod card_decisions;
mod cards;
mod error_sets;
pub(crate) mod events;
mod examples;
mod ip_addresses;
mod links;
mod merchant;
mod mfa;
pub(crate) mod openapi;
pub(crate) mod operation;
mod payment_batches;
mod people;
pub(crate) mod resources;
mod sandbox;
mod service;
mod webhooks;

use crate::{pages, payment_pages};
use actix_web::web::{self, ServiceConfig};
use resources::{get, post};

/// Registers the routes of the separate address for operators: health and metrics.
pub(crate) fn configure_admin(config: &mut ServiceConfig) {
    config
        .service(get("/healthz", service::healthz))
        .service(get("/readyz", service::readyz))
        .service(get("/metrics", service::render_metrics))
        .default_service(web::to(resources::not_found));
}

/// Registers all routes of the API's address.
pub(crate) fn configure(config: &mut ServiceConfig) {
    config
        .service(get("/healthz", service::healthz))
        .service(get("/readyz", service::readyz))
        .service(get("/metrics", service::public_metrics))
        .service(get("/openapi.json", openapi::serve))
        .service(get("/", pages::home))
        .service(get("/style.css", pages::style))
        .service(get("/docs", pages::docs))
        .service(get("/docs/{file:.*}", pages::docs_file))
        .configure(payment_pages::configure)
        .service(web::scope("/v2").configure(version_2))
        .default_service(web::to(resources::not_found));
}

/// Registers the routes below `/v2`, with a scope for each first part that several paths share. The router compares a
/// request with one path after another, and needs a regular expression for each path with parameters, but it skips a
/// scope after one comparison. A request that has entered a scope does not leave it again.
fn version_2(config: &mut ServiceConfig) {
    config
        .service(web::scope("/cards").configure(cards::configure))
        .service(web::scope("/budgets").configure(budgets::configure))
        .service(web::scope("/merchant").configure(merchant::configure))
        .service(web::scope("/payment-batches").configure(payment_batches::configure))
        .service(get("/payment-batch-template", payment_batches::template::handle))
        .service(post("/mfa/sessions", mfa::open_session::handle))
        .service(get("/addresses/lookup", addresses::lookup::handle))
        .service(web::scope("/activity").configure(activity::configure))
        .service(web::scope("/accounts").configure(accounts::configure))
        .service(web::scope("/people").configure(people::configure))
        .service(get("/roles", people::list_roles::handle))
        .service(web::scope("/ipaddresses").configure(ip_addresses::configure))
        .service(web::scope("/card-decisions").configure(card_decisions::configure))
        .service(get("/events", events::list::handle))
        .service(get("/events/stream", events::stream::handle))
        .service(web::scope("/webhooks").configure(webhooks::configure))
        .service(web::scope("/sandbox").configure(sandbox::configure))
        .default_service(web::to(resources::not_found));
}
