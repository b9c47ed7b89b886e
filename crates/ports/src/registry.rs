//! Administration by an operator: clients, accounts, keys, features, the bank list and addresses.

use crate::{Decide, StoreError, WriteError};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use florin_domain::access::{Account, ApiClient, ApiKey, ClientChange, Feature, KeyHash, KeyRotation, RotateRefusal};
use florin_domain::address::Address;
use florin_domain::budget::BudgetRecord;
use florin_domain::ids::{AccountId, ApiKeyId, ClientId};
use florin_domain::merchant::Bank;
use florin_domain::mfa::TotpEnrolment;

/// Administers a store. Every call is atomic.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait Registry: Send + Sync {
    /// Returns all clients, by name, then by id.
    async fn clients(&self) -> Result<Vec<ApiClient>, StoreError>;

    /// Stores a new client.
    async fn add_client(&self, client: ApiClient) -> Result<(), StoreError>;

    /// Changes a client. `NotFound`: no such client.
    async fn change_client(&self, client: ClientId, change: ClientChange) -> Result<(), StoreError>;

    /// Disables a client at the given time, or enables it (`None`). A disabled client keeps the time at which it was
    /// first disabled. `NotFound`: no such client.
    async fn set_disabled(&self, client: ClientId, at: Option<DateTime<Utc>>) -> Result<(), StoreError>;

    /// Switches a feature of a client on or off. `NotFound`: no such client.
    async fn set_feature(&self, client: ClientId, feature: Feature, on: bool) -> Result<(), StoreError>;

    /// Returns all accounts, by id.
    async fn accounts(&self) -> Result<Vec<Account>, StoreError>;

    /// Stores a new account with its parent budget. `Duplicate`: an account with this id exists; `NotFound`: no such
    /// client.
    async fn add_account(&self, account: Account, parent: BudgetRecord) -> Result<(), StoreError>;

    /// Renames an account. `NotFound`: no such account.
    async fn rename_account(&self, account: &AccountId, name: String) -> Result<(), StoreError>;

    /// Sets whether the names of the account's budgets must be unique. Existing budgets keep their names. `NotFound`:
    /// no such account.
    async fn set_unique_budget_names(&self, account: &AccountId, unique: bool) -> Result<(), StoreError>;

    /// Sets whether confirming the account's payment batches requires multi-factor authentication. `NotFound`: no such
    /// account.
    async fn set_mfa_required(&self, account: &AccountId, required: bool) -> Result<(), StoreError>;

    /// Enrols an account for TOTP. Replaces an earlier enrolment and its counters. `NotFound`: no such account.
    async fn enrol(&self, enrolment: TotpEnrolment) -> Result<(), StoreError>;

    /// Removes the enrolment of an account and returns whether it existed. `NotFound`: no such account.
    async fn remove_enrolment(&self, account: &AccountId) -> Result<bool, StoreError>;

    /// Unlocks TOTP of an account by resetting its count of wrong tokens. Returns whether the account is enrolled.
    /// `NotFound`: no such account.
    async fn unlock_enrolment(&self, account: &AccountId) -> Result<bool, StoreError>;

    /// Returns all keys, or the keys of one client, oldest first.
    async fn keys(&self, client: Option<ClientId>) -> Result<Vec<ApiKey>, StoreError>;

    /// Stores a new key under its hash. `NotFound`: no such client, or the key names an account of another client.
    async fn add_key(&self, key: ApiKey, hash: KeyHash) -> Result<(), StoreError>;

    /// Revokes a key and the keys of the worlds that it created. A revoked key stays revoked. `NotFound`: no such key.
    async fn revoke_key(&self, key: ApiKeyId, at: DateTime<Utc>) -> Result<(), StoreError>;

    /// Rotates a key: stores its successor under the hash, and the time at which the old key expires. The keys of the
    /// worlds that the old key created then belong to the successor. `Absent`: no such key.
    async fn rotate_key(
        &self,
        key: ApiKeyId,
        hash: KeyHash,
        decide: Decide<ApiKey, Result<KeyRotation, RotateRefusal>>,
    ) -> Result<KeyRotation, WriteError<RotateRefusal>>;

    /// Replaces the bank list.
    async fn replace_banks(&self, banks: Vec<Bank>) -> Result<(), StoreError>;

    /// Replaces the imported addresses. Each postcode has the format of the UK.
    async fn replace_addresses(&self, addresses: Vec<Address>) -> Result<(), StoreError>;
}
