//! Writes a file atomically: first under a temporary name, then renamed.

use crate::usage::UsageError;
use actix_web::rt::System;
use actix_web::rt::signal::unix::{SignalKind, signal};
use anyhow::{Context as _, anyhow};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::thread;
use tempfile::{Builder, NamedTempFile};

/// A file that is written under a temporary name in the same folder, readable by its owner only, and renamed when
/// complete.
pub(super) struct Target {
    path: PathBuf,
    replace: bool,
    /// The temporary file. Dropping it deletes the file.
    temporary: NamedTempFile,
}

impl Target {
    /// Prepares to write a file. An existing file is refused, unless `replace` is set.
    pub(super) fn create(path: &Path, replace: bool) -> anyhow::Result<Self> {
        // Resolve a symbolic link, so that its target is replaced and the link stays.
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        match fs::metadata(&path) {
            Ok(_) if !replace => return Err(exists(&path)),
            Ok(found) if !found.is_file() => {
                return Err(UsageError::new(format!("{} is not a regular file", path.display())).into());
            }
            Ok(_) | Err(_) => {}
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let temporary = Builder::new()
            .prefix(".florin-export-")
            .suffix(".partial")
            .tempfile_in(folder)
            .map_err(|error| anyhow!("cannot create {}: {error}", path.display()))?;
        Ok(Self { path, replace, temporary })
    }

    /// Removes the unfinished file when the process is stopped by a signal.
    pub(super) fn remove_when_stopped(&self) -> anyhow::Result<()> {
        let temporary = self.temporary.path().to_owned();
        let wait = move || {
            System::new().block_on(async {
                let (Ok(mut terminate), Ok(mut interrupt)) =
                    (signal(SignalKind::terminate()), signal(SignalKind::interrupt()))
                else {
                    return;
                };
                tokio::select! {
                    _ = terminate.recv() => {}
                    _ = interrupt.recv() => {}
                }
                // The process ends either way.
                let _ = fs::remove_file(&temporary);
                std::process::exit(1);
            });
        };
        thread::Builder::new().name("signals".to_owned()).spawn(wait).context("cannot start a thread").map(drop)
    }

    /// Writes the file, syncs it to the disk and renames it. A failure leaves no file.
    pub(super) fn fill<T>(self, write: impl FnOnce(&File) -> anyhow::Result<T>) -> anyhow::Result<T> {
        let Self { path, replace, temporary } = self;
        let written = write(temporary.as_file())?;
        temporary.as_file().sync_all().with_context(|| format!("cannot write {}", path.display()))?;
        let named = if replace { temporary.persist(&path) } else { temporary.persist_noclobber(&path) };
        named.map_err(|error| match error.error.kind() {
            std::io::ErrorKind::AlreadyExists => exists(&path),
            _ => anyhow!("cannot rename {} to {}: {}", error.file.path().display(), path.display(), error.error),
        })?;
        Ok(written)
    }
}

fn exists(path: &Path) -> anyhow::Error {
    UsageError::new(format!("{} already exists; use --force to replace it", path.display())).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::os::unix::fs::PermissionsExt;
    use tempfile::tempdir;

    fn names(folder: &Path) -> Vec<String> {
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect()
    }

    fn writing(text: &str) -> impl FnOnce(&File) -> anyhow::Result<()> {
        move |mut file| Ok(file.write_all(text.as_bytes())?)
    }

    #[test]
    fn the_file_gets_its_name_once_it_is_complete() {
        let folder = tempdir().unwrap();
        let path = folder.path().join("all.jsonl");
        let target = Target::create(&path, false).unwrap();
        let written = target.fill(|file| {
            writing("half")(file)?;
            assert!(!path.exists(), "the incomplete file already has its final name");
            writing(" and half")(file)
        });
        written.unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "half and half");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(names(folder.path()), ["all.jsonl"]);
    }

    #[test]
    fn a_failure_keeps_the_existing_file() {
        let folder = tempdir().unwrap();
        let path = folder.path().join("all.jsonl");
        fs::write(&path, "old").unwrap();
        assert!(Target::create(&path, false).is_err());
        Target::create(&path, true).unwrap().fill(|_| Err::<(), _>(anyhow!("the disk is full"))).unwrap_err();
        assert_eq!((fs::read_to_string(&path).unwrap().as_str(), names(folder.path()).len()), ("old", 1));
        Target::create(&path, true).unwrap().fill(writing("new")).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn a_file_created_meanwhile_is_not_replaced() {
        let folder = tempdir().unwrap();
        let path = folder.path().join("all.jsonl");
        let target = Target::create(&path, false).unwrap();
        fs::write(&path, "somebody else's").unwrap();
        assert!(target.fill(writing("mine")).unwrap_err().to_string().contains("--force"));
        assert_eq!(fs::read_to_string(&path).unwrap(), "somebody else's");
        assert_eq!(names(folder.path()).len(), 1);
    }
}
