//! `/v2/merchant/settlement-accounts`

use super::{bodies, common};

pub(crate) mod create;
pub(crate) mod delete;
pub(crate) mod edit;
pub(crate) mod find;
pub(crate) mod list;
