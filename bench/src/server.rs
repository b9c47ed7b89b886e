//! Starts and measures servers under load: Florin or a peer.

use crate::guard::Guarded;
use crate::machine;
use anyhow::{Context, bail};
use std::fs::File;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Maximum time until a started server responds.
const PATIENCE: Duration = Duration::from_secs(60);

/// Finds Florin's binary, which is in the same folder as this program.
pub(crate) fn florin() -> anyhow::Result<PathBuf> {
    let florin = std::env::current_exe()?.with_file_name("florin");
    if !florin.is_file() {
        bail!("{} is missing: run cargo build with the same profile", florin.display());
    }
    Ok(florin)
}

/// Prepares a Florin command with only these settings.
pub(crate) fn command(url: &str, arguments: &[&str]) -> anyhow::Result<Command> {
    let mut command = Command::new(florin()?);
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("FLORIN_") {
            command.env_remove(name);
        }
    }
    command.env("FLORIN_DATABASE_URL", url).args(arguments).stdin(Stdio::null());
    Ok(command)
}

/// Runs a Florin command to its end.
pub(crate) fn run(url: &str, arguments: &[&str]) -> anyhow::Result<()> {
    output(url, arguments, &[]).map(drop)
}

/// Runs a Florin command with additional settings, and returns its output.
pub(crate) fn output(url: &str, arguments: &[&str], settings: &[(&str, &str)]) -> anyhow::Result<String> {
    let output = command(url, arguments)?.envs(settings.iter().copied()).output()?;
    if !output.status.success() {
        let said = [output.stdout, output.stderr].concat();
        bail!("florin {} failed: {}", arguments.join(" "), String::from_utf8_lossy(&said).trim());
    }
    Ok(String::from_utf8(output.stdout)?)
}

/// A running server.
pub(crate) struct Server {
    pub(crate) name: &'static str,
    pub(crate) address: SocketAddr,
    log: PathBuf,
    child: Guarded,
}

impl Server {
    /// Starts Florin with default settings and these additional ones, logging to a file.
    pub(crate) fn florin(url: &str, folder: &Path, settings: &[(&str, &str)]) -> anyhow::Result<Self> {
        let address = free_address()?;
        let mut command = command(url, &["serve"])?;
        command.env("FLORIN_LISTEN", address.to_string()).envs(settings.iter().copied());
        Self::start("Florin", address, &mut command, folder)
    }

    /// Starts any server that listens on the given address.
    pub(crate) fn start(
        name: &'static str,
        address: SocketAddr,
        command: &mut Command,
        folder: &Path,
    ) -> anyhow::Result<Self> {
        let log = folder.join(format!("{name}.log"));
        command.stdin(Stdio::null()).stdout(File::create(&log)?).stderr(File::options().append(true).open(&log)?);
        let mut server = Self { name, address, log, child: Guarded::spawn(command)? };
        let until = Instant::now() + PATIENCE;
        while !is_up(address) {
            if !server.child.is_running() || Instant::now() > until {
                bail!("{name} does not start: {}", server.end_of_log());
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Ok(server)
    }

    /// Returns the last log lines, without those of level INFO, which are about requests.
    pub(crate) fn end_of_log(&self) -> String {
        let said = std::fs::read_to_string(&self.log).unwrap_or_default();
        let lines: Vec<_> = said.lines().filter(|line| !line.contains("INFO")).collect();
        lines[lines.len().saturating_sub(8)..].join("\n")
    }

    /// Returns the processor time so far, in microseconds.
    pub(crate) fn cpu(&self) -> Option<f64> {
        machine::cpu(self.child.id())
    }

    /// Returns the peak memory, in bytes.
    pub(crate) fn peak_memory(&self) -> Option<u64> {
        machine::peak_memory(self.child.id())
    }
}

/// Finds a free local address.
pub(crate) fn free_address() -> anyhow::Result<SocketAddr> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?)
}

/// Whether the server reports that it is ready.
fn is_up(address: SocketAddr) -> bool {
    let ask = || -> anyhow::Result<bool> {
        let mut stream = TcpStream::connect(address)?;
        stream.set_read_timeout(Some(Duration::from_secs(2)))?;
        stream.write_all(b"GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")?;
        let mut answer = [0; 12];
        stream.read_exact(&mut answer).context("no answer")?;
        Ok(answer.ends_with(b"200"))
    };
    ask().unwrap_or(false)
}
