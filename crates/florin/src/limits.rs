//! Limits of the operating system.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Number of open files to allow for in addition to the connections of callers and to the cells beside the home.
const OTHER_FILES: u64 = 256;
/// Number of open files to allow for per cell: its connections to the database, each with the files of a SQLite
/// database, and its runtime for deliveries.
const FILES_PER_CELL: u64 = 64;

/// Raises the limit of open files of this process if it is too low for this number of connections of callers and of
/// cells beside the home. Logs a warning if it can't be raised enough.
pub(crate) fn allow_connections(connections: usize, cells: usize) {
    let needed = files(connections, cells);
    let limit = getrlimit(Resource::Nofile);
    if limit.current.is_none_or(|current| current >= needed) {
        return;
    }
    let allowed = limit.maximum.map_or(needed, |maximum| maximum.min(needed));
    let raised = setrlimit(Resource::Nofile, Rlimit { current: Some(allowed), maximum: limit.maximum });
    if raised.is_err() || allowed < needed {
        tracing::warn!(needed, allowed, "too few open files are allowed for so many connections; raise `ulimit -n`");
    }
}

/// The number of open files that this many connections and cells need.
fn files(connections: usize, cells: usize) -> u64 {
    let [connections, cells] = [connections, cells].map(|number| u64::try_from(number).unwrap_or(u64::MAX));
    FILES_PER_CELL.saturating_mul(cells).saturating_add(OTHER_FILES).saturating_add(connections)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cell_needs_files() {
        assert_eq!(files(1024, 0), 1280);
        assert_eq!(files(1024, 3) - files(1024, 2), FILES_PER_CELL);
        assert_eq!(files(usize::MAX, usize::MAX), u64::MAX);
    }
}
