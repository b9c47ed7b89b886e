//! `/v2/merchant`

pub(crate) mod list_banks;
pub(crate) mod list_checkouts;
