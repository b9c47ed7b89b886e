//! A database whose card messages have the fee of an ATM's acquirer in a column, and its expected state after an
//! upgrade.

use florin_domain::ids::{AccountId, TransactionToken};
use florin_domain::money::Minor;
use florin_ports::ChainHistories;
use uuid::Uuid;

/// The first migration that is missing.
pub(crate) const MIGRATION: &str = "2026-11-26-000054";
/// Changes of the rows of the first schema: one message has a fee and a detail, one only a fee.
pub(crate) const ROWS: &str = "
    UPDATE card_transactions SET acquirer_fee_minor = 250, details = '{\"fee_type\":\"ATM\"}' WHERE preceding IS NULL;
    UPDATE card_transactions SET acquirer_fee_minor = 9007199254740993 WHERE preceding IS NOT NULL";

/// Checks the fees and the details of the messages after the upgrade.
pub(crate) async fn check_fees(store: &impl ChainHistories) {
    let (account, first) = (AccountId::parse("F1").unwrap(), TransactionToken(Uuid::from_u128(0x71)));
    let history = store.history(&account, first).await.unwrap().unwrap();
    let seen: Vec<_> = history
        .messages
        .iter()
        .map(|explained| &explained.transaction)
        .map(|message| (message.acquirer_fee, message.details.fee_type.as_deref(), message.details.cash_back))
        .collect();
    assert_eq!(seen, [(Minor(250), Some("ATM"), None), (Minor(9_007_199_254_740_993), None, None)]);
}
