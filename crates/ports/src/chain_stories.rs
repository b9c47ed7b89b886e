//! Reading chains of card messages with everything about them.

use crate::StoreError;
use async_trait::async_trait;
use florin_domain::card::ChainStory;
use florin_domain::ids::{AccountId, TransactionToken};

/// Reads whole chains of card messages.
///
/// Promises: each call has one consistent view. Every decline has its explanation, as it was decided.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait ChainStories: Send + Sync {
    /// Returns the chain of any of its messages. `None`: no message of that token on the account.
    async fn story(&self, account: &AccountId, token: TransactionToken) -> Result<Option<ChainStory>, StoreError>;
}
