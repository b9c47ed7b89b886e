//! What the machine is, and what processes use of it: from `/proc`, so only on Linux.

use std::collections::HashMap;
use std::fs::read_to_string;
use std::process::Command;

/// Microseconds of a tick of the clock in `/proc/*/stat`: the kernel always tells hundredths of a second.
const TICK: f64 = 10_000.0;

/// One process.
struct Process {
    parent: u32,
    ticks: u64,
    /// Of children that ended and were waited for.
    waited: u64,
}

fn process(pid: u32) -> Option<Process> {
    let text = read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name is in brackets and may hold anything.
    let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
    let number = |index: usize| fields.get(index)?.parse::<u64>().ok();
    Some(Process {
        parent: u32::try_from(number(1)?).ok()?,
        ticks: number(11)? + number(12)?,
        waited: number(13)? + number(14)?,
    })
}

/// The parent of a process.
pub(crate) fn parent(pid: u32) -> Option<u32> {
    process(pid).map(|process| process.parent)
}

/// The name of a process.
pub(crate) fn name(pid: u32) -> Option<String> {
    read_to_string(format!("/proc/{pid}/comm")).ok().map(|name| name.trim().to_owned())
}

/// A process and all below it.
fn family(root: u32) -> Option<Vec<(u32, Process)>> {
    let entries = std::fs::read_dir("/proc").ok()?;
    let pids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok());
    let all: HashMap<u32, Process> = pids.filter_map(|pid| Some((pid, process(pid)?))).collect();
    all.get(&root)?;
    let below = |mut pid: u32| loop {
        if pid == root {
            return true;
        }
        match all.get(&pid) {
            Some(process) if process.parent != 0 => pid = process.parent,
            _ => return false,
        }
    };
    let members: Vec<u32> = all.keys().copied().filter(|pid| below(*pid)).collect();
    let mut all = all;
    Some(members.into_iter().filter_map(|pid| all.remove_entry(&pid)).collect())
}

/// Microseconds of processor time that a process and all below it have used.
pub(crate) fn cpu(root: u32) -> Option<f64> {
    let ticks: u64 = family(root)?.iter().map(|(_, process)| process.ticks + process.waited).sum();
    Some(ticks as f64 * TICK)
}

/// The most memory that a process and all below it ever had, in bytes.
pub(crate) fn peak_memory(root: u32) -> Option<u64> {
    let peak = |pid: u32| -> Option<u64> {
        let status = read_to_string(format!("/proc/{pid}/status")).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
        Some(line.trim().trim_end_matches(" kB").parse::<u64>().ok()? * 1024)
    };
    family(root)?.iter().map(|(pid, _)| peak(*pid)).sum()
}

/// How many processors there are.
pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The machine in one line.
pub(crate) fn describe() -> String {
    let cpu = read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpu.lines().find_map(|line| line.strip_prefix("model name")).and_then(|line| line.split_once(": "));
    let memory = read_to_string("/proc/meminfo").unwrap_or_default();
    let kilobytes =
        memory.lines().find_map(|line| line.strip_prefix("MemTotal:")?.trim().split(' ').next()?.parse().ok());
    let kernel = read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    format!(
        "{} cores of {}, {:.0} GiB of memory, Linux {}",
        cores(),
        model.map_or("an unknown processor", |(_, model)| model.trim()),
        kilobytes.unwrap_or(0.0_f64) / 1024.0 / 1024.0,
        kernel.trim()
    )
}

/// The load of the machine by others, before anything was begun.
pub(crate) fn load() -> String {
    read_to_string("/proc/loadavg").unwrap_or_default().split(' ').next().unwrap_or("?").to_owned()
}

/// Durable writes of 8 kB a second, as `pg_test_fsync` measures them for the server's method.
pub(crate) fn fsync_rate(file: &std::path::Path) -> Option<String> {
    let output =
        Command::new(crate::pgbench::program("pg_test_fsync")).args(["-s", "1", "-f"]).arg(file).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = text.lines().find(|line| line.trim_start().starts_with("fdatasync") && line.contains("ops/sec"))?;
    Some(format!("{} fdatasync/s", line.split_whitespace().nth(1)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_is_known() {
        let own = std::process::id();
        assert!(parent(own).is_some() && cpu(own).is_some());
        assert!(peak_memory(own).is_some_and(|bytes| bytes > 1_000_000));
        assert!(cores() >= 1 && describe().contains("cores"));
    }
}
