//! The permissions of the files of a database: only their owner may read them.

use std::path::Path;

/// Removes the permissions of other users from a database and from the files that SQLite keeps next to it. Earlier
/// versions created files that everybody could read. Logs a warning for each file that had such permissions.
#[cfg(unix)]
pub(super) fn restrict(database: &Path) {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;

    const OTHERS: u32 = 0o077;
    // SQLite places its files next to the target of a symbolic link.
    let Ok(database) = fs::canonicalize(database) else { return };
    for suffix in ["", "-wal", "-shm"] {
        let mut file = database.clone().into_os_string();
        file.push(suffix);
        let Ok(metadata) = fs::metadata(&file) else { continue };
        let mode = metadata.permissions().mode() & 0o777;
        if mode & OTHERS == 0 {
            continue;
        }
        let file = Path::new(&file);
        match fs::set_permissions(file, Permissions::from_mode(mode & !OTHERS)) {
            Ok(()) => {
                tracing::warn!(file = %file.display(), "removed the permissions of other users");
            }
            Err(error) => {
                tracing::warn!(file = %file.display(), %error, "other users have permissions; run `chmod 600` on it");
            }
        }
    }
}

/// Does nothing: files inherit the permissions of their folder.
#[cfg(not(unix))]
pub(super) fn restrict(_database: &Path) {}
