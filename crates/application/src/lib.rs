//! One use case a file: the order in which rules and ports are asked. No rule of the business lives here.

mod access;
mod batch_services;
mod cancel_batch;
mod cards;
mod clocks;
mod confirm_batch;
mod create_batch;
pub mod demo;
mod edit_batch;
mod expire_holds;
mod forget_answers;
mod generate_credit;
mod list_checkouts;
mod lookup_addresses;
mod open_mfa_session;
mod process_batches;
#[cfg(test)]
mod process_batches_tests;
mod services;
mod timekeeper;
mod upload_payments;
mod validate_batch;
mod worlds;

pub use access::{AccessError, Permission, ReachError, identify, key_hash, permit, reach_account};
pub use batch_services::{BatchServices, ProcessingLimits, ProcessingServices};
pub use cancel_batch::cancel_batch;
pub use cards::{send_first_message, send_follow_up};
pub use clocks::{read_clock, set_clock};
pub use confirm_batch::{ConfirmBatchError, ConfirmRequest, MfaToken, confirm_batch};
pub use create_batch::{NewBatch, create_batch};
pub use edit_batch::edit_batch;
pub use expire_holds::expire_holds;
pub use forget_answers::forget_answers;
pub use generate_credit::generate_credit;
pub use list_checkouts::{ListCheckoutsError, list_checkouts};
pub use lookup_addresses::lookup_addresses;
pub use open_mfa_session::{OpenSessionRequest, open_mfa_session};
pub use process_batches::process_batches;
pub use services::Services;
pub use timekeeper::{Moment, Timekeeper};
pub use upload_payments::{Upload, upload_payments};
pub use validate_batch::validate_batch;
pub use worlds::{
    MadeWorld, NewWorld, NewWorldTemplate, WORLD_LIFETIME, create_world, delete_world, find_world, list_worlds,
    restore_world, sweep_worlds, take_snapshot,
};
