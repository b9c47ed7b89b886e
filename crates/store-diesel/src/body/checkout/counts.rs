//! Stored counts of payments and refunds by kind and status, so that lists with the usual filters need not count rows
//! ([why](../../../../../docs/adr/0007-counts-kept-beside-lists.md)).

use super::body::backend::Conn;
use super::body::errors::Outcome;
use super::body::kept_counts::{kept_counts, selected_accounts};
use super::body::tables::checkout::merchant_payment_counts;
use florin_domain::checkout::{MerchantPayment, MerchantPaymentKind, MerchantPaymentStatus};
use florin_domain::ids::AccountId;
use std::collections::BTreeSet;

/// Selects accounts whose counts differ from their payments. `{of}` is replaced by the condition on the account.
const MISCOUNTED: &str = "SELECT account_id FROM \
    (SELECT account_id, kind, status, total, 0 AS found FROM merchant_payment_counts e WHERE {of} \
    UNION ALL SELECT account_id, kind, status, 0, COUNT(*) FROM merchant_payments e WHERE {of} \
    GROUP BY account_id, kind, status) AS compared \
    GROUP BY account_id, kind, status HAVING SUM(total) <> SUM(found)";

kept_counts!(merchant_payment_counts by (kind: MerchantPaymentKind, status: MerchantPaymentStatus));

/// Adds new payments and refunds to the counts, in the transaction that stores them.
pub(super) fn add_all(conn: &mut Conn, payments: &[MerchantPayment]) -> Outcome<()> {
    change(conn, payments.iter().map(|payment| counted(payment, 1)))
}

/// Changes the counts in the transaction that stores these payments and refunds. Each has its state before the change;
/// `None` for a new one.
pub(super) fn change_all<'a>(
    conn: &mut Conn,
    stored: impl Iterator<Item = (Option<&'a MerchantPayment>, &'a MerchantPayment)>,
) -> Outcome<()> {
    let changes =
        stored.flat_map(|(before, after)| [before.map(|before| counted(before, -1)), Some(counted(after, 1))]);
    change(conn, changes.flatten())
}

fn counted(payment: &MerchantPayment, more: i64) -> (&AccountId, (MerchantPaymentKind, MerchantPaymentStatus), i64) {
    (&payment.account, (payment.kind(), payment.status()), more)
}

/// Returns the accounts whose counts are wrong, each once. Checks all accounts, or only `of`.
pub(crate) fn miscounted(conn: &mut Conn, of: Option<&AccountId>) -> Outcome<BTreeSet<AccountId>> {
    selected_accounts(conn, MISCOUNTED, of)
}
