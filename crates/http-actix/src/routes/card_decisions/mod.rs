//! `/v2/card-decisions`: the endpoint of an account that decides on its card messages (contract 5.7)

mod common;
pub(crate) mod delete;
pub(crate) mod find;
pub(crate) mod rotate_secret;
pub(crate) mod set;

use crate::routes::operation::run;
use crate::routes::resources::{get_or_head, post, resource_allowing};
use actix_web::web::{self, ServiceConfig};

/// Registers the routes of decision endpoints.
pub(super) fn configure(config: &mut ServiceConfig) {
    let endpoint = resource_allowing("", "GET, HEAD, PUT, DELETE")
        .route(run(get_or_head(), find::handle))
        .route(run(web::put(), set::handle))
        .route(run(web::delete(), delete::handle));
    config.service(endpoint).service(post("/rotate-secret", rotate_secret::handle));
}
