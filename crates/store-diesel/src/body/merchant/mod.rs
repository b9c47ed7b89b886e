//! Merchants and banks.

mod banks;
mod checkouts;
mod counts;
mod edit_checkouts;
mod logos;
mod page;
mod payees;
mod profiles;
mod settlement_accounts;

use super::body;

pub(crate) use banks::insert_banks;
pub(crate) use counts::miscounted;
pub(crate) use edit_checkouts::{find as find_checkout, insert_checkouts};
pub(crate) use logos::copied_logo;
pub(crate) use payees::{find as find_payee, insert_payees};
pub(crate) use profiles::{insert_profile, is_merchant, may_reconcile};
pub(crate) use settlement_accounts::{
    insert_settlement_accounts, of_account as settlement_accounts_of, refund_sources,
};

/// Number of rows that one statement inserts.
const ROWS_AT_ONCE: usize = 500;
