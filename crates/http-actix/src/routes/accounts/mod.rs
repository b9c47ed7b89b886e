//! `/v2/accounts`

mod common;
pub(crate) mod find;
pub(crate) mod list;

use crate::routes::resources::get;
use actix_web::web::ServiceConfig;

/// Registers the routes of accounts.
pub(super) fn configure(config: &mut ServiceConfig) {
    config.service(get("", list::handle)).service(get("/{accountId}", find::handle));
}
