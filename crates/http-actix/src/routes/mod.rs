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

fn version_2(config: &mut ServiceConfig) {
    config
        .configure(merchant::configure)
        .configure(people::configure)
        .configure(accounts::configure)
        .configure(ip_addresses::configure)
        .configure(payment_batches::configure)
        .configure(sandbox::configure)
        .service(post("/mfa/sessions", mfa::open_session::handle))
        .service(get("/addresses/lookup", addresses::lookup::handle))
        .service(get("/activity/{accountId}", activity::list::handle))
        .service(get("/activity/{type}/{id}", activity::find::handle))
        .service(get("/sandbox/invariants", sandbox::invariants::handle))
        .service(get("/events", events::list::handle))
        .service(get("/events/stream", events::stream::handle))
        .service(get("/webhooks/event-types", webhooks::event_types::handle))
        .configure(budgets::configure)
        .configure(card_decisions::configure)
        .configure(cards::configure)
        .configure(webhooks::configure)
        .default_service(web::to(resources::not_found));
}
