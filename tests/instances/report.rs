//! Texts that a run always shows.

use std::io::Write;

/// Prints a text. Bypasses the test runner, which hides the output of passing tests.
pub(crate) fn report(text: &str) {
    std::io::stderr().write_all(format!("{text}\n").as_bytes()).unwrap();
}
