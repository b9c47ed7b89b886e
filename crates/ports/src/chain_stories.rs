//! Chains at a glance.

use crate::StoreError;
use async_trait::async_trait;
use florin_domain::card::ChainStory;
use florin_domain::ids::{AccountId, TransactionToken};

/// Reads whole chains.
///
/// Promises: what is told is from one moment; every decline is told with its explanation, as it was decided.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait ChainStories: Send + Sync {
    /// The chain of a message, whichever of its messages that is. `None`: no message of that token on the account.
    async fn story(&self, account: &AccountId, token: TransactionToken) -> Result<Option<ChainStory>, StoreError>;
}
