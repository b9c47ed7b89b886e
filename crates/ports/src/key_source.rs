//! New API keys.

use crate::StoreError;
use florin_domain::access::Environment;

/// Makes the secrets of API keys.
#[cfg_attr(feature = "test-support", mockall::automock)]
pub trait KeySource: Send + Sync {
    /// A key that nobody can guess: 256 random bits. `Unavailable`: the machine gives none.
    fn new_key(&self, environment: Environment) -> Result<String, StoreError>;
}
