//! `/v2/activity` (contract 5.6)

mod common;
pub(crate) mod find;
pub(crate) mod list;
