//! Numbers of payments and refunds, kept so that no query needs to count rows
//! ([why](../../../../../docs/adr/0007-counts-kept-beside-lists.md)).

use super::body::backend::Conn;
use super::body::errors::Outcome;
use super::body::kept_counts::{kept_counts, selected_accounts};
use super::body::tables::checkout::merchant_payment_counts;
use florin_domain::checkout::{MerchantPayment, MerchantPaymentKind, MerchantPaymentStatus};
use florin_domain::ids::AccountId;
use std::collections::BTreeSet;

/// Selects accounts whose counts differ from their payments.
const MISCOUNTED: &str = "SELECT account_id FROM \
    (SELECT account_id, kind, status, total, 0 AS found FROM merchant_payment_counts \
    UNION ALL SELECT account_id, kind, status, 0, COUNT(*) FROM merchant_payments \
    GROUP BY account_id, kind, status) AS said \
    GROUP BY account_id, kind, status HAVING SUM(total) <> SUM(found)";

kept_counts!(merchant_payment_counts by (kind: MerchantPaymentKind, status: MerchantPaymentStatus));

/// Adds a new payment or refund to the counts, in the transaction that stores it.
pub(super) fn add_payment(conn: &mut Conn, payment: &MerchantPayment) -> Outcome<()> {
    add(conn, &payment.account, key(payment), 1)
}

/// Moves a changed payment or refund from one count to another, in the transaction that stores it.
pub(super) fn change_payment(conn: &mut Conn, before: &MerchantPayment, after: &MerchantPayment) -> Outcome<()> {
    move_one(conn, &after.account, key(before), key(after))
}

fn key(payment: &MerchantPayment) -> (MerchantPaymentKind, MerchantPaymentStatus) {
    (payment.kind(), payment.status)
}

/// Returns the accounts whose counts are wrong, each once.
pub(crate) fn miscounted(conn: &mut Conn) -> Outcome<BTreeSet<AccountId>> {
    selected_accounts(conn, MISCOUNTED)
}
