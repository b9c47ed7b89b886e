//! `/v2/people` and `/v2/roles`

mod common;
pub(crate) mod create;
pub(crate) mod edit;
pub(crate) mod find;
pub(crate) mod list;
pub(crate) mod list_roles;

use crate::routes::operation::run;
use crate::routes::resources::{get_or_head, resource_allowing};
use actix_web::web::{self, ServiceConfig};

/// Registers the routes of people.
pub(super) fn configure(config: &mut ServiceConfig) {
    let people = resource_allowing("", "GET, HEAD, POST")
        .route(run(get_or_head(), list::handle))
        .route(run(web::post(), create::handle));
    let person = resource_allowing("/{personId}", "GET, HEAD, PATCH")
        .route(run(get_or_head(), find::handle))
        .route(run(web::patch(), edit::handle));
    config.service(people).service(person);
}
