//! Administration by an operator: clients, accounts, keys, features, reference data.

use crate::{Decide, StoreError, WriteError};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use florin_domain::access::{Account, ApiClient, ApiKey, ClientChange, Feature, KeyHash, KeyRotation, RotateRefusal};
use florin_domain::address::Address;
use florin_domain::budget::BudgetRecord;
use florin_domain::ids::{AccountId, ApiKeyId, ClientId};
use florin_domain::merchant::Bank;
use florin_domain::mfa::TotpEnrolment;

/// The administration of a store. Every call is atomic.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait Registry: Send + Sync {
    /// All clients, by name, then by id.
    async fn clients(&self) -> Result<Vec<ApiClient>, StoreError>;

    /// Stores a new client.
    async fn add_client(&self, client: ApiClient) -> Result<(), StoreError>;

    /// Changes a client. `NotFound`: no such client.
    async fn change_client(&self, client: ClientId, change: ClientChange) -> Result<(), StoreError>;

    /// Disables a client at a time, or enables it (`None`). A disabled client stays disabled since the first time.
    /// `NotFound`: no such client.
    async fn set_disabled(&self, client: ClientId, at: Option<DateTime<Utc>>) -> Result<(), StoreError>;

    /// Switches a feature of a client on or off. `NotFound`: no such client.
    async fn set_feature(&self, client: ClientId, feature: Feature, on: bool) -> Result<(), StoreError>;

    /// All accounts, by id.
    async fn accounts(&self) -> Result<Vec<Account>, StoreError>;

    /// Stores a new account with its parent budget. `Duplicate`: the id exists; `NotFound`: no such client.
    async fn add_account(&self, account: Account, parent: BudgetRecord) -> Result<(), StoreError>;

    /// Renames an account. `NotFound`: no such account.
    async fn rename_account(&self, account: &AccountId, name: String) -> Result<(), StoreError>;

    /// Sets whether confirming the account's payment batches requires multi-factor authentication. `NotFound`: no such
    /// account.
    async fn set_mfa_required(&self, account: &AccountId, required: bool) -> Result<(), StoreError>;

    /// Enrols an account for TOTP. It replaces an earlier enrolment and its counters. `NotFound`: no such account.
    async fn enrol(&self, enrolment: TotpEnrolment) -> Result<(), StoreError>;

    /// Removes the enrolment of an account and returns whether it existed. `NotFound`: no such account.
    async fn remove_enrolment(&self, account: &AccountId) -> Result<bool, StoreError>;

    /// Unlocks TOTP of an account: no wrong token counts any more. Returns whether the account is enrolled. `NotFound`:
    /// no such account.
    async fn unlock_enrolment(&self, account: &AccountId) -> Result<bool, StoreError>;

    /// All keys, or those of one client, oldest first.
    async fn keys(&self, client: Option<ClientId>) -> Result<Vec<ApiKey>, StoreError>;

    /// Stores a new key under its hash. `NotFound`: no such client, or an account of another client.
    async fn add_key(&self, key: ApiKey, hash: KeyHash) -> Result<(), StoreError>;

    /// Revokes a key, and with it the keys of the worlds that it created; a revoked key stays revoked. `NotFound`: no such
    /// key.
    async fn revoke_key(&self, key: ApiKeyId, at: DateTime<Utc>) -> Result<(), StoreError>;

    /// Rotates a key: stores its successor under the hash, and the time at which it expires. The keys of worlds that it
    /// created belong to the successor afterwards. `Absent`: no such key.
    async fn rotate_key(
        &self,
        key: ApiKeyId,
        hash: KeyHash,
        decide: Decide<ApiKey, Result<KeyRotation, RotateRefusal>>,
    ) -> Result<KeyRotation, WriteError<RotateRefusal>>;

    /// Replaces the bank list.
    async fn replace_banks(&self, banks: Vec<Bank>) -> Result<(), StoreError>;

    /// Replaces the imported addresses; each postcode has a UK shape.
    async fn replace_addresses(&self, addresses: Vec<Address>) -> Result<(), StoreError>;
}
