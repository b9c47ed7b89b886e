//! Counts of checkouts, kept so that no query needs to count rows
//! ([why](../../../../../docs/adr/0007-counts-kept-beside-lists.md)).

use super::body::backend::Conn;
use super::body::errors::Outcome;
use super::body::kept_counts::{kept_counts, selected_accounts};
use super::body::tables::merchant::checkout_counts;
use diesel::prelude::*;
use florin_domain::ids::AccountId;
use florin_domain::merchant::{Checkout, CheckoutStatus, CheckoutType};
use std::collections::BTreeSet;

/// Selects accounts whose counts differ from their checkouts. `{of}` is replaced by the condition on the account.
const MISCOUNTED: &str = "SELECT account_id FROM \
    (SELECT account_id, checkout_type, status, total, 0 AS found FROM checkout_counts e WHERE {of} \
    UNION ALL SELECT account_id, checkout_type, status, 0, COUNT(*) FROM checkouts e WHERE {of} \
    GROUP BY account_id, checkout_type, status) AS compared \
    GROUP BY account_id, checkout_type, status HAVING SUM(total) <> SUM(found)";

kept_counts!(checkout_counts by (checkout_type: CheckoutType, status: CheckoutStatus));

/// Adds new checkouts to the counts, in the transaction that stores them.
pub(super) fn add_all(conn: &mut Conn, checkouts: &[Checkout]) -> Outcome<()> {
    change(conn, checkouts.iter().map(|checkout| counted(checkout, 1)))
}

fn counted(checkout: &Checkout, more: i64) -> (&AccountId, (CheckoutType, CheckoutStatus), i64) {
    (&checkout.account, (checkout.kind.checkout_type(), checkout.status), more)
}

/// Returns the number of checkouts of an account.
pub(super) fn of(conn: &mut Conn, account: &AccountId) -> Outcome<u64> {
    let rows = checkout_counts::table.filter(checkout_counts::account_id.eq(account.as_str()));
    let totals: Vec<i64> = rows.select(checkout_counts::total).load(conn)?;
    Ok(totals.iter().map(|total| total.unsigned_abs()).sum())
}

/// Moves a changed checkout from one count to another, in the transaction that stores it.
pub(super) fn change_one(conn: &mut Conn, before: &Checkout, after: &Checkout) -> Outcome<()> {
    change(conn, [counted(before, -1), counted(after, 1)])
}

/// Returns the accounts whose counts are wrong, each once. Checks all accounts, or only `of`.
pub(crate) fn miscounted(conn: &mut Conn, of: Option<&AccountId>) -> Outcome<BTreeSet<AccountId>> {
    selected_accounts(conn, MISCOUNTED, of)
}
