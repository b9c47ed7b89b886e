//! The directories that SQLite writes to: the directory of the database, and one for temporary files.

use std::env;
use std::fmt::Display;
use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// Whether there is a directory for temporary files, which migrations need. On a read-only root there may be none; then
/// temporary data is kept in memory.
pub(super) static HAS_TEMPORARY_DIRECTORY: LazyLock<bool> = LazyLock::new(|| {
    let exists = has_writable(temporary_directories());
    if !exists {
        tracing::warn!("no directory for temporary files is writable; SQLite keeps temporary data in memory");
    }
    exists
});

/// The directories that SQLite tries for temporary files.
fn temporary_directories() -> impl Iterator<Item = PathBuf> {
    let named = ["SQLITE_TMPDIR", "TMPDIR"].into_iter().filter_map(env::var_os).map(PathBuf::from);
    named.chain(["/var/tmp", "/usr/tmp", "/tmp", "."].map(PathBuf::from))
}

fn has_writable(mut directories: impl Iterator<Item = PathBuf>) -> bool {
    directories.any(|directory| check_writable(&directory).is_ok())
}

/// Adds to an error that the directory of the database is not writable, if that is so. SQLite's own message does not
/// name the directory.
pub(super) fn explained(database: &Path, error: &dyn Display) -> String {
    let absolute = std::path::absolute(database).unwrap_or_else(|_| database.to_path_buf());
    let Some(directory) = absolute.parent() else { return error.to_string() };
    match check_writable(directory) {
        Ok(()) => error.to_string(),
        Err(reason) => {
            format!(
                "{error}: SQLite writes files beside the database, and cannot write to {}: {reason}",
                directory.display()
            )
        }
    }
}

/// Creates a file in a directory and deletes it.
fn check_writable(directory: &Path) -> io::Result<()> {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let name = format!(".florin-{}-{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
    let path = directory.join(name);
    OpenOptions::new().write(true).create_new(true).open(&path)?;
    fs::remove_file(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_names_a_directory_that_is_not_writable() {
        let folder = tempfile::tempdir().unwrap();
        let error = "attempt to write a readonly database";
        assert_eq!(explained(&folder.path().join("florin.db"), &error), error);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        // Nobody can create files there, not even root.
        let message = explained(Path::new("/proc/florin.db"), &error);
        assert!(message.starts_with(error) && message.contains("cannot write to /proc: "), "{message}");
    }

    #[test]
    fn one_writable_directory_suffices() {
        let folder = tempfile::tempdir().unwrap();
        assert!(has_writable(["/proc".into(), folder.path().into()].into_iter()));
        assert!(!has_writable(["/proc".into(), "/nowhere".into()].into_iter()));
    }
}
