//! The rights on the files of a database: only their owner may read them.

use std::path::Path;

/// Takes the rights of all other users from a database and from the files that SQLite keeps next to it. Earlier versions
/// created them readable by everybody. Logs a warning for each file that can't be changed.
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
                tracing::warn!(file = %file.display(), "other users could read the database; now only its owner can");
            }
            Err(error) => {
                tracing::warn!(file = %file.display(), %error, "other users can read the database; run `chmod 600` on it");
            }
        }
    }
}

/// Does nothing: files inherit the rights of their folder.
#[cfg(not(unix))]
pub(super) fn restrict(_database: &Path) {}
