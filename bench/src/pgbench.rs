//! Runs pgbench.

use crate::guard::Guarded;
use crate::machine;
use anyhow::{Context, bail};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The folder of the scripts.
const SCRIPTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/pgbench");

/// Finds a program of PostgreSQL, in `PATH`, or else in the last of Debian's folders `/usr/lib/postgresql/*/bin`.
pub(crate) fn program(name: &str) -> PathBuf {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = std::env::split_paths(&paths).collect();
    if let Ok(versions) = std::fs::read_dir("/usr/lib/postgresql") {
        let mut versions: Vec<_> = versions.filter_map(|entry| Some(entry.ok()?.path().join("bin"))).collect();
        versions.sort();
        folders.extend(versions.into_iter().rev());
    }
    folders.into_iter().map(|folder| folder.join(name)).find(|path| path.is_file()).unwrap_or_else(|| name.into())
}

/// The end of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) enum End {
    Seconds(f64),
    /// After this number of transactions per client.
    Each(u64),
}

/// One run of pgbench.
pub(crate) struct Run<'a> {
    pub(crate) url: &'a str,
    pub(crate) script: &'a str,
    pub(crate) clients: usize,
    pub(crate) end: End,
    pub(crate) variables: &'a [(&'a str, u64)],
    /// A folder for its log files.
    pub(crate) folder: &'a Path,
}

/// The result of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Measured {
    pub(crate) rate: f64,
    pub(crate) transactions: u64,
    /// Latencies in microseconds.
    pub(crate) latencies: Vec<u32>,
}

impl Run<'_> {
    pub(crate) fn execute(&self) -> anyhow::Result<Measured> {
        let log = self.folder.join("pgbench-log");
        let mut command = Command::new(program("pgbench"));
        command.args(["-n", "-M", "prepared", "-D", "seq=0", "-c", &self.clients.to_string()]);
        command.args(["-j", &self.clients.min(machine::cores()).to_string()]);
        for (name, value) in self.variables {
            command.args(["-D", &format!("{name}={value}")]);
        }
        match self.end {
            End::Seconds(seconds) => command.args(["-T", &format!("{:.0}", seconds.max(1.0))]),
            End::Each(count) => command.args(["-t", &count.to_string()]),
        };
        // Records every latency of a single client, and one in twenty of several clients.
        let sampling = if self.clients == 1 { "1" } else { "0.05" };
        command.arg("-l").arg(format!("--log-prefix={}", log.display())).args(["--sampling-rate", sampling]);
        command.arg("-f").arg(Path::new(SCRIPTS).join(self.script)).arg(self.url);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = Guarded::spawn(&mut command).context("pgbench is part of PostgreSQL's packages")?;
        let (stdout, stderr) = (read(child.child().stdout.take())?, read(child.child().stderr.take())?);
        if !child.child().wait()?.success() {
            bail!("pgbench {} failed: {}", self.script, stderr.trim());
        }
        let mut measured = parse(&stdout).with_context(|| format!("pgbench printed: {stdout}{stderr}"))?;
        measured.latencies = latencies(self.folder)?;
        Ok(measured)
    }
}

/// Reads a pipe. pgbench writes so little that the other pipe does not fill meanwhile.
fn read(pipe: Option<impl std::io::Read>) -> anyhow::Result<String> {
    let mut text = String::new();
    pipe.context("no pipe")?.read_to_string(&mut text)?;
    Ok(text)
}

fn parse(output: &str) -> anyhow::Result<Measured> {
    let after = |start: &str| output.lines().find_map(|line| line.strip_prefix(start)).map(str::trim);
    let first = |text: &str| text.split([' ', '/']).next().unwrap_or_default().to_owned();
    let failed = after("number of failed transactions:").map_or("0".into(), first);
    if failed != "0" {
        bail!("{failed} transactions failed");
    }
    let transactions = first(after("number of transactions actually processed:").context("no count")?).parse()?;
    // pgbench prints no rate without transactions.
    let rate = if transactions == 0 { 0.0 } else { first(after("tps =").context("no rate")?).parse()? };
    Ok(Measured { rate, transactions, latencies: Vec::new() })
}

/// Reads the latency logs.
fn latencies(folder: &Path) -> anyhow::Result<Vec<u32>> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("pgbench-log")) {
            let text = std::fs::read_to_string(&path)?;
            all.extend(text.lines().filter_map(|line| line.split(' ').nth(2)?.parse::<u32>().ok()));
            std::fs::remove_file(&path)?;
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_is_parsed() {
        let output = "number of transactions actually processed: 8000/8000\nnumber of failed transactions: 0 (0.000%)\n\
            latency average = 7.155 ms\ntps = 2236.285976 (without initial connection time)\n";
        let measured = parse(output).unwrap();
        assert_eq!((measured.transactions, measured.rate as u64), (8000, 2236));
        assert!(parse(&output.replace(": 0 (", ": 1 (")).is_err());
        assert!(parse("").is_err());
        let none = "number of transactions actually processed: 0\nnumber of failed transactions: 0 (NaN%)\n";
        assert_eq!(parse(none).unwrap().transactions, 0);
    }
}
