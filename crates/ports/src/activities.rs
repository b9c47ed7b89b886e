//! Reading the activity of an account.

use crate::StoreError;
use async_trait::async_trait;
use florin_domain::activity::{Activity, ActivityFilter};
use florin_domain::ids::{AccountId, ActivityId};
use florin_domain::page::{Page, PageRequest};

/// Reads the activity of an account: card messages, credits, payments of confirmed batches, and transfers. Each call
/// reads one consistent view, so count and rows agree.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait Activities: Send + Sync {
    /// Lists the account's matching movements, newest first by creation, then by id descending, so that pages never
    /// overlap. The count ignores the page. Apart from the count, the cost grows with offset and limit, not with the
    /// size of the account.
    async fn list(
        &self,
        account: &AccountId,
        filter: ActivityFilter,
        page: PageRequest,
    ) -> Result<Page<Activity>, StoreError>;

    /// Returns one movement of the account, if and only if an unfiltered list contains it.
    async fn find(&self, account: &AccountId, id: ActivityId) -> Result<Option<Activity>, StoreError>;
}
