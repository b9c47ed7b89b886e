//! New API keys.

use crate::StoreError;
use florin_domain::access::Environment;

/// Generates the secrets of API keys.
#[cfg_attr(feature = "test-support", mockall::automock)]
pub trait KeySource: Send + Sync {
    /// Returns a new key of 256 random bits. `Unavailable`: the machine has no random source.
    fn new_key(&self, environment: Environment) -> Result<String, StoreError>;
}
