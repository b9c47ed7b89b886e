//! `/v2/merchant/payees`

use super::{bodies, common};

pub(crate) mod create;
pub(crate) mod find;
pub(crate) mod list;
