//! Maps errors of use cases to responses. The matches are exhaustive, so that no error is forgotten.

mod access;
mod batches;
mod budgets;
mod cards;
mod checkouts;
mod disputes;
mod merchants;
mod networks;
mod people;
mod range;
mod webhooks;
mod worlds;
mod write;

pub(crate) use batches::{BATCH, cancel_problem, confirm_problem, no_batch, open_problem, upload_problem};
pub(crate) use budgets::{create_budget_problem, credit_problem, edit_budget_problem, transfer_problem};
pub(crate) use cards::{
    card_problem, change_card_problem, create_card_problem, endpoint_problem, first_message_problem, limit_problem,
    physical_card_problem, removal_problem, replace_card_problem,
};
pub(crate) use checkouts::{
    authorise_refund_problem, create_refund_problem, create_session_problem, create_top_up_problem, session_problem,
};
pub(crate) use disputes::dispute_problem;
pub(crate) use merchants::{
    checkout_problem, create_payee_problem, edit_profile_problem, logo_problem, logo_refusal, payee_problem,
    settlement_problem, shopping_only,
};
pub(crate) use networks::network_problem;
pub(crate) use people::{create_person_problem, edit_person_problem};
pub(crate) use webhooks::webhook_problem;
pub(crate) use worlds::{clock_problem, create_world_problem, import_problem, snapshot_problem};
pub(crate) use write::write_problem;
