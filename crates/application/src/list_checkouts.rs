//! Lists the checkouts of a merchant (contract 2.1).

use crate::Services;
use florin_domain::access::Account;
use florin_domain::merchant::{Checkout, CheckoutFilter};
use florin_domain::page::{Page, PageRequest};
use florin_ports::StoreError;

/// Reasons that checkouts can't be listed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ListCheckoutsError {
    /// The account has no active merchant profile.
    #[error("the account has no active merchant profile")]
    NoMerchantProfile,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Lists the account's checkouts, newest first.
pub async fn list_checkouts(
    services: &Services,
    account: &Account,
    filter: CheckoutFilter,
    page: PageRequest,
) -> Result<Page<Checkout>, ListCheckoutsError> {
    if !account.merchant {
        return Err(ListCheckoutsError::NoMerchantProfile);
    }
    Ok(services.checkouts.list(&account.id, filter, page).await?)
}
