//! `/v2/cards/simulations/disputes`: disputes of settled purchases and debits (contract 5.7). Florin extensions.

pub(crate) mod act;
pub(crate) mod open;
pub(crate) mod read;

use crate::declare::parameters;
use crate::middleware::catch_panic;
use crate::reply::answer;
use crate::routes::fallback::{get, get_or_head, post, resource_allowing};
use crate::views::{DisputeAnswer, DisputeMessageAnswer, DryRunView};
use actix_web::http::StatusCode;
use actix_web::middleware::from_fn;
use actix_web::web::{self, ServiceConfig};
use florin_domain::card::decide::DisputeDone;
use florin_domain::ids::DisputeId;
use florin_ports::Answer;

/// The path parameter that names a dispute, and its kind.
const DISPUTE: (&str, &str) = ("path.disputeId", "dispute");

parameters! {
    /// Path parameter: a dispute.
    pub(crate) struct DisputePath in Path {
        /// The id of the dispute.
        "disputeId" => id: DisputeId,
    }
}

/// Registers the routes.
pub(super) fn configure(config: &mut ServiceConfig) {
    let disputes = resource_allowing("/disputes", "GET, HEAD, POST")
        .route(get_or_head().to(read::list))
        .route(web::post().to(open::handle));
    config
        .service(disputes.wrap(from_fn(catch_panic)))
        .service(get("/disputes/{disputeId}", read::find))
        .service(post("/disputes/{disputeId}/evidence", act::add_evidence))
        .service(post("/disputes/{disputeId}/provisional-credit", act::credit))
        .service(post("/disputes/{disputeId}/resolve", act::resolve));
}

/// Returns a 201 with a dispute.
fn dispute_answer(done: &DisputeDone, dry_run: Option<DryRunView>) -> Answer {
    answer(StatusCode::CREATED, &DisputeAnswer::new(done, dry_run))
}

/// Returns a 201 with a dispute and its message.
fn message_answer(done: &DisputeDone, dry_run: Option<DryRunView>) -> Answer {
    answer(StatusCode::CREATED, &DisputeMessageAnswer::new(done, dry_run))
}
