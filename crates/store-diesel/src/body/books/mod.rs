//! Adds up the books of accounts.
//!
//! Sums of 64-bit amounts are computed in two halves, `amount >> 32` and `amount & 4294967295`, and combined in 128
//! bits: a database's own sum may overflow on the way to a result that fits. The statements are plain SQL that every
//! supported database accepts.

mod about;
mod disputes;
mod explain;
mod halves;
mod limits;
mod merchant;
mod reservations;
mod sums;

pub(super) use halves::Halves;
pub(super) use sums::gather;

use super::backend::Conn;
use super::body;
use super::errors::Outcome;
use super::store::Store;
use async_trait::async_trait;
use diesel::Connection;
use florin_domain::books::AccountBooks;
use florin_domain::ids::{AccountId, BudgetId};
use florin_domain::money::Currency;
use florin_domain::page::PageRequest;
use florin_ports::{Books, Explained, StoreError};

#[async_trait]
impl Books for Store {
    async fn explain(
        &self,
        account: &AccountId,
        budget: BudgetId,
        currency: Currency,
        page: PageRequest,
    ) -> Result<Explained, StoreError> {
        let of = explain::Of::new(account, budget, currency);
        self.read(move |conn| conn.transaction(|conn| explain::explained(conn, &of, page))).await
    }

    async fn books(&self, account: &AccountId) -> Result<AccountBooks, StoreError> {
        let account = account.clone();
        self.read(move |conn| conn.transaction(|conn| of_account(conn, &account))).await
    }
}

/// Adds up the books of an account.
pub(super) fn of_account(conn: &mut Conn, account: &AccountId) -> Outcome<AccountBooks> {
    let limits = limits::compare(conn, account)?;
    Ok(AccountBooks { limits, ..gather(conn, Some(account))? })
}
