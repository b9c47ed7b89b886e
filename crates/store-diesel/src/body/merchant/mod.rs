//! Checkouts and banks.

mod banks;
mod checkouts;
mod counts;
mod page;

use super::body;

pub(crate) use banks::insert_banks;
pub(crate) use checkouts::insert_checkouts;
pub(crate) use counts::miscounted;

/// Number of rows that one statement inserts.
const ROWS_AT_ONCE: usize = 500;
