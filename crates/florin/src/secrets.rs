//! The key that encrypts secrets: given by the operator, or generated in a sandbox.

use crate::machine::random as random_bytes;
use crate::settings::{Settings, Sourced};
use crate::usage::UsageError;
use crate::wiring;
use anyhow::{Context, anyhow};
use florin_application::{PageTokenMaker, SecretsError, prepare_secrets};
use florin_domain::access::Environment;
use florin_domain::secret::{Secret, StoreKey};
use florin_ports::{CompleteStorage, SecretCipher};
use florin_secret_cipher::{KeyRing, SecretKey};
use std::ffi::OsString;
use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The keys of a store.
pub(crate) struct StoreSecrets {
    /// Encrypts and decrypts its secrets.
    pub(crate) cipher: Arc<KeyRing>,
    /// The current key, if a sandbox generated it.
    pub(crate) generated: Option<SecretKey>,
}

/// A key with its source.
struct Found {
    key: SecretKey,
    source: String,
    is_generated: bool,
    /// The key, if it is new and the database must store it.
    kept: Option<Secret>,
}

/// Refuses a production environment without a key, before anything is created.
pub(crate) fn require_key(settings: &Settings, environment: Environment) -> Result<(), UsageError> {
    if settings.secret_key.is_none() && environment == Environment::Production {
        return Err(UsageError::new(
            "production requires a key that encrypts secrets: set FLORIN_SECRET_KEY_FILE to a file with 64 hexadecimal \
             digits, such as `openssl rand -hex 32` prints",
        ));
    }
    Ok(())
}

/// Finds the key of a store, binds a new store to it, and encrypts secrets that are still in clear. Refuses a key that
/// differs from the store's.
pub(crate) async fn open(
    settings: &Settings,
    environment: Environment,
    store: &dyn CompleteStorage,
) -> anyhow::Result<StoreSecrets> {
    let mut found = find(settings, environment, store).await?;
    let previous = settings.secret_key_previous.as_ref().map(|previous| previous.value.clone());
    let mut ring = KeyRing::new(found.key.clone(), previous.clone());
    let mut prepared = prepare_secrets(store, &ring, found.kept.clone()).await;
    if found.kept.is_some() && matches!(prepared, Err(SecretsError::WrongKey { .. })) {
        // Another instance has generated a key at the same time.
        found = find(settings, environment, store).await?;
        ring = KeyRing::new(found.key.clone(), previous);
        prepared = prepare_secrets(store, &ring, None).await;
    }
    check(prepared, &ring, &found.source)?;
    let generated = found.is_generated.then_some(found.key);
    Ok(StoreSecrets { cipher: Arc::new(ring), generated })
}

/// Checks that the keys of the home decrypt the secrets of a cell, and encrypts those that are still in clear. `source`
/// names the setting of the cell.
pub(crate) async fn open_cell(cell: &dyn CompleteStorage, keys: &KeyRing, source: &str) -> anyhow::Result<()> {
    check(prepare_secrets(cell, keys, None).await, keys, source)
}

/// Logs what was encrypted. A wrong key is a [`UsageError`], which begins with `source`.
fn check(prepared: Result<usize, SecretsError>, keys: &KeyRing, source: &str) -> anyhow::Result<()> {
    match prepared {
        Ok(0) => Ok(()),
        Ok(encrypted) => {
            tracing::warn!(encrypted, key = %keys.key(), "encrypted secrets that were stored in clear");
            Ok(())
        }
        Err(error @ SecretsError::WrongKey { .. }) => {
            Err(UsageError::new(format!("{source}: {error}; give the right key")).into())
        }
        Err(error) => Err(error).context("cannot prepare the secrets"),
    }
}

/// Opens the secret from which the tokens of payment pages are derived. A new store gets a random secret.
pub(crate) async fn page_tokens(
    store: &dyn CompleteStorage,
    cipher: &dyn SecretCipher,
) -> anyhow::Result<PageTokenMaker> {
    let random = Secret::new(random_bytes::<32>()?.to_vec());
    PageTokenMaker::open(store, cipher, random).await.context("cannot prepare the secret of the payment pages")
}

