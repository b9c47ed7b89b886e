//! Creation of API keys.

use crate::StoreError;
use florin_domain::access::Environment;

/// Creates the secrets of API keys.
#[cfg_attr(feature = "test-support", mockall::automock)]
pub trait KeySource: Send + Sync {
    /// Returns a new key with 256 random bits. `Unavailable`: the machine provides no random bits.
    fn new_key(&self, environment: Environment) -> Result<String, StoreError>;
}
