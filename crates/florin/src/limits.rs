//! Limits of the operating system.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Number of open files to allow for in addition to the connections of callers.
const OTHER_FILES: u64 = 256;

/// Raises the limit of open files of this process if it is too low for this number of connections. Logs a warning if it
/// can't be raised enough.
pub(crate) fn allow_connections(connections: usize) {
    let needed = OTHER_FILES.saturating_add(u64::try_from(connections).unwrap_or(u64::MAX));
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
