//! Refunds of merchants' payments.

mod common;
pub(crate) mod create;
pub(crate) mod find;

pub(crate) use common::{REFUND, RefundPath};
