//! The ports used by the use cases of merchants, connected by the binary.

use crate::{AccountClock, AccountClocks};
use florin_domain::access::Account;
use florin_domain::batch::ModulusTable;
use florin_domain::merchant::MerchantProfile;
use florin_ports::{Checkouts, LogoImages, Merchants, Payees, SettlementAccounts, StoreError};
use std::sync::Arc;

/// The ports for managing merchants.
#[derive(Clone)]
pub struct MerchantServices {
    /// Real time and ids. [`MerchantServices::clock_of`] returns those of an account.
    pub time: AccountClocks,
    /// Reads and changes profiles and logos.
    pub merchants: Arc<dyn Merchants>,
    /// Converts uploaded images to logos.
    pub logo_images: Arc<dyn LogoImages>,
    /// Reads, creates and changes checkouts.
    pub checkouts: Arc<dyn Checkouts>,
    /// Reads, creates, changes and deletes settlement accounts.
    pub settlement_accounts: Arc<dyn SettlementAccounts>,
    /// Reads and creates payees.
    pub payees: Arc<dyn Payees>,
    /// The table for checking sort codes and account numbers.
    pub modulus: Arc<ModulusTable>,
    /// Maximum number of checkouts of an account.
    pub max_checkouts: u64,
    /// Maximum number of payees of an account.
    pub max_payees: u64,
}

/// Reasons that an account can't be used as a merchant.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MerchantAccessError {
    /// The account has no active merchant profile.
    #[error("the account has no active merchant profile")]
    NoProfile,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl MerchantServices {
    /// The clock and ids of a request that writes; call it once per request.
    pub async fn clock_of(&self, account: &Account) -> Result<AccountClock, StoreError> {
        self.time.clock_of(account).await
    }

    /// Returns the active merchant profile of an account.
    pub async fn active_profile(&self, account: &Account) -> Result<MerchantProfile, MerchantAccessError> {
        let found = self.merchants.find(&account.id).await?;
        found.filter(MerchantProfile::is_active).ok_or(MerchantAccessError::NoProfile)
    }
}
