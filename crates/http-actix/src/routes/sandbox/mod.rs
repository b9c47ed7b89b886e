//! `/v2/sandbox`: clocks of accounts, worlds, invariants, settings of card messages, scenarios, and the simulated
//! decisions of operators, payers and merchants. Florin extension, sandbox only.

pub(crate) mod administer_merchant;
pub(crate) mod approve_payee;
pub(crate) mod approve_settlement_account;
pub(crate) mod authorise_refund;
mod common;
pub(crate) mod create_world;
pub(crate) mod delete_imported_snapshot;
pub(crate) mod delete_snapshot;
pub(crate) mod delete_world;
pub(crate) mod export_snapshot;
pub(crate) mod find_world;
pub(crate) mod hold_life;
pub(crate) mod import_snapshot;
pub(crate) mod invariants;
pub(crate) mod list_imported_snapshots;
pub(crate) mod list_snapshots;
pub(crate) mod list_worlds;
pub(crate) mod over_clearing;
pub(crate) mod pay_session;
pub(crate) mod read_clock;
pub(crate) mod renew_world;
pub(crate) mod restore_world;
pub(crate) mod scenarios;
pub(crate) mod set_clock;
pub(crate) mod take_snapshot;

use crate::routes::operation::run;
use crate::routes::resources::{get, get_or_head, post, resource_allowing};
use actix_web::web::{self, ServiceConfig};

/// Registers the routes of the sandbox.
pub(super) fn configure(config: &mut ServiceConfig) {
    let clock = resource_allowing("/clock", "GET, HEAD, POST")
        .route(run(get_or_head(), read_clock::handle))
        .route(run(web::post(), set_clock::handle));
    let hold_life = resource_allowing("/hold-life", "GET, HEAD, PUT")
        .route(run(get_or_head(), hold_life::find))
        .route(run(web::put(), hold_life::set));
    let over_clearing = resource_allowing("/over-clearing", "GET, HEAD, PUT")
        .route(run(get_or_head(), over_clearing::find))
        .route(run(web::put(), over_clearing::set));
    let worlds = resource_allowing("/worlds", "GET, HEAD, POST")
        .route(run(get_or_head(), list_worlds::handle))
        .route(run(web::post(), create_world::handle));
    let world = resource_allowing("/worlds/{accountId}", "GET, HEAD, DELETE")
        .route(run(get_or_head(), find_world::handle))
        .route(run(web::delete(), delete_world::handle));
    let snapshots = resource_allowing("/worlds/{accountId}/snapshots", "GET, HEAD, POST")
        .route(run(get_or_head(), list_snapshots::handle))
        .route(run(web::post(), take_snapshot::handle));
    let snapshot = resource_allowing("/worlds/{accountId}/snapshots/{snapshotId}", "DELETE")
        .route(run(web::delete(), delete_snapshot::handle));
    let file = resource_allowing("/worlds/{accountId}/snapshots/{snapshotId}/file", "GET, HEAD")
        .route(run(get_or_head(), export_snapshot::handle));
    let imported = resource_allowing("/snapshots", "GET, HEAD, POST")
        .route(run(get_or_head(), list_imported_snapshots::handle))
        .route(run(web::post(), import_snapshot::handle));
    let imported_snapshot = resource_allowing("/snapshots/{snapshotId}", "DELETE")
        .route(run(web::delete(), delete_imported_snapshot::handle));
    let merchant = resource_allowing("/merchant", "PATCH").route(run(web::patch(), administer_merchant::handle));
    let approval = "/merchant/settlement-accounts/{settlementAccountId}/approval";
    config
        .service(get("/invariants", invariants::handle))
        .service(clock)
        .service(hold_life)
        .service(over_clearing)
        .service(worlds)
        .service(world)
        .service(snapshots)
        .service(snapshot)
        .service(file)
        .service(imported)
        .service(imported_snapshot)
        .service(merchant)
        .service(post(approval, approve_settlement_account::handle))
        .service(post("/merchant/payees/{payeeId}/approval", approve_payee::handle))
        .service(post("/checkout-sessions/{checkoutSessionId}/pay", pay_session::handle))
        .service(post("/refunds/{refundId}/authorise", authorise_refund::handle))
        .service(post("/scenarios", scenarios::handle))
        .service(post("/worlds/{accountId}/renew", renew_world::handle))
        .service(post("/worlds/{accountId}/restore", restore_world::handle));
}
