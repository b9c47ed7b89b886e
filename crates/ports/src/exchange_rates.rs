//! Exchange rates.

use async_trait::async_trait;
use florin_domain::money::{Currency, Quotes};

/// Exchange rates are unavailable. The text is for logs, never for callers.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no rates: {0}")]
pub struct RatesUnavailable(pub String);

/// Provides exchange rates. It may be slow: use cases call it before any lock is taken.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait ExchangeRates: Send + Sync {
    /// Returns the value of one unit of a currency in others. `None`: the currency is not exchanged.
    async fn quotes(&self, from: Currency) -> Result<Option<Quotes>, RatesUnavailable>;
}
