//! Addresses of postcodes.

use crate::StoreError;
use async_trait::async_trait;
use florin_domain::address::{Address, Postcode};
use std::time::Duration;

/// Knows the addresses behind postcodes.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait PostcodeProvider: Send + Sync {
    /// All addresses of a postcode in the provider's order; none where it knows none. Never empty because it is down.
    async fn lookup(&self, postcode: &Postcode) -> Result<Vec<Address>, PostcodeError>;
}

/// Why a provider has no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PostcodeError {
    /// It can't be reached, or answers nonsense.
    #[error("the postcode provider is down: {0}")]
    Down(String),
    /// It did not answer in time.
    #[error("the postcode provider did not answer in time")]
    Slow,
    /// The operator's quota with it is used up.
    #[error("the quota with the postcode provider is used up")]
    OutOfQuota {
        /// When to try again, as far as it told.
        retry_after: Option<Duration>,
    },
}

/// The addresses that an operator imported.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait AddressBook: Send + Sync {
    /// The imported addresses of a postcode, in the order of the file.
    async fn find(&self, postcode: &Postcode) -> Result<Vec<Address>, StoreError>;
}
