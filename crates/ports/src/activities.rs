//! Reading the activity of an account.

use crate::StoreError;
use async_trait::async_trait;
use florin_domain::activity::{Activity, ActivityChanges, ActivityCursor, ActivityFilter, ActivityKey};
use florin_domain::ids::AccountId;
use florin_domain::page::{Page, PageRequest};

/// Reads the activity of an account: chains of card messages, credits, top-ups, payments of confirmed batches, and both
/// sides of transfers. Each call reads one consistent view, so count and rows agree.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait Activities: Send + Sync {
    /// Lists the account's matching movements, newest first by when the money moved, then by id descending, so that
    /// pages never overlap. The count ignores the page. Apart from the count, the cost grows with offset and limit, not
    /// with the size of the account.
    async fn list(
        &self,
        account: &AccountId,
        filter: ActivityFilter,
        page: PageRequest,
    ) -> Result<Page<Activity>, StoreError>;

    /// Returns one movement of the account, if and only if an unfiltered list contains it.
    async fn find(&self, account: &AccountId, key: ActivityKey) -> Result<Option<Activity>, StoreError>;

    /// Returns at most so many of the account's matching movements that changed after a cursor, oldest change first, as
    /// they are now. `None` as the cursor begins with the first movement.
    ///
    /// A reader that continues with each `next` misses nothing and gets nothing twice, unless it changed again: a
    /// movement that has changed twice since is returned once. Concurrent writers delay rows, but never the answer. The
    /// answer is `None` if the cursor is from before a restore of the account, or from an earlier account of this name.
    async fn changes(
        &self,
        account: &AccountId,
        filter: ActivityFilter,
        after: Option<ActivityCursor>,
        max: i64,
    ) -> Result<Option<ActivityChanges>, StoreError>;
}
