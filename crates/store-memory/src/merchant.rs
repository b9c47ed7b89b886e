//! Checkouts and banks.

use crate::MemoryStore;
use async_trait::async_trait;
use florin_domain::ids::AccountId;
use florin_domain::merchant::{Bank, Checkout, CheckoutFilter};
use florin_domain::page::{Page, PageRequest};
use florin_ports::{Banks, Checkouts, StoreError};

#[async_trait]
impl Checkouts for MemoryStore {
    async fn list(
        &self,
        account: &AccountId,
        filter: CheckoutFilter,
        page: PageRequest,
    ) -> Result<Page<Checkout>, StoreError> {
        let matches = |checkout: &&Checkout| {
            checkout.account == *account
                && filter.checkout_type.is_none_or(|expected| checkout.kind.checkout_type() == expected)
                && filter.status.is_none_or(|expected| checkout.status == expected)
        };
        let mut matching: Vec<_> = self.read(|data| data.checkouts.values().filter(matches).cloned().collect());
        matching.sort_by_key(|checkout| std::cmp::Reverse((checkout.created_at, checkout.id)));
        Ok(cut(matching, page))
    }
}

#[async_trait]
impl Banks for MemoryStore {
    async fn list(&self, page: PageRequest) -> Result<Page<Bank>, StoreError> {
        let mut banks: Vec<_> = self.read(|data| data.banks.values().cloned().collect());
        banks.sort_by(|one, other| (&one.name, &one.id).cmp(&(&other.name, &other.id)));
        Ok(cut(banks, page))
    }
}

/// Returns one page of the matching rows. The count covers all matching rows.
pub(crate) fn cut<T>(matching: Vec<T>, page: PageRequest) -> Page<T> {
    let size = |number: i64| usize::try_from(number).unwrap_or(0);
    let count = i64::try_from(matching.len()).unwrap_or(i64::MAX);
    let rows = matching.into_iter().skip(size(page.offset)).take(size(page.limit)).collect();
    Page { count, rows }
}
