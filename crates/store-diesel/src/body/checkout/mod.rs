//! Sessions of checkouts and top-ups of budgets, their payments and refunds.

mod act;
mod create;
mod due;
mod find;
mod lists;
mod payments;
mod refunds;
mod rows;
mod sessions;
mod tokens;

use super::body;

pub(crate) use due::awaiting;
pub(crate) use tokens::replace_tokens;
