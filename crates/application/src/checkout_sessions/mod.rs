//! Checkout sessions and top-ups: creation, steps, and what is due.

mod act;
mod create;
mod settle;

pub use act::{act_at_stage, act_on_session, cancel_session, find_order, find_session, pay};
pub use create::{NewSession, NewTopUp, create_session, create_top_up};
pub use settle::settle_checkouts;
pub(crate) use settle::{settle_checkouts_of, settle_refund};
