//! Imported addresses.

use crate::MemoryStore;
use async_trait::async_trait;
use florin_domain::address::{Address, UkPostcode};
use florin_ports::{AddressBook, StoreError};

#[async_trait]
impl AddressBook for MemoryStore {
    async fn find(&self, postcode: &UkPostcode) -> Result<Vec<Address>, StoreError> {
        let known = |address: &&Address| address.postcode == postcode.as_str();
        Ok(self.read(|data| data.addresses.iter().filter(known).cloned().collect()))
    }
}
