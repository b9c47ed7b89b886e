//! Reading whole chains of card messages.

use crate::StoreError;
use async_trait::async_trait;
use florin_domain::card::ChainHistory;
use florin_domain::ids::{AccountId, TransactionToken};

/// Reads whole chains of card messages.
///
/// Promises: each call reads one consistent view. Every decline has the explanation that was decided with it.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait ChainHistories: Send + Sync {
    /// Returns the chain that contains a message. `None`: no message with that token on the account.
    async fn history(&self, account: &AccountId, token: TransactionToken) -> Result<Option<ChainHistory>, StoreError>;
}
