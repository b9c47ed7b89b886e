//! `/v2/merchant`

mod amount;
mod bodies;
pub(crate) mod checkout_sessions;
pub(crate) mod checkouts;
mod common;
pub(crate) mod edit;
pub(crate) mod find;
pub(crate) mod find_order;
pub(crate) mod list_banks;
pub(crate) mod payees;
pub(crate) mod payments;
pub(crate) mod refunds;
pub(crate) mod set_logo;
pub(crate) mod settlement_accounts;
pub(crate) mod top_ups;

pub(crate) use bodies::{AdministerMerchantBody, ApprovalBody};
pub(crate) use checkout_sessions::{SESSION, SessionPath, ShippingBody, session_view};
pub(crate) use common::{PAYEE, PayeePath, SETTLEMENT_ACCOUNT, SettlementAccountPath, render_merchant};
pub(crate) use refunds::{REFUND, RefundPath};

use crate::routes::operation::run;
use crate::routes::resources::{get, get_or_head, post, resource_allowing};
use actix_web::web::{self, ServiceConfig};

/// Registers the routes of merchants.
pub(super) fn configure(config: &mut ServiceConfig) {
    let merchant = resource_allowing("", "GET, HEAD, PATCH")
        .route(run(get_or_head(), find::handle))
        .route(run(web::patch(), edit::handle));
    let logo = resource_allowing("/logo", "PATCH").route(run(web::patch(), set_logo::handle));
    let checkouts = resource_allowing("/checkouts", "GET, HEAD, POST")
        .route(run(get_or_head(), checkouts::list::handle))
        .route(run(web::post(), checkouts::create::handle));
    let checkout = resource_allowing("/checkouts/{checkoutId}", "GET, HEAD, PATCH")
        .route(run(get_or_head(), checkouts::find::handle))
        .route(run(web::patch(), checkouts::edit::handle));
    let settlement_accounts = resource_allowing("/settlement-accounts", "GET, HEAD, POST")
        .route(run(get_or_head(), settlement_accounts::list::handle))
        .route(run(web::post(), settlement_accounts::create::handle));
    let path = "/settlement-accounts/{settlementAccountId}";
    let settlement_account = resource_allowing(path, "GET, HEAD, PATCH, DELETE")
        .route(run(get_or_head(), settlement_accounts::find::handle))
        .route(run(web::patch(), settlement_accounts::edit::handle))
        .route(run(web::delete(), settlement_accounts::delete::handle));
    let payees = resource_allowing("/payees", "GET, HEAD, POST")
        .route(run(get_or_head(), payees::list::handle))
        .route(run(web::post(), payees::create::handle));
    config
        .service(get("/banks", list_banks::handle))
        .service(merchant)
        .service(logo)
        .service(checkouts)
        .service(settlement_accounts)
        .service(payees)
        .configure(configure_sessions)
        .service(get("/payees/{payeeId}", payees::find::handle))
        .service(checkout)
        .service(settlement_account);
}

/// Registers the routes of sessions, top-ups, payments, refunds and orders.
fn configure_sessions(config: &mut ServiceConfig) {
    let sessions = resource_allowing("/checkout-sessions", "GET, HEAD, POST")
        .route(run(get_or_head(), checkout_sessions::list::handle))
        .route(run(web::post(), checkout_sessions::create::handle));
    let session = "/checkout-sessions/{checkoutSessionId}";
    config
        .service(sessions)
        .service(get(session, checkout_sessions::find::handle))
        .service(post(&format!("{session}/cancel"), checkout_sessions::cancel::handle))
        .service(post("/top-ups", top_ups::create::handle))
        .service(get("/top-ups/{topUpId}", top_ups::find::handle))
        .service(post("/top-ups/{topUpId}/cancel", top_ups::cancel::handle))
        .service(get("/payments", payments::list::handle))
        .service(get("/payments/export", payments::export::handle))
        .service(get("/payments/{paymentId}", payments::find::handle))
        .service(post("/payments/{paymentId}/refunds", refunds::create::handle))
        .service(get("/refunds/{refundId}", refunds::find::handle))
        .service(get("/orders/{orderId}", find_order::handle));
}
