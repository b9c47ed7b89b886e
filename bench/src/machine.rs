//! Describes the machine and the resource use of processes, from `/proc`, so only on Linux.

use std::collections::HashMap;
use std::fs::read_to_string;
use std::process::Command;

/// Microseconds per tick in `/proc/*/stat`, which always counts hundredths of a second.
const TICK: f64 = 10_000.0;

/// One process.
struct Process {
    parent: u32,
    ticks: u64,
    /// Ticks of children that ended and were waited for.
    waited: u64,
}

fn process(pid: u32) -> Option<Process> {
    let text = read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name is in parentheses and may contain any character.
    let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
    let number = |index: usize| fields.get(index)?.parse::<u64>().ok();
    Some(Process {
        parent: u32::try_from(number(1)?).ok()?,
        ticks: number(11)? + number(12)?,
        waited: number(13)? + number(14)?,
    })
}

/// Returns the parent of a process.
pub(crate) fn parent(pid: u32) -> Option<u32> {
    process(pid).map(|process| process.parent)
}

/// Returns the name of a process.
pub(crate) fn name(pid: u32) -> Option<String> {
    read_to_string(format!("/proc/{pid}/comm")).ok().map(|name| name.trim().to_owned())
}

/// Returns a process and all its descendants.
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

/// Returns the processor time of a process and all its descendants, in microseconds.
pub(crate) fn cpu(root: u32) -> Option<f64> {
    let ticks: u64 = family(root)?.iter().map(|(_, process)| process.ticks + process.waited).sum();
    Some(ticks as f64 * TICK)
}

/// Returns the peak memory of a process and all its descendants, in bytes.
pub(crate) fn peak_memory(root: u32) -> Option<u64> {
    let peak = |pid: u32| -> Option<u64> {
        let status = read_to_string(format!("/proc/{pid}/status")).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
        Some(line.trim().trim_end_matches(" kB").parse::<u64>().ok()? * 1024)
    };
    family(root)?.iter().map(|(pid, _)| peak(*pid)).sum()
}

/// Returns the number of processors.
pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Describes the machine in one line.
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

/// Returns the load average of the machine.
pub(crate) fn load() -> String {
    read_to_string("/proc/loadavg").unwrap_or_default().split(' ').next().unwrap_or("?").to_owned()
}

/// Returns the number of durable writes of 8 kB per second, measured by `pg_test_fsync` for the server's sync method.
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
    fn this_process_can_be_measured() {
        let own = std::process::id();
        assert!(parent(own).is_some() && cpu(own).is_some());
        assert!(peak_memory(own).is_some_and(|bytes| bytes > 1_000_000));
        assert!(cores() >= 1 && describe().contains("cores"));
    }
}
