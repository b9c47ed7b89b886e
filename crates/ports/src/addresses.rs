//! Addresses of postcodes.

use crate::StoreError;
use async_trait::async_trait;
use florin_domain::address::{Address, UkPostcode};
use std::time::Duration;

/// Looks up the addresses of postcodes.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait PostcodeProvider: Send + Sync {
    /// Returns all addresses of a postcode in the provider's order. The list is empty if the provider has none. An
    /// outage is an error, never an empty list.
    async fn lookup(&self, postcode: &UkPostcode) -> Result<Vec<Address>, PostcodeError>;
}

/// Reasons that a lookup at the provider failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PostcodeError {
    /// The provider can't be reached, or its answer is invalid.
    #[error("the postcode provider is down: {0}")]
    Down(String),
    /// The provider did not answer in time.
    #[error("the postcode provider did not answer in time")]
    Slow,
    /// The operator's quota with the provider is used up.
    #[error("the quota with the postcode provider is used up")]
    OutOfQuota {
        /// When to retry, if the provider said so.
        retry_after: Option<Duration>,
    },
}

/// Reads the addresses that an operator imported.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait AddressBook: Send + Sync {
    /// Returns the imported addresses of a postcode, in the order of the imported file.
    async fn find(&self, postcode: &UkPostcode) -> Result<Vec<Address>, StoreError>;
}
