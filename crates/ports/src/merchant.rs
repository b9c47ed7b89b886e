//! Checkouts and banks.

use crate::StoreError;
use async_trait::async_trait;
use florin_domain::ids::AccountId;
use florin_domain::merchant::{Bank, Checkout, CheckoutFilter};
use florin_domain::page::{Page, PageRequest};

/// Reads checkouts.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait Checkouts: Send + Sync {
    /// Lists the account's matching checkouts, newest first by creation, then by id descending, so that pages never
    /// overlap. The count ignores the page.
    async fn list(
        &self,
        account: &AccountId,
        filter: CheckoutFilter,
        page: PageRequest,
    ) -> Result<Page<Checkout>, StoreError>;
}

/// Reads the bank list, which all merchants share.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait Banks: Send + Sync {
    /// Lists banks by name (code points), then by id. The count ignores the page.
    async fn list(&self, page: PageRequest) -> Result<Page<Bank>, StoreError>;
}
