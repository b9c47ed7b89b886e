//! `/v2/activity/{accountId}` (contract 5.6)

mod common;
pub(crate) mod find;
pub(crate) mod list;
