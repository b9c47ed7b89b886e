//! Counts of checkouts, kept so that no query needs to count rows
//! ([why](../../../../../docs/adr/0007-counts-kept-beside-lists.md)).

use super::body::backend::Conn;
use super::body::errors::Outcome;
use super::body::kept_counts::{kept_counts, selected_accounts};
use super::body::tables::merchant::checkout_counts;
use diesel::prelude::*;
use florin_domain::ids::AccountId;
use florin_domain::merchant::{Checkout, CheckoutStatus, CheckoutType};
use std::collections::{BTreeMap, BTreeSet};

/// Selects accounts whose counts differ from their checkouts.
const MISCOUNTED: &str = "SELECT account_id FROM \
    (SELECT account_id, checkout_type, status, total, 0 AS found FROM checkout_counts \
    UNION ALL SELECT account_id, checkout_type, status, 0, COUNT(*) FROM checkouts \
    GROUP BY account_id, checkout_type, status) AS said \
    GROUP BY account_id, checkout_type, status HAVING SUM(total) <> SUM(found)";

kept_counts!(checkout_counts by (checkout_type: CheckoutType, status: CheckoutStatus));

/// Adds new checkouts to the counts, in the transaction that stores them. Locks rows in the order of their keys.
pub(super) fn add_all(conn: &mut Conn, checkouts: &[Checkout]) -> Outcome<()> {
    let mut counts: BTreeMap<_, (CheckoutType, CheckoutStatus, i64)> = BTreeMap::new();
    for checkout in checkouts {
        let (kind, state) = (checkout.kind.checkout_type(), checkout.status);
        counts.entry((&checkout.account, kind.as_str(), state.as_str())).or_insert((kind, state, 0)).2 += 1;
    }
    counts.into_iter().try_for_each(|((account, ..), (kind, state, new))| add(conn, account, (kind, state), new))
}

/// Returns the number of checkouts of an account.
pub(super) fn of(conn: &mut Conn, account: &AccountId) -> Outcome<u64> {
    let rows = checkout_counts::table.filter(checkout_counts::account_id.eq(account.as_str()));
    let totals: Vec<i64> = rows.select(checkout_counts::total).load(conn)?;
    Ok(totals.iter().map(|total| total.unsigned_abs()).sum())
}

/// Moves a changed checkout from one count to another, in the transaction that stores it.
pub(super) fn change(conn: &mut Conn, before: &Checkout, after: &Checkout) -> Outcome<()> {
    let key = |checkout: &Checkout| (checkout.kind.checkout_type(), checkout.status);
    move_one(conn, &after.account, key(before), key(after))
}

/// Returns the accounts whose counts are wrong, each once.
pub(crate) fn miscounted(conn: &mut Conn) -> Outcome<BTreeSet<AccountId>> {
    selected_accounts(conn, MISCOUNTED)
}
