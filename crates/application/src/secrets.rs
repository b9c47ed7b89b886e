//! Prepares the secrets of a store when a process starts, and re-encrypts them under a new key.

use florin_domain::secret::{SealedParts, SealedSecret, Secret, SecretFilter, SecretKeyId, SecretOwner, StoreKey};
use florin_ports::{SecretCipher, SecretError, Secrets, StoreError, StoredSecret};

/// Maximum number of secrets per read.
const PORTION: u32 = 200;

/// Reasons that the secrets of a store can't be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SecretsError {
    /// The store is bound to another key than the given ones.
    #[error("the secrets of this database are encrypted under key {bound}, but key {given} is given")]
    WrongKey {
        /// The key that the store is bound to.
        bound: SecretKeyId,
        /// The current key that was given.
        given: SecretKeyId,
    },
    /// A secret can't be encrypted or decrypted.
    #[error(transparent)]
    Secret(#[from] SecretError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Binds a new store to the cipher's current key. For a bound store, checks that the cipher has the store's key.
/// Encrypts secrets that an older version stored in clear, and returns their number. `kept` is the key itself, if the
/// store keeps it (see [`StoreKey::kept`]).
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

/// Encrypts every secret under the cipher's current key, and binds every part of the store, such as a cell, to it.
/// Returns the number of re-encrypted secrets. An interrupted rotation is continued by calling this again.
pub async fn rotate_secrets(
    secrets: &(impl Secrets + ?Sized),
    cipher: &dyn SecretCipher,
) -> Result<usize, SecretsError> {
    let given = cipher.key();
    let rotated =
        encrypt_each(secrets, cipher, SecretFilter::NotUnder(given), |owner, sealed| cipher.open(owner, sealed))
            .await?;
    let mut changed = None;
    while let Some(bound) = other_key(secrets, given).await? {
        if changed == Some(bound) {
            return Err(SecretsError::WrongKey { bound, given });
        }
        secrets.change_secret_key(bound, StoreKey { id: given, kept: None }).await?;
        changed = Some(bound);
    }
    Ok(rotated)
}

/// Returns a key that is not the given one, and that the store or a part of it, such as a cell, is bound to. After a
/// rotation that left out a part, that part is still bound to the old key. If the store is not bound yet, binds it to
/// the given key.
pub async fn other_key(
    secrets: &(impl Secrets + ?Sized),
    given: SecretKeyId,
) -> Result<Option<SecretKeyId>, StoreError> {
    let bound = match secrets.secret_key().await? {
        Some(bound) if bound.id != given => bound,
        _ => secrets.bind_secret_key(StoreKey { id: given, kept: None }).await?,
    };
    Ok(Some(bound.id).filter(|bound| *bound != given))
}

/// Re-encrypts every secret that the filter includes, and returns their number.
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
        for StoredSecret { owner, secret: old } in portion {
            let new = cipher.seal(&owner, &open(&owner, &old)?)?;
            // A secret that was changed meanwhile is not replaced. The next read returns it again, if the filter still
            // includes it.
            replaced += usize::from(secrets.replace_secret(&owner, &old, new).await?);
        }
    }
}

#[cfg(test)]
#[path = "secrets_tests.rs"]
mod tests;
