//! Shipping rates from merchants.

use async_trait::async_trait;
use florin_domain::checkout::{CheckoutSession, OfferedRates};
use florin_domain::ids::ClientId;

/// The merchant's rates could not be loaded. The reason is for the log, never for callers.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the shipping rates could not be loaded: {0}")]
pub struct ShippingRatesUnavailable(pub String);

/// Loads the rates at which a merchant ships a purchase.
///
/// Promises: a call sends one request to the `dynamicRatesUrl` of the session, and only to an address that receivers of
/// webhooks may have. Redirects are not followed. The result arrives within a bounded time, whatever the merchant's
/// server does. Requests of one client do not delay those of others, even if its name servers are slow.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait ShippingRates: Send + Sync {
    /// Returns the rates for the shipping address of a session. `client` owns the merchant's account.
    async fn load(&self, client: ClientId, session: &CheckoutSession)
    -> Result<OfferedRates, ShippingRatesUnavailable>;
}
