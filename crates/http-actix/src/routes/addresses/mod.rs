//! `/v2/addresses`

pub(crate) mod lookup;
