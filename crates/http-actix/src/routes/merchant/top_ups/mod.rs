//! `/v2/merchant/top-ups`

pub(crate) mod cancel;
mod common;
pub(crate) mod create;
pub(crate) mod find;
