//! Columns of payments that repeat values of their sessions and refunds, so that a list of payments reads no other
//! table ([why](../../../../../docs/adr/0007-counts-kept-beside-lists.md)).

use super::body::backend::Conn;
use super::body::errors::{Outcome, exactly};
use super::body::kept_counts::selected_accounts;
use super::body::names::sql_list;
use super::body::tables::checkout::merchant_payments;
use super::body::types::Id;
use diesel::prelude::*;
use florin_domain::checkout::{MerchantPaymentKind, MerchantPaymentStatus};
use florin_domain::ids::{AccountId, MerchantPaymentId};
use std::collections::BTreeSet;

/// Selects accounts with payments whose rows contradict their sessions or refunds. `{of}` is replaced by the condition
/// on the account, and `{final}` by the condition that the order is final.
const CONTRADICTING: &str = "SELECT DISTINCT e.account_id AS account_id FROM merchant_payments e \
    JOIN checkout_sessions s ON s.account_id = e.account_id AND s.id = e.session_id WHERE {of} AND ( \
    COALESCE(CAST(e.settlement_account_id AS TEXT), '') <> COALESCE(CAST(s.settlement_account_id AS TEXT), '') \
    OR COALESCE(e.merchant_reference, '') <> COALESCE(s.merchant_reference, '') \
    OR COALESCE(CAST(e.order_id AS TEXT), '') <> CASE WHEN {final} \
        THEN COALESCE(CAST(s.order_id AS TEXT), '') ELSE '' END \
    OR CASE WHEN e.has_refunds THEN 1 ELSE 0 END <> CASE WHEN EXISTS (SELECT 1 FROM merchant_payments r \
        WHERE r.account_id = e.account_id AND r.refunded_payment_id = e.id) THEN 1 ELSE 0 END)";

/// Marks a payment that has a new refund, so that lists add up its refunds. The payment is locked.
pub(super) fn mark_refunded(conn: &mut Conn, account: &AccountId, payment: MerchantPaymentId) -> Outcome<()> {
    let row = merchant_payments::table
        .filter(merchant_payments::account_id.eq(account.as_str()))
        .filter(merchant_payments::id.eq(Id(payment.0)));
    let written = diesel::update(row).set(merchant_payments::has_refunds.eq(true)).execute(conn)?;
    exactly(1, written, "merchant_payments")
}

/// Returns the accounts with payments whose rows contradict their sessions or refunds, each once. Checks all accounts,
/// or only `of`.
pub(crate) fn contradicting(conn: &mut Conn, of: Option<&AccountId>) -> Outcome<BTreeSet<AccountId>> {
    selected_accounts(conn, &CONTRADICTING.replace("{final}", &has_final_order("e")), of)
}

/// Returns the condition that a row carries the order of its session, because the order is final. `row` is the row's
/// name in the statement.
pub(super) fn has_final_order(row: &str) -> String {
    let of_kind = |kind: MerchantPaymentKind| {
        let statuses = sql_list(|status: MerchantPaymentStatus| status.has_final_order(kind));
        format!("{row}.kind = '{}' AND {row}.status IN ({statuses})", kind.as_str())
    };
    MerchantPaymentKind::ALL.map(of_kind).join(" OR ")
}
