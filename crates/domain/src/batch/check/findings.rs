//! What is found wrong with one row.

use crate::batch::{Alert, AlertCode, AlertKind};
use chrono::{DateTime, Utc};

/// Collects the alerts of a row. Each check says at most one thing of each member, so that the number of alerts of a row is
/// bounded by the number of checks.
pub(super) struct Findings<'a> {
    alerts: &'a mut Vec<Alert>,
    index: u32,
    now: DateTime<Utc>,
    errors: bool,
}

impl<'a> Findings<'a> {
    pub(super) const fn of_row(index: u32, now: DateTime<Utc>, alerts: &'a mut Vec<Alert>) -> Self {
        Self { alerts, index, now, errors: false }
    }

    pub(super) fn say(&mut self, code: AlertCode, message: impl Into<String>) {
        let kind = code.kind();
        self.errors |= kind == AlertKind::Error;
        self.alerts.push(Alert { at: self.now, kind, code, index: Some(self.index), message: message.into() });
    }

    /// Whether an Error was found.
    pub(super) const fn has_errors(&self) -> bool {
        self.errors
    }
}

/// A value that was given: not absent, not empty, not only blanks.
pub(super) fn given(value: Option<&String>) -> Option<&str> {
    value.map(|text| text.trim()).filter(|text| !text.is_empty())
}

/// A value as a message shows it: no longer than a line, without control characters.
pub(super) fn shown(value: &str) -> String {
    const MAX: usize = 40;
    let mut text: String =
        value.chars().take(MAX).map(|character| if character.is_control() { '\u{fffd}' } else { character }).collect();
    if value.chars().nth(MAX).is_some() {
        text.push('…');
    }
    text
}
