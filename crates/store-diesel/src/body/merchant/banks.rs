//! The bank list.

use super::ROWS_AT_ONCE;
use super::body::backend::Conn;
use super::body::errors::{Outcome, corrupt};
use super::body::statements;
use super::body::store::Store;
use super::body::tables::merchant::{BankRow, banks};
use async_trait::async_trait;
use diesel::prelude::*;
use florin_domain::merchant::{Bank, BankId};
use florin_domain::page::{Page, PageRequest};
use florin_ports::{Banks, StoreError};

impl BankRow {
    pub(super) fn read(self) -> Outcome<Bank> {
        Ok(Bank {
            id: bank_id(&self.id)?,
            name: self.name,
            icon_url: self.icon_url,
            supports_refunds: self.supports_refunds,
        })
    }
}

/// Reads a stored bank id.
pub(super) fn bank_id(text: &str) -> Outcome<BankId> {
    BankId::parse(text).map_err(|_| corrupt(format!("`{text}` is not a bank id")))
}

#[async_trait]
impl Banks for Store {
    async fn find(&self, bank: &BankId) -> Result<Option<Bank>, StoreError> {
        let bank = bank.clone();
        self.read(move |conn| {
            let row = banks::table.filter(banks::id.eq(bank.as_str())).select(BankRow::as_select());
            row.get_result::<BankRow>(conn).optional()?.map(BankRow::read).transpose()
        })
        .await
    }

    async fn list(&self, page: PageRequest) -> Result<Page<Bank>, StoreError> {
        self.read_in_one_transaction(move |conn| {
            let rows = banks::table
                .order((banks::name, banks::id))
                .limit(page.limit)
                .offset(page.offset)
                .select(BankRow::as_select())
                .load(conn)?;
            let count = banks::table.count().get_result(conn)?;
            Ok(Page { count, rows: rows.into_iter().map(BankRow::read).collect::<Outcome<_>>()? })
        })
        .await
    }
}

/// Stores new banks.
pub(crate) fn insert_banks(conn: &mut Conn, banks: &[Bank]) -> Outcome<()> {
    let row = |bank: &Bank| BankRow {
        id: bank.id.as_str().to_owned(),
        name: bank.name.clone(),
        icon_url: bank.icon_url.clone(),
        supports_refunds: bank.supports_refunds,
    };
    for chunk in banks.chunks(ROWS_AT_ONCE) {
        statements::insert(chunk.iter().map(row).collect(), conn)?;
    }
    Ok(())
}
