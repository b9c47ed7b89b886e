//! `/v2/activity` (contract 5.6)

mod common;
pub(crate) mod find;
pub(crate) mod list;

use crate::routes::resources::get;
use actix_web::web::ServiceConfig;

/// Registers the routes of activity.
pub(super) fn configure(config: &mut ServiceConfig) {
    config.service(get("/{accountId}", list::handle)).service(get("/{type}/{id}", find::handle));
}
