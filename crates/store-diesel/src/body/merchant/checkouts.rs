//! Checkouts.

use super::body::backend::Conn;
use super::body::errors::Outcome;
use super::body::statements;
use super::body::store::Store;
use super::body::tables::merchant::CheckoutRow;
use super::body::types::{Account, Currency, Id, Named, Time};
use super::page::CheckoutQuery;
use super::{ROWS_AT_ONCE, counts};
use async_trait::async_trait;
use florin_domain::ids::AccountId;
use florin_domain::merchant::{Checkout, CheckoutFilter, CheckoutKind};
use florin_domain::page::{Page, PageRequest};
use florin_ports::{Checkouts, StoreError};

impl From<&Checkout> for CheckoutRow {
    fn from(checkout: &Checkout) -> Self {
        let (settlement_account, shipping) = match &checkout.kind {
            CheckoutKind::Shopping { settlement_account, shipping } => (*settlement_account, shipping.as_ref()),
            CheckoutKind::TopUp => (None, None),
        };
        Self {
            account_id: Account(checkout.account.clone()),
            id: Id(checkout.id.0),
            checkout_type: Named(checkout.kind.checkout_type()),
            status: Named(checkout.status),
            name: checkout.name.clone(),
            currency: Currency(checkout.currency),
            return_url: checkout.return_url.clone(),
            locale: checkout.locale.clone(),
            settlement_account_id: settlement_account.map(|id| Id(id.0)),
            collect_address: shipping.map(|shipping| shipping.collect_address),
            dynamic_rates_url: shipping.and_then(|shipping| shipping.dynamic_rates_url.clone()),
            created_at: Time(checkout.created_at),
            updated_at: Time(checkout.updated_at),
        }
    }
}

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
}

/// Stores new checkouts, and counts them.
pub(crate) fn insert_checkouts(conn: &mut Conn, checkouts: &[Checkout]) -> Outcome<()> {
    for chunk in checkouts.chunks(ROWS_AT_ONCE) {
        statements::insert(chunk.iter().map(CheckoutRow::from).collect(), conn)?;
    }
    counts::add(conn, checkouts)
}
