//! Checks whether the books of an account are consistent (Florin extension).

use crate::Services;
use florin_domain::access::Account;
use florin_domain::books::{InvariantReport, check_books};
use florin_ports::StoreError;

/// Checks all invariants of the account's books, and logs an error if one is violated.
pub async fn check_invariants(services: &Services, account: &Account) -> Result<InvariantReport, StoreError> {
    let books = services.books.books(&account.id).await?;
    let report = check_books(&books);
    if !report.holds() {
        tracing::error!(account = %account.id, "an account violates a ledger invariant");
    }
    Ok(report)
}
