//! Shared parts of the operations on disputes.

use crate::declare::parameters;
use crate::reply::answer;
use crate::views::{DisputeAnswer, DisputeMessageAnswer, DryRunView};
use actix_web::http::StatusCode;
use florin_domain::card::decide::DisputeDone;
use florin_domain::ids::DisputeId;
use florin_ports::StoredResponse;

/// The path parameter and the kind of object in the 404 for a dispute.
pub(super) const DISPUTE: (&str, &str) = ("path.disputeId", "dispute");

parameters! {
    /// Path parameter: a dispute.
    pub(crate) struct DisputePath in Path {
        /// The id of the dispute.
        "disputeId" => id: DisputeId,
    }
}

/// Returns a 201 response that contains the dispute.
pub(super) fn dispute_answer(done: &DisputeDone, dry_run: Option<DryRunView>) -> StoredResponse {
    answer(StatusCode::CREATED, &DisputeAnswer::new(done, dry_run))
}

/// Returns a 201 response that contains the dispute, and the message that moved its money, if there is one.
pub(super) fn message_answer(done: &DisputeDone, dry_run: Option<DryRunView>) -> StoredResponse {
    answer(StatusCode::CREATED, &DisputeMessageAnswer::new(done, dry_run))
}
