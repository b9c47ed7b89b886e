//! Exchange rates.

use async_trait::async_trait;
use florin_domain::money::{Currency, Quotes};

/// The rates are unavailable at the moment. The text is for logs, never for callers.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no rates: {0}")]
pub struct RatesUnavailable(pub String);

/// A source of exchange rates. It may be slow, so it is called before any lock is acquired.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait ExchangeRates: Send + Sync {
    /// Returns the rates from a currency into others. `None`: there is no rate for this currency.
    async fn quotes(&self, from: Currency) -> Result<Option<Quotes>, RatesUnavailable>;
}
