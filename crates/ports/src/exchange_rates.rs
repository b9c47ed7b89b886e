//! What currencies are worth.

use async_trait::async_trait;
use florin_domain::money::{Currency, Quotes};

/// Rates can't be had now. The text is for logs, never for callers.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no rates: {0}")]
pub struct RatesUnavailable(pub String);

/// Tells rates of exchange. It is asked before any lock is taken: it may be slow.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait ExchangeRates: Send + Sync {
    /// What one unit of a currency is worth in others. `None`: nobody exchanges it.
    async fn quotes(&self, from: Currency) -> Result<Option<Quotes>, RatesUnavailable>;
}
