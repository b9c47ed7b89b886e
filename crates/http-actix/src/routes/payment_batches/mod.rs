//! `/v2/payment-batches` (contract 3)

pub(crate) mod cancel;
pub(crate) mod confirm;
pub(crate) mod create;
pub(crate) mod download;
pub(crate) mod edit;
mod file;
pub(crate) mod find;
pub(crate) mod list;
pub(crate) mod list_alerts;
pub(crate) mod list_payments;
pub(crate) mod template;
mod typed;
pub(crate) mod upload;
pub(crate) mod validate;

use super::fallback::{get, many, post, reading};
use crate::call::Call;
use crate::mapping::BATCH;
use crate::middleware::catch_panic;
use actix_web::middleware::from_fn;
use actix_web::web::{self, ServiceConfig};
use florin_application::Permission;
use florin_domain::access::Scope;
use florin_domain::ids::PaymentBatchId;

const READ: Permission = Permission::of(Scope::PaymentBatchesRead);
const WRITE: Permission = Permission::of(Scope::PaymentBatchesWrite);

/// The routes of payment batches.
pub(super) fn configure(config: &mut ServiceConfig) {
    let batches = many("/payment-batches", "GET, HEAD, POST")
        .route(reading().to(list::handle))
        .route(web::post().to(create::handle));
    let batch = many("/payment-batches/{paymentBatchId}", "GET, HEAD, PATCH, DELETE")
        .route(reading().to(find::handle))
        .route(web::patch().to(edit::handle))
        .route(web::delete().to(cancel::handle));
    let payments = many("/payment-batches/{paymentBatchId}/payments", "GET, HEAD, POST")
        .route(reading().to(list_payments::handle))
        .route(web::post().to(upload::handle));
    config
        .service(batches.wrap(from_fn(catch_panic)))
        .service(batch.wrap(from_fn(catch_panic)))
        .service(payments.wrap(from_fn(catch_panic)))
        .service(get("/payment-batches/{paymentBatchId}/alerts", list_alerts::handle))
        .service(get("/payment-batches/{paymentBatchId}/validate", validate::handle))
        .service(post("/payment-batches/{paymentBatchId}/payments/download", download::handle))
        .service(post("/payment-batches/{paymentBatchId}/confirm", confirm::handle))
        .service(get("/payment-batch-template", template::handle));
}

/// The batch that the path names; a fault is noted.
fn batch_id(call: &mut Call<'_>) -> Option<PaymentBatchId> {
    let id = PaymentBatchId::parse(call.request.match_info().query("paymentBatchId"));
    call.faults.take(BATCH, id)
}
