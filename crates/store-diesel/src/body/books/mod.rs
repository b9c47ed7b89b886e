//! Adds up the books of accounts.
//!
//! Sums of 64-bit amounts are computed in two halves, `amount >> 32` and `amount & 4294967295`, and combined in 128
//! bits: a database's own sum may overflow on the way to a result that fits. The statements are plain SQL that every
//! supported database accepts.

mod about;
mod balance;
mod disputes;
mod explain;
mod halves;
mod hash_chains;
mod history;
mod limits;
mod merchant;
mod reservations;
mod sums;

pub(super) use about::about;
pub(super) use halves::Halves;
pub(crate) use history::wrong as wrong_checkpoints;
pub(super) use sums::gather;

use super::backend::Conn;
use super::body;
use super::errors::Outcome;
use super::store::Store;
use async_trait::async_trait;
use balance::BalanceId;
use diesel::Connection;
use florin_domain::books::AccountBooks;
use florin_domain::ids::{AccountId, BudgetId};
use florin_domain::money::Currency;
use florin_domain::page::PageRequest;
use florin_ports::{Books, ExplainResult, StoreError};
use history::Extension;

#[async_trait]
impl Books for Store {
    async fn explain(
        &self,
        account: &AccountId,
        budget: BudgetId,
        currency: Currency,
        page: PageRequest,
    ) -> Result<ExplainResult, StoreError> {
        let of = BalanceId::new(account, budget, currency);
        let read = of.clone();
        let found = self.read_in_one_transaction(move |conn| explain::explained(conn, &read, page, true)).await?;
        match found {
            Some((explained, extension)) => {
                extend(self, of, extension).await;
                Ok(explained)
            }
            None => explain_slowly(self, of, page).await,
        }
    }

    async fn books(&self, account: &AccountId) -> Result<AccountBooks, StoreError> {
        let account = account.clone();
        self.read_in_one_transaction(move |conn| of_account(conn, &account)).await
    }
}

/// Explains a balance with much to read. The read continues after the caller's deadline, so that a repetition finds its
/// checkpoints. One such read runs at a time.
async fn explain_slowly(store: &Store, of: BalanceId, page: PageRequest) -> Result<ExplainResult, StoreError> {
    let reader = store.clone();
    store
        .wait_in_time(async move {
            let _permit = reader.permit_for_long_read().await?;
            let read = of.clone();
            let work = move |conn: &mut Conn| conn.transaction(|conn| explain::explained(conn, &read, page, false));
            let found = reader.read_to_the_end(work).await?;
            let (explained, extension) = found.ok_or_else(|| StoreError::Corrupt("a long read gave up".into()))?;
            extend(&reader, of, extension).await;
            Ok(explained)
        })
        .await
}

/// Stores checkpoints for the next explanation, while this one is answered. A failure does not matter: the next
/// explanation has more to read.
async fn extend(store: &Store, of: BalanceId, extension: Option<Extension>) {
    let Some(extension) = extension else { return };
    let writer = store.clone();
    let work = async move {
        for portion in extension.portions() {
            let balance = of.clone();
            match writer.write(move |conn| portion.store(conn, &balance)).await {
                Ok(true) => {}
                Ok(false) => return,
                Err(error) => {
                    tracing::debug!(%error, "checkpoints were not stored");
                    return;
                }
            }
        }
    };
    store.in_background(work).await;
}

/// Adds up the books of an account.
pub(super) fn of_account(conn: &mut Conn, account: &AccountId) -> Outcome<AccountBooks> {
    let limits = limits::compare(conn, account)?;
    Ok(AccountBooks { limits, ..gather(conn, Some(account), &|_| {})? })
}
