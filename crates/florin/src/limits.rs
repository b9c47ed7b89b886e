//! Limits of the operating system.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Number of files that are open besides the connections of callers.
const OTHER_FILES: u64 = 256;

/// Raises the number of files that this process may open, if it does not suffice for so many connections.
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
