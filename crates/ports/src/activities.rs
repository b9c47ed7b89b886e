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
    /// Lists the account's matching movements, newest first by the time at which the money moved, then by id
    /// descending, so that pages never overlap. The count ignores the page. Apart from the count, the cost grows with
    /// offset and limit, not with the size of the account.
    async fn list(
        &self,
        account: &AccountId,
        filter: ActivityFilter,
        page: PageRequest,
    ) -> Result<Page<Activity>, StoreError>;

    /// Returns one movement of the account, if and only if an unfiltered list contains it. A key with a number finds
    /// the movement to which the account's sequence gave this number, unless an early version of Florin did not record
    /// the number.
    async fn find(&self, account: &AccountId, key: ActivityKey) -> Result<Option<Activity>, StoreError>;

    /// Returns the account's matching movements that changed after a cursor, oldest change first, at most `max`. Each
    /// movement is returned in its current state. Without a cursor, the list begins with the first movement.
    ///
    /// A reader that continues with each `next` misses no change. A movement is returned again only if it changes
    /// again. If it has changed several times since the cursor, it is returned once. The call does not wait for
    /// concurrent writers, whose changes may be missing until a later call. `None`: the cursor is from before a restore
    /// of the account, or from an earlier account with the same id.
    async fn changes(
        &self,
        account: &AccountId,
        filter: ActivityFilter,
        after: Option<ActivityCursor>,
        max: i64,
    ) -> Result<Option<ActivityChanges>, StoreError>;
}
