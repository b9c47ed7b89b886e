//! Data that all cells share, and that the home keeps.

use crate::routes::routes;
use florin_domain::address::{Address, UkPostcode};
use florin_domain::audit_log::AuditRecord;
use florin_domain::merchant::{Bank, BankId};
use florin_domain::page::{Page, PageRequest};
use florin_ports::{Decide, StoreError};

routes! { AddressBook:
    find(postcode: &UkPostcode) -> Result<Vec<Address>, StoreError> => [home];
}

routes! { AuditLog:
    append(decide: Decide<Option<AuditRecord>, AuditRecord>) -> Result<AuditRecord, StoreError> => [home];
    records(after: i64, max: u32) -> Result<Vec<AuditRecord>, StoreError> => [home];
}

routes! { Banks:
    find(bank: &BankId) -> Result<Option<Bank>, StoreError> => [home];
    list(page: PageRequest) -> Result<Page<Bank>, StoreError> => [home];
}
