//! Calls functions of callers, which may panic.

use super::errors::{Outcome, corrupt};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Calls a function of a caller: a rule, or the function that renders an answer. Converts a panic of the function to an
/// error, so that the panic affects only this caller.
pub(crate) fn ask<T>(function: impl FnOnce() -> T) -> Outcome<T> {
    catch_unwind(AssertUnwindSafe(function))
        .map_err(|panic| corrupt(format!("a decision panicked: {}", text_of(panic.as_ref()))))
}

/// Returns the message of a panic.
pub(crate) fn text_of(panic: &(dyn Any + Send)) -> &str {
    panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message")
}
