//! Checkout sessions and top-ups: creation, actions, and the steps that are due without an action.
//!
//! A step is due when a bank has reported a result, or when a time has passed, such as the expiry of a session.

mod act;
mod banks;
mod create;
mod settle;

pub use act::{act_at_stage, act_on_session};
pub use banks::{start_payment, start_refund};
pub use create::{NewSession, NewTopUp, create_session, create_top_up};
pub(crate) use settle::settle_account_checkouts;
pub use settle::{find_merchant_refund, find_session, settle_checkouts, settle_session};
