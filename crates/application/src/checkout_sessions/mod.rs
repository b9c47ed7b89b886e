//! Checkout sessions and top-ups: creation, steps, and what is due.

mod act;
mod banks;
mod create;
mod settle;

pub use act::{act_at_stage, act_on_session};
pub use banks::{start_payment, start_refund};
pub use create::{NewSession, NewTopUp, create_session, create_top_up};
pub(crate) use settle::settle_checkouts_of;
pub use settle::{find_merchant_refund, find_session, settle_checkouts, settle_session};
