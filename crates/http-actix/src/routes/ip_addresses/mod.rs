//! `/v2/ipaddresses`

mod common;
pub(crate) mod create;
pub(crate) mod delete;
pub(crate) mod list;

use crate::routes::operation::run;
use crate::routes::resources::{get_or_head, resource_allowing};
use actix_web::web::{self, ServiceConfig};

/// Registers the routes of the networks that a client may call from.
pub(super) fn configure(config: &mut ServiceConfig) {
    let all = resource_allowing("", "GET, HEAD, POST")
        .route(run(get_or_head(), list::handle))
        .route(run(web::post(), create::handle));
    let single = resource_allowing("/{ipAddressId}", "DELETE").route(run(web::delete(), delete::handle));
    config.service(all).service(single);
}
