//! Prepares the secrets of a store at a start, and encrypts them under a new key.

use florin_domain::secret::{SealedParts, SealedSecret, Secret, SecretFilter, SecretKeyId, SecretOwner, StoreKey};
use florin_ports::{SecretCipher, SecretError, Secrets, StoreError};

/// Number of secrets that are read together.
const PORTION: u32 = 200;

/// Reasons that the secrets of a store can't be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SecretsError {
    /// The store is bound to a key that is not given.
    #[error("the secrets of this database are encrypted under key {bound}, but key {given} is given")]
    WrongKey {
        /// The key of the store.
        bound: SecretKeyId,
        /// The given key.
        given: SecretKeyId,
    },
    /// A secret can't be encrypted or decrypted.
    #[error(transparent)]
    Secret(#[from] SecretError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Binds a new store to the key, and checks that the store is bound to a key of the cipher. Encrypts secrets that were
/// stored before secrets were encrypted, and returns their number.
pub async fn prepare_secrets(
    secrets: &(impl Secrets + ?Sized),
    cipher: &dyn SecretCipher,
    kept: Option<Secret>,
) -> Result<usize, SecretsError> {
    let given = cipher.key();
    let bound = secrets.bind_secret_key(StoreKey { id: given, kept }).await?;
    if !cipher.has(bound.id) {
        return Err(SecretsError::WrongKey { bound: bound.id, given });
    }
    let open = |owner: &SecretOwner, sealed: &SealedSecret| match sealed.parts() {
        Some(SealedParts::Clear(secret)) => Ok(secret),
        _ => cipher.open(owner, sealed),
    };
    encrypt_each(secrets, cipher, SecretFilter::InClear, open).await
}

/// Encrypts every secret under the current key of the cipher, and binds the store to it. Returns the number of secrets that
/// were under another key. A rotation that was interrupted is continued by the next one.
pub async fn rotate_secrets(
    secrets: &(impl Secrets + ?Sized),
    cipher: &dyn SecretCipher,
) -> Result<usize, SecretsError> {
    let given = cipher.key();
    let rotated =
        encrypt_each(secrets, cipher, SecretFilter::NotUnder(given), |owner, sealed| cipher.open(owner, sealed))
            .await?;
    let bound = secrets.secret_key().await?;
    if let Some(bound) = bound.filter(|bound| bound.id != given) {
        secrets.change_secret_key(bound.id, StoreKey { id: given, kept: None }).await?;
    }
    Ok(rotated)
}

/// Encrypts every secret that the filter includes, and returns their number.
async fn encrypt_each(
    secrets: &(impl Secrets + ?Sized),
    cipher: &dyn SecretCipher,
    filter: SecretFilter,
    open: impl Fn(&SecretOwner, &SealedSecret) -> Result<Secret, SecretError>,
) -> Result<usize, SecretsError> {
    let mut replaced = 0;
    loop {
        let portion = secrets.secrets(filter, PORTION).await?;
        if portion.is_empty() {
            return Ok(replaced);
        }
        for (owner, old) in portion {
            let new = cipher.seal(&owner, &open(&owner, &old)?)?;
            // A secret that was changed in the meantime is read again.
            replaced += usize::from(secrets.replace_secret(&owner, &old, new).await?);
        }
    }
}

#[cfg(test)]
#[path = "secrets_tests.rs"]
mod tests;
