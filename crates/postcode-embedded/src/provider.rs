//! Looks up postcodes in imported and built-in addresses.

use crate::builtin;
use async_trait::async_trait;
use florin_domain::address::{Address, UkPostcode};
use florin_ports::{AddressBook, PostcodeError, PostcodeProvider, StoreError};
use std::fmt;
use std::sync::Arc;

/// Looks up imported addresses, and built-in ones for postcodes without imported addresses.
pub struct EmbeddedPostcodes {
    builtin: bool,
    book: Arc<dyn AddressBook>,
}

impl EmbeddedPostcodes {
    /// Creates a provider over an address book. `builtin` enables the built-in synthetic addresses.
    pub fn new(builtin: bool, book: Arc<dyn AddressBook>) -> Self {
        Self { builtin, book }
    }
}

impl fmt::Debug for EmbeddedPostcodes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EmbeddedPostcodes").field("builtin", &self.builtin).finish_non_exhaustive()
    }
}

#[async_trait]
impl PostcodeProvider for EmbeddedPostcodes {
    async fn lookup(&self, postcode: &UkPostcode) -> Result<Vec<Address>, PostcodeError> {
        let down = |error: StoreError| PostcodeError::Down(error.to_string());
        let imported = self.book.find(postcode).await.map_err(down)?;
        if imported.is_empty() && self.builtin { builtin::addresses_of(postcode) } else { Ok(imported) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use florin_ports::MockAddressBook;

    fn book_with(found: Result<Vec<Address>, StoreError>) -> Arc<MockAddressBook> {
        let mut book = MockAddressBook::new();
        book.expect_find().times(1).return_once(move |_| found);
        Arc::new(book)
    }

    fn built_in_postcode() -> UkPostcode {
        UkPostcode::parse("SW1A1AA").unwrap()
    }

    #[tokio::test]
    async fn imported_addresses_override_built_in_ones() {
        let own = vec![Address { address_line1: "1 Own Road".into(), ..Address::default() }];
        let provider = EmbeddedPostcodes::new(true, book_with(Ok(own.clone())));
        assert_eq!(provider.lookup(&built_in_postcode()).await, Ok(own));
    }

    #[tokio::test]
    async fn built_in_addresses_are_used_if_none_were_imported() {
        let found = EmbeddedPostcodes::new(true, book_with(Ok(vec![]))).lookup(&built_in_postcode()).await.unwrap();
        assert!(found.len() >= 3);
        assert!(found.iter().all(|address| address.postcode == "SW1A1AA"));
    }

    #[tokio::test]
    async fn built_in_addresses_can_be_switched_off() {
        let provider = EmbeddedPostcodes::new(false, book_with(Ok(vec![])));
        assert_eq!(provider.lookup(&built_in_postcode()).await, Ok(vec![]));
    }

    #[tokio::test]
    async fn an_unknown_postcode_has_no_addresses() {
        let provider = EmbeddedPostcodes::new(true, book_with(Ok(vec![])));
        assert_eq!(provider.lookup(&UkPostcode::parse("ZZ99ZZ").unwrap()).await, Ok(vec![]));
    }

    #[tokio::test]
    async fn a_store_failure_means_that_the_provider_is_down() {
        let provider = EmbeddedPostcodes::new(true, book_with(Err(StoreError::Unavailable("no disk".into()))));
        let down = PostcodeError::Down("the store is unavailable: no disk".into());
        assert_eq!(provider.lookup(&built_in_postcode()).await, Err(down));
    }
}
