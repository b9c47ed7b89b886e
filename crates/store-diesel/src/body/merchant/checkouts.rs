//! Checkouts.

use super::body::footprint::Footprint;
use super::body::group::under_claim;
use super::body::store::Store;
use super::body::types::Account;
use super::edit_checkouts;
use super::page::CheckoutQuery;
use async_trait::async_trait;
use florin_domain::ids::{AccountId, CheckoutId};
use florin_domain::merchant::{Checkout, CheckoutFilter, CheckoutRefusal};
use florin_domain::page::{Page, PageRequest};
use florin_ports::{Checkouts, CreateCheckoutCommand, EditCheckoutCommand, StoreError, WriteError, Written};

#[async_trait]
impl Checkouts for Store {
    async fn list(
        &self,
        account: &AccountId,
        filter: CheckoutFilter,
        page: PageRequest,
    ) -> Result<Page<Checkout>, StoreError> {
        let query = CheckoutQuery::new(Account(account.clone()), filter);
        self.read(move |conn| query.read(conn, page)).await
    }

    async fn find(&self, account: &AccountId, checkout: CheckoutId) -> Result<Option<Checkout>, StoreError> {
        let account = account.clone();
        self.read(move |conn| edit_checkouts::find(conn, &account, checkout)).await
    }

    async fn create(&self, command: CreateCheckoutCommand) -> Result<Written<Checkout>, WriteError<CheckoutRefusal>> {
        self.task(move |conn| {
            let mut footprint = Footprint::default();
            footprint.counters(&command.account);
            under_claim(conn, footprint, command.claim.as_ref(), |conn, _| edit_checkouts::create(conn, &command))
        })
        .await
    }

    async fn edit(&self, command: EditCheckoutCommand) -> Result<Written<Checkout>, WriteError<CheckoutRefusal>> {
        self.task(move |conn| {
            let mut footprint = Footprint::default();
            footprint.counters(&command.account);
            under_claim(conn, footprint, command.claim.as_ref(), |conn, _| edit_checkouts::edit(conn, &command))
        })
        .await
    }
}
