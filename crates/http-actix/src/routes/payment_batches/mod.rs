//! `/v2/payment-batches` (contract 3)

pub(crate) mod cancel;
mod common;
pub(crate) mod confirm;
pub(crate) mod create;
pub(crate) mod download;
pub(crate) mod edit;
pub(crate) mod find;
pub(crate) mod list;
pub(crate) mod list_alerts;
pub(crate) mod list_payments;
mod rows;
pub(crate) mod template;
pub(crate) mod upload;
pub(crate) mod validate;

use crate::routes::operation::run;
use crate::routes::resources::{get, get_or_head, post, resource_allowing};
use actix_web::web::{self, ServiceConfig};

/// Registers the routes of payment batches.
pub(super) fn configure(config: &mut ServiceConfig) {
    let batches = resource_allowing("", "GET, HEAD, POST")
        .route(run(get_or_head(), list::handle))
        .route(run(web::post(), create::handle));
    let batch = resource_allowing("/{paymentBatchId}", "GET, HEAD, PATCH, DELETE")
        .route(run(get_or_head(), find::handle))
        .route(run(web::patch(), edit::handle))
        .route(run(web::delete(), cancel::handle));
    let payments = resource_allowing("/{paymentBatchId}/payments", "GET, HEAD, POST")
        .route(run(get_or_head(), list_payments::handle))
        .route(run(web::post(), upload::handle));
    config
        .service(batches)
        .service(batch)
        .service(payments)
        .service(get("/{paymentBatchId}/alerts", list_alerts::handle))
        .service(get("/{paymentBatchId}/validate", validate::handle))
        .service(post("/{paymentBatchId}/payments/download", download::handle))
        .service(post("/{paymentBatchId}/confirm", confirm::handle));
}
