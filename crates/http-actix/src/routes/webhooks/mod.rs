//! `/v2/webhooks`: subscriptions to events, and their deliveries (contract 6.2, 6.3).

mod bodies;
mod common;
pub(crate) mod create;
pub(crate) mod delete;
pub(crate) mod edit;
pub(crate) mod event_types;
pub(crate) mod find;
pub(crate) mod list;
pub(crate) mod list_deliveries;
mod merchant_samples;
pub(crate) mod recover;
pub(crate) mod redeliver;
pub(crate) mod rotate_secret;
mod samples;
pub(crate) mod test;

pub(super) use bodies::ReceiverUrl;
pub(super) use rotate_secret::RotateSecretBody;

use crate::routes::operation::run;
use crate::routes::resources::{get, get_or_head, post, resource_allowing};
use actix_web::web::{self, ServiceConfig};

/// Registers the routes of subscriptions. The event types come first, because their path would otherwise match the
/// route with the id of a subscription.
pub(super) fn configure(config: &mut ServiceConfig) {
    let all = resource_allowing("", "GET, HEAD, POST")
        .route(run(get_or_head(), list::handle))
        .route(run(web::post(), create::handle));
    let single = resource_allowing("/{webhookId}", "GET, HEAD, PATCH, DELETE")
        .route(run(get_or_head(), find::handle))
        .route(run(web::patch(), edit::handle))
        .route(run(web::delete(), delete::handle));
    config
        .service(get("/event-types", event_types::handle))
        .service(all)
        .service(single)
        .service(post("/{webhookId}/rotate-secret", rotate_secret::handle))
        .service(post("/{webhookId}/test", test::handle))
        .service(post("/{webhookId}/recover", recover::handle))
        .service(get("/{webhookId}/deliveries", list_deliveries::handle))
        .service(post("/{webhookId}/deliveries/{messageId}/redeliver", redeliver::handle));
}
