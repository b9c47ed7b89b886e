//! Shared parts of the operations on cards.

use crate::declare::parameters;
use crate::problem::Problem;
use crate::reply::answer;
use crate::views::{CardView, DryRunView, TransactionAnswer};
use actix_web::http::StatusCode;
use florin_application::Requirement;
use florin_domain::access::Scope;
use florin_domain::card::{CardProfile, CardTransaction};
use florin_domain::ids::CardId;
use florin_ports::StoredResponse;

pub(super) const READ: Requirement = Requirement::of(Scope::CardsRead);
pub(super) const WRITE: Requirement = Requirement::of(Scope::CardsWrite);
/// The requirement to order physical cards, which only the sandbox has.
pub(super) const ORDER_PHYSICAL: Requirement = Requirement::sandbox(Scope::CardsWrite);
/// The requirement to send card messages.
pub(super) const SIMULATE: Requirement = Requirement::sandbox(Scope::CardsSimulate);
/// The requirement to read what only the sandbox has: details of cards, chains and disputes.
pub(super) const READ_SANDBOX: Requirement = Requirement::sandbox(Scope::CardsRead);
/// The path parameter that names a card.
pub(super) const CARD: &str = "path.cardId";

parameters! {
    /// Path parameter: a card.
    pub(crate) struct CardPath in Path {
        /// The id of the card.
        "cardId" => id: CardId,
    }
}

/// Returns a 200 with a card that was just changed.
pub(super) fn card_answer(profile: &CardProfile) -> StoredResponse {
    answer(StatusCode::OK, &CardView::after_change(profile))
}

/// Returns a 201 with a new card.
pub(super) fn new_card_answer(profile: &CardProfile) -> StoredResponse {
    answer(StatusCode::CREATED, &CardView::after_change(profile))
}

/// Returns the 404 for a card.
pub(super) fn no_card() -> Problem {
    Problem::absent(CARD, "card")
}

/// Returns a 201 with the record of a card message.
pub(super) fn transaction_answer(record: &CardTransaction, dry_run: Option<DryRunView>) -> StoredResponse {
    answer(StatusCode::CREATED, &TransactionAnswer::new(record, dry_run))
}
