//! The folder of this process among the temporary files. It contains the directories of all its tests.
//!
//! A process that is killed cannot remove its folder, so the next process does. A process holds a lock on its folder.
//! The lock ends with the process, however the process ends.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

use super::server::MAX_WAIT;
use tempfile::{Builder, TempDir};

/// The beginning of the names of locked folders.
const LOCKED: &str = "florin-workspaces-";
/// The beginning of the names of folders that are not locked yet.
const NEW: &str = ".florin-new-workspaces-";

/// The folder of a process.
struct Folder {
    path: PathBuf,
    _lock: File,
}

/// Creates a directory in the folder of this process.
pub(crate) fn directory() -> TempDir {
    static FOLDER: OnceLock<Folder> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| {
        let temporary = std::env::temp_dir();
        remove_abandoned(&temporary);
        Folder::new(&temporary)
    });
    Builder::new().prefix("workspace-").tempdir_in(&folder.path).unwrap()
}

impl Folder {
    /// Creates a locked folder. Other processes find it by its name, which it gets after the lock. If the file system
    /// has no locks, the folder keeps its first name, and nobody removes it.
    fn new(parent: &Path) -> Self {
        let new = Builder::new().prefix(NEW).tempdir_in(parent).unwrap().keep();
        let lock = File::open(&new).unwrap();
        if lock.try_lock().is_err() {
            return Self { path: new, _lock: lock };
        }
        let name = new.file_name().unwrap().to_str().unwrap();
        let path = parent.join(name.replacen(NEW, LOCKED, 1));
        fs::rename(&new, &path).unwrap();
        Self { path, _lock: lock }
    }
}

/// Removes the folders of ended processes. A folder of another user stays.
fn remove_abandoned(parent: &Path) {
    let Ok(entries) = fs::read_dir(parent) else { return };
    for entry in entries.flatten() {
        let is_folder = entry.file_name().to_string_lossy().starts_with(LOCKED);
        if is_folder && File::open(entry.path()).is_ok_and(|folder| folder.try_lock().is_ok()) {
            // Another process may be removing it, too.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

#[test]
fn folders_of_ended_processes_are_removed() {
    let parent = tempfile::tempdir().unwrap();
    let [running, ended] = [(); 2].map(|()| Folder::new(parent.path()));
    let other = parent.path().join("another-folder");
    for folder in [&running.path, &ended.path, &other] {
        fs::create_dir_all(folder.join("workspace")).unwrap();
    }
    let path = ended.path.clone();
    // The end of a process closes its files.
    drop(ended);
    // A process that another test is starting has a copy of the lock until it runs its program.
    let start = Instant::now();
    while path.exists() && start.elapsed() < MAX_WAIT {
        remove_abandoned(parent.path());
        thread::sleep(Duration::from_millis(5));
    }
    assert_eq!([&running.path, &path, &other].map(|folder| folder.exists()), [true, false, true]);
    assert!(directory().path().is_dir());
}
