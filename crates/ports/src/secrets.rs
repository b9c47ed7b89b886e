//! Secrets that are encrypted at rest.

use crate::StoreError;
use async_trait::async_trait;
use florin_domain::secret::{SealedSecret, Secret, SecretFilter, SecretKeyId, SecretOwner, StoreKey};

/// Encrypts secrets before a store receives them, and decrypts the secrets that it returns.
#[cfg_attr(feature = "test-support", mockall::automock)]
pub trait SecretCipher: Send + Sync {
    /// Returns the id of the key that encrypts.
    fn key(&self) -> SecretKeyId;

    /// Returns whether the cipher can decrypt secrets under this key: the current key, or an earlier one that the
    /// operator still provides.
    fn has(&self, key: SecretKeyId) -> bool;

    /// Encrypts a secret of a record.
    fn seal(&self, owner: &SecretOwner, secret: &Secret) -> Result<SealedSecret, SecretError>;

    /// Decrypts the secret of a record, with the current key or an earlier one that the operator still provides. A
    /// secret of another record, or one that is not encrypted, is [`SecretError::Damaged`].
    fn open(&self, owner: &SecretOwner, sealed: &SealedSecret) -> Result<Secret, SecretError>;
}

/// Reasons that a secret can't be encrypted or decrypted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SecretError {
    /// The operator does not provide the key of the secret.
    #[error("the secret of {owner} is encrypted under key {key}, which is not given")]
    Key {
        /// The record.
        owner: SecretOwner,
        /// The key of the secret.
        key: SecretKeyId,
    },
    /// The secret was changed, belongs to another record, or is not encrypted.
    #[error("the secret of {0} is damaged")]
    Damaged(SecretOwner),
    /// The machine provides no random bytes.
    #[error("cannot encrypt a secret: {0}")]
    Random(String),
}

impl From<SecretError> for StoreError {
    fn from(error: SecretError) -> Self {
        match error {
            SecretError::Random(_) => Self::Unavailable(error.to_string()),
            SecretError::Key { .. } | SecretError::Damaged(_) => Self::Corrupt(error.to_string()),
        }
    }
}

/// A secret of a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredSecret {
    /// The record that the secret belongs to.
    pub owner: SecretOwner,
    /// The secret as it is stored.
    pub secret: SealedSecret,
}

/// The secrets of a store, and the secret key that it is bound to. Every call is atomic.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait Secrets: Send + Sync {
    /// Returns the secret key that the store is bound to; `None` if it is not bound yet.
    async fn secret_key(&self) -> Result<Option<StoreKey>, StoreError>;

    /// Binds the store to a secret key unless it is already bound, and returns the key that it is bound to. Of
    /// concurrent calls, the first one binds it.
    async fn bind_secret_key(&self, key: StoreKey) -> Result<StoreKey, StoreError>;

    /// Binds the store to another secret key if it is still bound to `from`, and returns whether the key was changed.
    async fn change_secret_key(&self, from: SecretKeyId, to: StoreKey) -> Result<bool, StoreError>;

    /// Stores the secret of the payment pages unless there is one, and returns the stored one. Of concurrent calls, the
    /// first one stores its secret.
    async fn page_secret(&self, new: SealedSecret) -> Result<SealedSecret, StoreError>;

    /// Returns at most `max` secrets that the filter includes.
    async fn secrets(&self, filter: SecretFilter, max: u32) -> Result<Vec<StoredSecret>, StoreError>;

    /// Replaces a secret if it is still `old`, and returns whether it was replaced.
    async fn replace_secret(
        &self,
        owner: &SecretOwner,
        old: &SealedSecret,
        new: SealedSecret,
    ) -> Result<bool, StoreError>;
}
