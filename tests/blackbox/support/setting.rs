//! Settings of the tests, not of the server.

/// Returns the number in a variable of the environment, or `default` if it is not set.
pub(crate) fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |value| value.parse().unwrap_or_else(|_| panic!("{name} is not a number")))
}