/// Finds the key of a store: in the settings, in the database, or in the file next to a SQLite database. Generates a
/// key for a sandbox that is not bound to one yet.
async fn find(settings: &Settings, environment: Environment, store: &dyn CompleteStorage) -> anyhow::Result<Found> {
    if let Some(Sourced { value, source }) = &settings.secret_key {
        return Ok(Found { key: value.clone(), source: source.clone(), is_generated: false, kept: None });
    }
    require_key(settings, environment)?;
    let bound = store.secret_key().await?;
    let generated = |key, source: &str| Found { key, source: source.to_owned(), is_generated: true, kept: None };
    match (bound, wiring::sqlite_file(&settings.database_url).map(|database| key_file(&database))) {
        (Some(StoreKey { kept: Some(kept), .. }), _) => {
            let key = SecretKey::from_stored(&kept).ok_or_else(|| anyhow!("the key in the database is damaged"))?;
            Ok(generated(key, "the key in the database"))
        }
        (Some(_), None) => Err(missing("it was given when the database was created").into()),
        (bound, Some(file)) => {
            let path = file.display().to_string();
            match (read(&file)?, bound) {
                (Some(key), _) => Ok(generated(key, &path)),
                (None, Some(_)) => Err(missing(&format!("{path} does not exist")).into()),
                (None, None) => Ok(generated(create(&file)?, &path)),
            }
        }
        (None, None) => {
            let key = random()?;
            Ok(Found { kept: Some(key.to_secret()), ..generated(key, "the key in the database") })
        }
    }
}

fn missing(why: &str) -> UsageError {
    UsageError::new(format!("the key of this database is missing: {why}; give it as FLORIN_SECRET_KEY_FILE"))
}

fn random() -> anyhow::Result<SecretKey> {
    SecretKey::random().map_err(|error| anyhow!("cannot get random bytes: {error}"))
}

/// The file of the generated key of a SQLite database.
fn key_file(database: &Path) -> PathBuf {
    let database = fs::canonicalize(database).unwrap_or_else(|_| database.to_owned());
    let mut name = OsString::from(database.file_name().unwrap_or_default());
    name.push(".key");
    database.with_file_name(name)
}

fn read(file: &Path) -> anyhow::Result<Option<SecretKey>> {
    match fs::read_to_string(file) {
        Ok(text) => {
            let key = SecretKey::parse(text.trim());
            Ok(Some(key.ok_or_else(|| anyhow!("{} is not a key of 64 hexadecimal digits", file.display()))?))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("cannot read {}", file.display())),
    }
}

/// Creates the file with a new key, readable by its owner only. If another process created it first, returns that key.
fn create(file: &Path) -> anyhow::Result<SecretKey> {
    let key = random()?;
    let failed = || format!("cannot create {}", file.display());
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // A temporary file has mode 0600. It receives its final name when it is complete.
    let mut new = tempfile::NamedTempFile::new_in(folder).with_context(failed)?;
    writeln!(new, "{}", *key.to_hex()).and_then(|()| new.as_file().sync_all()).with_context(failed)?;
    match new.persist_noclobber(file) {
        Ok(_) => Ok(key),
        Err(error) if error.error.kind() == ErrorKind::AlreadyExists => read(file)?.with_context(failed),
        Err(error) => Err(error.error).with_context(failed),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::tempdir;

    #[test]
    fn a_generated_key_is_created_once() {
        let folder = tempdir().unwrap();
        let file = key_file(&folder.path().join("florin.db"));
        assert!(read(&file).unwrap().is_none());
        let key = create(&file).unwrap();
        assert_eq!(create(&file).unwrap().id(), key.id());
        assert_eq!(read(&file).unwrap().unwrap().id(), key.id());
        fs::write(&file, "nonsense").unwrap();
        assert!(read(&file).unwrap_err().to_string().contains("64 hexadecimal digits"));
    }

    #[test]
    #[cfg(unix)]
    fn only_the_owner_reads_a_generated_key() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempdir().unwrap();
        let file = folder.path().join("florin.db.key");
        create(&file).unwrap();
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    }
}
