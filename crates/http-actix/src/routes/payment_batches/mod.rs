//! `/v2/payment-batches`

pub(crate) mod confirm;
