//! `/v2/cards/simulations/disputes`: disputes of settled purchases and debits (contract 5.7). Florin extensions.

pub(crate) mod actions;
pub(super) mod bodies;
pub(super) mod common;
pub(crate) mod open;
pub(crate) mod read;
pub(super) mod send;

use crate::routes::operation::run;
use crate::routes::resources::{get, get_or_head, resource_allowing};
use actix_web::web::{self, ServiceConfig};

/// Registers the routes that list, open and return disputes. `message_routes` registers the actions on a dispute.
pub(super) fn configure(config: &mut ServiceConfig) {
    let disputes = resource_allowing("/disputes", "GET, HEAD, POST")
        .route(run(get_or_head(), read::list))
        .route(run(web::post(), open::handle));
    config.service(disputes).service(get("/disputes/{disputeId}", read::find));
}
