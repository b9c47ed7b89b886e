//! `/v2/merchant/payments`

mod common;
pub(crate) mod export;
pub(crate) mod find;
pub(crate) mod list;
mod write_csv;

pub(super) use common::{PAYMENT, PaymentPath};
