//! The permissions of the files of a database: only their owner may read them.

use std::path::Path;

/// Removes the permissions of other users from a database and from the files that SQLite keeps next to it. Earlier
/// versions created files that everybody could read. Logs a warning for each file that had such permissions, and for
/// each file that cannot be changed. The latter is not an error, because a file system may have no permissions, and a
/// database contains keys as hashes and secrets encrypted.
#[cfg(unix)]
pub(super) fn restrict(database: &Path) {
    // SQLite places its files next to the target of a symbolic link.
    let database = match std::fs::canonicalize(database) {
        Ok(database) => database,
        Err(error) => return warn(database, &error),
    };
    for suffix in ["", "-wal", "-shm"] {
        let mut file = database.clone().into_os_string();
        file.push(suffix);
        let file = Path::new(&file);
        match restrict_file(file) {
            Ok(true) => tracing::warn!(file = %file.display(), "removed the permissions of other users"),
            Ok(false) => {}
            Err(error) => warn(file, &error),
        }
    }
}

#[cfg(unix)]
fn warn(file: &Path, error: &std::io::Error) {
    tracing::warn!(
        file = %file.display(),
        %error,
        "cannot restrict the file to its owner, so other users may read it; run `chmod 600` on it"
    );
}

/// Removes the permissions of other users from a file. Returns whether there were any; a missing file has none.
#[cfg(unix)]
fn restrict_file(file: &Path) -> std::io::Result<bool> {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;

    const OTHERS: u32 = 0o077;
    let mode = match fs::metadata(file) {
        Ok(metadata) => metadata.permissions().mode() & 0o777,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(error),
    };
    if mode & OTHERS == 0 {
        return Ok(false);
    }
    fs::set_permissions(file, Permissions::from_mode(mode & !OTHERS))?;
    Ok(true)
}

/// Does nothing: files inherit the permissions of their folder.
#[cfg(not(unix))]
pub(super) fn restrict(_database: &Path) {}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_file_becomes_private_and_a_failure_is_reported() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("florin.db");
        assert!(!restrict_file(&file).unwrap(), "a missing file");
        fs::write(&file, "").unwrap();
        fs::set_permissions(&file, Permissions::from_mode(0o644)).unwrap();
        assert!(restrict_file(&file).unwrap());
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        assert!(!restrict_file(&file).unwrap(), "a private file");
        // A file is not a directory, not even for root.
        assert!(restrict_file(&file.join("florin.db-wal")).is_err());
    }
}
