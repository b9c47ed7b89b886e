//! Alerts of one row.

use crate::batch::{Alert, AlertCode, AlertKind};
use chrono::{DateTime, Utc};

/// Collects the alerts of a row. Each check adds a bounded number of alerts per field, so the number of alerts of a row
/// is bounded.
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

    pub(super) fn add(&mut self, code: AlertCode, message: impl Into<String>) {
        let kind = code.kind();
        self.errors |= kind == AlertKind::Error;
        self.alerts.push(Alert { at: self.now, kind, code, index: Some(self.index), message: message.into() });
    }

    /// Returns whether an Error was found.
    pub(super) const fn has_errors(&self) -> bool {
        self.errors
    }
}

/// Returns the trimmed value. `None` if it is missing or blank.
pub(super) fn given(value: Option<&String>) -> Option<&str> {
    value.map(|text| text.trim()).filter(|text| !text.is_empty())
}

/// Formats a value for a message: truncated to 40 characters, without control characters.
pub(super) fn shown(value: &str) -> String {
    const MAX: usize = 40;
    let mut text: String =
        value.chars().take(MAX).map(|character| if character.is_control() { '\u{fffd}' } else { character }).collect();
    if value.chars().nth(MAX).is_some() {
        text.push('…');
    }
    text
}
