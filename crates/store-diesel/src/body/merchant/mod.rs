//! Merchants and banks.

mod banks;
mod checkouts;
mod counts;
mod edit_checkouts;
mod page;
mod payees;
mod profiles;
mod settlement_accounts;

use super::body;

pub(crate) use banks::insert_banks;
pub(crate) use counts::miscounted;
pub(crate) use edit_checkouts::insert_checkouts;
pub(crate) use payees::insert_payees;
pub(crate) use profiles::insert_profile;
pub(crate) use settlement_accounts::insert_settlement_accounts;

/// Number of rows that one statement inserts.
const ROWS_AT_ONCE: usize = 500;
