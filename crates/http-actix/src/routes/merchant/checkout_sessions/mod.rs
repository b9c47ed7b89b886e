//! `/v2/merchant/checkout-sessions`

mod bodies;
pub(crate) mod cancel;
mod common;
pub(crate) mod create;
pub(crate) mod find;
pub(crate) mod list;

pub(crate) use bodies::ShippingBody;
pub(super) use common::render_created;
pub(crate) use common::{SESSION, SessionPath, session_view};
