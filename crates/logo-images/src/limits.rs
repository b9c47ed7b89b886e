//! Limits of the process that converts an image.

/// Maximum address space, in bytes: enough for the program, and for the conversion of an image of 40 megapixels with 8
/// bytes per pixel, which needs 0.4 GB.
#[cfg(unix)]
const MAX_MEMORY: u64 = 1024 * 1024 * 1024;
/// Maximum processor time, in seconds.
#[cfg(unix)]
const MAX_SECONDS: u64 = 10;

/// Limits the memory and the processor time of this process from now on. Returns whether the limits were set.
#[cfg(unix)]
pub(crate) fn limit_this_process() -> bool {
    use rustix::process::{Resource, Rlimit, setrlimit};
    let set = |resource, limit| setrlimit(resource, Rlimit { current: Some(limit), maximum: Some(limit) }).is_ok();
    // macOS has no limit of the address space.
    let memory = set(Resource::As, MAX_MEMORY) || cfg!(target_os = "macos");
    memory && set(Resource::Cpu, MAX_SECONDS) && set(Resource::Core, 0)
}

/// Sets nothing: only Unix has such limits.
#[cfg(not(unix))]
pub(crate) fn limit_this_process() -> bool {
    true
}
