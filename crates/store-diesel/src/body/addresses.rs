//! Imported addresses.

use super::backend::Conn;
use super::errors::{Outcome, corrupt};
use super::statements;
use super::store::Store;
use super::tables::service::{AddressRow, imported_addresses};
use async_trait::async_trait;
use diesel::prelude::*;
use florin_domain::address::{Address, UkPostcode};
use florin_ports::{AddressBook, StoreError};

/// Number of rows that one statement inserts.
const ROWS_AT_ONCE: usize = 500;

impl AddressRow {
    fn of((position, address): (i64, &Address)) -> Outcome<Self> {
        let postcode = UkPostcode::parse(&address.postcode);
        let postcode = postcode.map_err(|_| corrupt(format!("`{}` is not a UK postcode", address.postcode)))?;
        Ok(Self {
            postcode: postcode.as_str().to_owned(),
            position,
            address_line1: address.address_line1.clone(),
            address_line2: address.address_line2.clone(),
            address_line3: address.address_line3.clone(),
            city: address.city.clone(),
            county: address.county.clone(),
        })
    }
}

impl From<AddressRow> for Address {
    fn from(row: AddressRow) -> Self {
        Self {
            address_line1: row.address_line1,
            address_line2: row.address_line2,
            address_line3: row.address_line3,
            city: row.city,
            postcode: row.postcode,
            county: row.county,
        }
    }
}

#[async_trait]
impl AddressBook for Store {
    async fn find(&self, postcode: &UkPostcode) -> Result<Vec<Address>, StoreError> {
        let postcode = postcode.clone();
        self.read(move |conn| {
            let rows = imported_addresses::table
                .filter(imported_addresses::postcode.eq(postcode.as_str()))
                .order(imported_addresses::position)
                .select(AddressRow::as_select())
                .load(conn)?;
            Ok(rows.into_iter().map(Address::from).collect())
        })
        .await
    }
}

/// Stores addresses, in the given order.
pub(crate) fn insert(conn: &mut Conn, addresses: &[Address]) -> Outcome<()> {
    let numbered: Vec<_> = (0_i64..).zip(addresses).collect();
    for chunk in numbered.chunks(ROWS_AT_ONCE) {
        statements::insert(chunk.iter().copied().map(AddressRow::of).collect::<Outcome<_>>()?, conn)?;
    }
    Ok(())
}
