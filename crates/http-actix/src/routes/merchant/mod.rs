//! `/v2/merchant`

mod bodies;
pub(crate) mod checkouts;
mod common;
pub(crate) mod edit;
pub(crate) mod find;
pub(crate) mod list_banks;
pub(crate) mod payees;
pub(crate) mod settlement_accounts;

pub(crate) use bodies::{ApprovalBody, SandboxMerchantBody};
pub(crate) use common::{PAYEE, PayeePath, SETTLEMENT_ACCOUNT, SettlementAccountPath};

use crate::middleware::catch_panic;
use crate::routes::fallback::{get, get_or_head, resource_allowing};
use actix_web::middleware::from_fn;
use actix_web::web::{self, ServiceConfig};

/// Registers the routes of merchants.
pub(super) fn configure(config: &mut ServiceConfig) {
    let merchant = resource_allowing("/merchant", "GET, HEAD, PATCH")
        .route(get_or_head().to(find::handle))
        .route(web::patch().to(edit::handle));
    let checkouts = resource_allowing("/merchant/checkouts", "GET, HEAD, POST")
        .route(get_or_head().to(checkouts::list::handle))
        .route(web::post().to(checkouts::create::handle));
    let checkout = resource_allowing("/merchant/checkouts/{checkoutId}", "GET, HEAD, PATCH")
        .route(get_or_head().to(checkouts::find::handle))
        .route(web::patch().to(checkouts::edit::handle));
    let settlement_accounts = resource_allowing("/merchant/settlement-accounts", "GET, HEAD, POST")
        .route(get_or_head().to(settlement_accounts::list::handle))
        .route(web::post().to(settlement_accounts::create::handle));
    let path = "/merchant/settlement-accounts/{settlementAccountId}";
    let settlement_account = resource_allowing(path, "GET, HEAD, PATCH, DELETE")
        .route(get_or_head().to(settlement_accounts::find::handle))
        .route(web::patch().to(settlement_accounts::edit::handle))
        .route(web::delete().to(settlement_accounts::delete::handle));
    let payees = resource_allowing("/merchant/payees", "GET, HEAD, POST")
        .route(get_or_head().to(payees::list::handle))
        .route(web::post().to(payees::create::handle));
    config
        .service(get("/merchant/banks", list_banks::handle))
        .service(get("/merchant/payees/{payeeId}", payees::find::handle))
        .service(merchant.wrap(from_fn(catch_panic)))
        .service(checkouts.wrap(from_fn(catch_panic)))
        .service(checkout.wrap(from_fn(catch_panic)))
        .service(settlement_accounts.wrap(from_fn(catch_panic)))
        .service(settlement_account.wrap(from_fn(catch_panic)))
        .service(payees.wrap(from_fn(catch_panic)));
}
