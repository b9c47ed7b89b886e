//! Stops child processes and removes folders, even when this program is interrupted.

use anyhow::Context;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Time that a child has to end after SIGTERM, before it is killed.
const PATIENCE: Duration = Duration::from_secs(10);

static CHILDREN: Mutex<Vec<u32>> = Mutex::new(Vec::new());
static FOLDER: Mutex<Option<PathBuf>> = Mutex::new(None);

fn locked<T>(of: &'static Mutex<T>) -> MutexGuard<'static, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts a thread that waits for SIGINT, SIGTERM or SIGHUP. It then kills the children, removes the folder and exits.
pub(crate) fn watch() -> anyhow::Result<()> {
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP])?;
    std::thread::spawn(move || {
        if let Some(signal) = signals.forever().next() {
            for pid in locked(&CHILDREN).iter() {
                send("KILL", *pid);
            }
            if let Some(folder) = locked(&FOLDER).as_deref() {
                let _ = std::fs::remove_dir_all(folder);
            }
            std::process::exit(128 + signal);
        }
    });
    Ok(())
}

/// Creates the temporary folder of the run. It is removed on drop, and by [`watch`].
pub(crate) fn folder() -> anyhow::Result<tempfile::TempDir> {
    let folder = tempfile::Builder::new().prefix("florin-bench-").tempdir()?;
    *locked(&FOLDER) = Some(folder.path().to_owned());
    Ok(folder)
}

fn send(signal: &str, pid: u32) {
    let _ = Command::new("kill").arg(format!("-{signal}")).arg(pid.to_string()).stderr(Stdio::null()).status();
}

/// A child process that is stopped on drop, and killed by [`watch`].
pub(crate) struct Guarded(Child);

impl Guarded {
    pub(crate) fn spawn(command: &mut Command) -> anyhow::Result<Self> {
        let program = Path::new(command.get_program()).display().to_string();
        let child = command.spawn().with_context(|| format!("{program} can't be started"))?;
        locked(&CHILDREN).push(child.id());
        Ok(Self(child))
    }

    pub(crate) fn id(&self) -> u32 {
        self.0.id()
    }

    pub(crate) fn child(&mut self) -> &mut Child {
        &mut self.0
    }

    /// Whether the process is still running.
    pub(crate) fn is_running(&mut self) -> bool {
        matches!(self.0.try_wait(), Ok(None))
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        let id = self.id();
        if self.is_running() {
            send("TERM", id);
            let until = Instant::now() + PATIENCE;
            while self.is_running() && Instant::now() < until {
                std::thread::sleep(Duration::from_millis(20));
            }
            let _ = self.0.kill();
            let _ = self.0.wait();
        }
        locked(&CHILDREN).retain(|child| *child != id);
    }
}
