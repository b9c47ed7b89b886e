//! Reading everything that moved on an account.

use crate::StoreError;
use async_trait::async_trait;
use florin_domain::activity::{Activity, ActivityFilter};
use florin_domain::ids::{AccountId, ActivityId};
use florin_domain::page::{Page, PageRequest};

/// Reads the activity of an account: card messages, credits, payments whose batch was confirmed,
/// transfers. Each call sees one moment:
/// count and rows agree.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait Activities: Send + Sync {
    /// The account's movements that match, newest first by creation, then by id descending, so that pages never overlap.
    /// The count ignores the page. What is read grows with offset and limit, not with the account; the count aside.
    async fn list(
        &self,
        account: &AccountId,
        filter: ActivityFilter,
        page: PageRequest,
    ) -> Result<Page<Activity>, StoreError>;

    /// One movement of the account, exactly if some page of an unfiltered list has it.
    async fn find(&self, account: &AccountId, id: ActivityId) -> Result<Option<Activity>, StoreError>;
}
