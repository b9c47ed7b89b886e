//! What an operator sets up: clients, accounts, keys, features, reference data.

use crate::StoreError;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use florin_domain::access::{Account, ApiClient, ApiKey, Feature, KeyHash};
use florin_domain::address::Address;
use florin_domain::ids::{AccountId, ApiKeyId, ClientId};
use florin_domain::merchant::Bank;
use florin_domain::mfa::TotpEnrolment;

/// The operator's side of the store. Every call is atomic.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait Registry: Send + Sync {
    /// All clients, by name, then by id.
    async fn clients(&self) -> Result<Vec<ApiClient>, StoreError>;

    /// Stores a new client.
    async fn add_client(&self, client: ApiClient) -> Result<(), StoreError>;

    /// Switches a feature of a client on or off. `NotFound`: no such client.
    async fn set_feature(&self, client: ClientId, feature: Feature, on: bool) -> Result<(), StoreError>;

    /// All accounts, by id.
    async fn accounts(&self) -> Result<Vec<Account>, StoreError>;

    /// Stores a new account. `Duplicate`: the id is taken; `NotFound`: no such client.
    async fn add_account(&self, account: Account) -> Result<(), StoreError>;

    /// Says whether the account's payment batches are confirmed with multi-factor authentication only. `NotFound`: no such
    /// account.
    async fn set_mfa_required(&self, account: &AccountId, required: bool) -> Result<(), StoreError>;

    /// Enrols an account for TOTP. It takes the place of an earlier enrolment, with all that was counted against that one.
    /// `NotFound`: no such account.
    async fn enrol(&self, enrolment: TotpEnrolment) -> Result<(), StoreError>;

    /// Removes the enrolment of an account; whether there was one. `NotFound`: no such account.
    async fn remove_enrolment(&self, account: &AccountId) -> Result<bool, StoreError>;

    /// All keys (of one client), the oldest first.
    async fn keys(&self, client: Option<ClientId>) -> Result<Vec<ApiKey>, StoreError>;

    /// Stores a new key under its hash. `NotFound`: no such client, or an account that is not the client's.
    async fn add_key(&self, key: ApiKey, hash: KeyHash) -> Result<(), StoreError>;

    /// Revokes a key; one that is revoked stays so. `NotFound`: no such key.
    async fn revoke_key(&self, key: ApiKeyId, at: DateTime<Utc>) -> Result<(), StoreError>;

    /// Replaces the bank list.
    async fn replace_banks(&self, banks: Vec<Bank>) -> Result<(), StoreError>;

    /// Replaces the imported addresses; each one's postcode is of a UK shape.
    async fn replace_addresses(&self, addresses: Vec<Address>) -> Result<(), StoreError>;
}
