//! `/v2/merchant/checkouts`

use super::{bodies, common};

pub(crate) mod create;
pub(crate) mod edit;
pub(crate) mod find;
pub(crate) mod list;
