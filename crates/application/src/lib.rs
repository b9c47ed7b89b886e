//! One use case a file: the order in which rules and ports are asked. No rule of the business lives here.

mod access;
mod cards;
mod confirm_batch;
pub mod demo;
mod expire_holds;
mod forget_answers;
mod generate_credit;
mod list_checkouts;
mod lookup_addresses;
mod open_mfa_session;
mod services;

pub use access::{AccessError, Permission, ReachError, identify, key_hash, permit, reach_account};
pub use cards::{send_first_message, send_follow_up};
pub use confirm_batch::{ConfirmBatchError, ConfirmRequest, MfaToken, confirm_batch};
pub use expire_holds::expire_holds;
pub use forget_answers::forget_answers;
pub use generate_credit::generate_credit;
pub use list_checkouts::{ListCheckoutsError, list_checkouts};
pub use lookup_addresses::lookup_addresses;
pub use open_mfa_session::{OpenSessionRequest, open_mfa_session};
pub use services::Services;
