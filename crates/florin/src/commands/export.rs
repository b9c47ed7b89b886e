//! `florin export FILE`

use super::Context;
use crate::machine::SystemClock;
use crate::output;
use crate::usage::UsageError;
use crate::wiring;
use anyhow::{Context as _, anyhow};
use florin_ports::Clock;
use florin_store_contract::AnyStore;
use florin_store_contract::export::{ExportContents, ExportOrigin};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// What to export to.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The file to be made, or - for the standard output. It will hold secrets.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Replace the file if it is there.
    #[arg(long)]
    force: bool,
}

/// What was written.
#[derive(Serialize)]
struct Report<'a> {
    rows: &'a BTreeMap<String, u64>,
    sha256: &'a str,
}

pub(super) async fn run(context: &Context, store: &dyn AnyStore, arguments: &Arguments) -> anyhow::Result<()> {
    wiring::must_be_current(store).await?;
    let origin = ExportOrigin { environment: context.settings.environment.as_str().to_owned(), at: SystemClock.now() };
    if arguments.file.as_os_str() == "-" {
        // What is written is the result.
        let mut out = BufWriter::new(io::stdout().lock());
        store.export(&origin, &mut out)?;
        return Ok(());
    }
    let file = Target::make(&arguments.file, arguments.force)?;
    let contents = file.fill(|out| Ok(store.export(&origin, out)?))?;
    let report = Report { rows: &contents.rows, sha256: &contents.sha256 };
    output::either(context.json, &report, || print(&arguments.file, &contents))
}

fn print(file: &Path, contents: &ExportContents) -> String {
    format!(
        "{} rows of {} tables are in {}. It holds secrets: keep it as you keep the store.",
        contents.total(),
        contents.rows.len(),
        file.display()
    )
}

/// A file that is being made, readable by its owner only.
struct Target<'a> {
    path: &'a Path,
    /// What is written to: the file itself, or one beside it that will take the place of an older one.
    made: PathBuf,
    file: File,
}

impl<'a> Target<'a> {
    fn make(path: &'a Path, replace: bool) -> anyhow::Result<Self> {
        let there = fs::metadata(path).ok();
        let made = match &there {
            Some(_) if !replace => {
                return Err(UsageError::new(format!("{} is there already: --force replaces it", path.display())).into());
            }
            Some(there) if !there.is_file() => {
                return Err(UsageError::new(format!("{} is no ordinary file", path.display())).into());
            }
            Some(_) => {
                let mut name = path.as_os_str().to_owned();
                name.push(format!(".{}", std::process::id()));
                PathBuf::from(name)
            }
            None => path.to_owned(),
        };
        let file = private().open(&made).map_err(|error| anyhow!("{} can't be made: {error}", made.display()))?;
        Ok(Self { path, made, file })
    }

    /// Writes it, down to the disk. After a failure it is gone.
    fn fill<T>(self, write: impl FnOnce(&mut dyn Write) -> anyhow::Result<T>) -> anyhow::Result<T> {
        let done = self.write(write);
        if done.is_err() {
            // The failure is what is told; a file without its last line is refused by every import.
            let _ = fs::remove_file(&self.made);
        }
        done
    }

    fn write<T>(&self, write: impl FnOnce(&mut dyn Write) -> anyhow::Result<T>) -> anyhow::Result<T> {
        let mut out = BufWriter::with_capacity(256 * 1024, &self.file);
        let written = write(&mut out)?;
        let unwritten = || format!("{} can't be written", self.path.display());
        out.flush().with_context(unwritten)?;
        drop(out);
        self.file.sync_all().with_context(unwritten)?;
        if self.made != self.path {
            fs::rename(&self.made, self.path).with_context(unwritten)?;
        }
        Ok(written)
    }
}

/// How files with secrets are made.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}
