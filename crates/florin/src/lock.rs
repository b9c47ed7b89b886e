//! Allows one server per SQLite file: a second server would serve stale caches, and its writes would wait for the first
//! server's.
//!
//! The lock is an advisory lock on a small file next to the database. The operating system releases it when the process
//! ends, for any reason. The file contains the id of the process, and a clean shutdown removes it.

use crate::usage::UsageError;
use anyhow::Context;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};

/// The right to serve a database, released on drop.
#[derive(Debug)]
pub(crate) struct ServerLock {
    path: PathBuf,
    file: File,
}

impl ServerLock {
    /// Acquires the lock of a SQLite file, or reports its holder. `source` names the setting that gave the file.
    pub(crate) fn take(database: &Path, source: &str) -> anyhow::Result<Self> {
        let path = lock_file(database);
        loop {
            let mut options = OpenOptions::new();
            options.read(true).write(true).create(true).truncate(false);
            let file = options.open(&path).with_context(|| format!("cannot create {}", path.display()))?;
            match file.try_lock() {
                // The previous holder may have deleted the file after it was opened here. A lock on a deleted file
                // protects nothing, so try again.
                Ok(()) if is_at(&file, &path) => return Self { path, file }.announce(),
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Err(held(database, &path, source).into()),
                Err(TryLockError::Error(error)) => {
                    return Err(error).with_context(|| format!("cannot lock {}", path.display()));
                }
            }
        }
    }

    /// Writes the id of this process to the file.
    fn announce(mut self) -> anyhow::Result<Self> {
        let written = self.file.set_len(0).and_then(|()| writeln!(self.file, "{}", std::process::id()));
        written.with_context(|| format!("cannot write {}", self.path.display()))?;
        Ok(self)
    }
}

impl Drop for ServerLock {
    fn drop(&mut self) {
        // Remove the file before the lock is released, so that no other process's file is removed. A leftover file is
        // harmless.
        let _ = fs::remove_file(&self.path);
    }
}

/// The path of a database's lock file. It is the same for every link to the database.
fn lock_file(database: &Path) -> PathBuf {
    let database = fs::canonicalize(database).unwrap_or_else(|_| database.to_owned());
    let mut name = OsString::from(".");
    name.push(database.file_name().unwrap_or_default());
    name.push(".server");
    database.with_file_name(name)
}

/// Whether the open file is still the file at the path.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (file.metadata(), fs::metadata(path)) {
        (Ok(ours), Ok(there)) => (ours.dev(), ours.ino()) == (there.dev(), there.ino()),
        _ => false,
    }
}

#[cfg(not(unix))]
fn is_at(_file: &File, path: &Path) -> bool {
    path.exists()
}

fn held(database: &Path, lock: &Path, source: &str) -> UsageError {
    let holder = fs::read_to_string(lock).ok().and_then(|text| text.trim().parse::<u32>().ok());
    let holder = holder.map_or_else(|| "another process".to_owned(), |id| format!("process {id}"));
    let database = database.display();
    UsageError::new(format!("{source}: {holder} is already serving {database}; stop it, or name another database"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::tempdir;

    #[test]
    fn the_error_of_a_second_server_names_the_lock_holder() {
        let folder = tempdir().unwrap();
        let database = folder.path().join("florin.db");
        fs::write(&database, "").unwrap();
        let held = ServerLock::take(&database, "--database-url").unwrap();
        let said = ServerLock::take(&database, "--database-url").unwrap_err();
        assert!(said.is::<UsageError>());
        let said = said.to_string();
        assert!(
            said.starts_with("--database-url: ") && said.contains(&format!("process {}", std::process::id())),
            "{said}"
        );
        drop(held);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "the lock file is left");
        drop(ServerLock::take(&database, "--database-url").unwrap());
    }

    #[test]
    #[cfg(unix)]
    fn a_symlink_uses_the_same_lock() {
        let folder = tempdir().unwrap();
        let [database, link] = ["florin.db", "link.db"].map(|name| folder.path().join(name));
        fs::write(&database, "").unwrap();
        std::os::unix::fs::symlink(&database, &link).unwrap();
        let _held = ServerLock::take(&database, "x").unwrap();
        assert!(ServerLock::take(&link, "x").is_err());
    }

    #[test]
    fn a_file_left_by_a_killed_server_is_taken_over() {
        let folder = tempdir().unwrap();
        let database = folder.path().join("florin.db");
        fs::write(&database, "").unwrap();
        fs::write(lock_file(&database), "4194304\n").unwrap();
        drop(ServerLock::take(&database, "x").unwrap());
    }
}
