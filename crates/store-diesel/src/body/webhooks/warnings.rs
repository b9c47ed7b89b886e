//! Limits how often a warning is logged, because callers can repeat its cause.

use std::time::{Duration, Instant};

/// Minimum time between two warnings.
const PAUSE: Duration = Duration::from_secs(60);

/// The time of the last logged warning.
#[derive(Default)]
pub(crate) struct Warnings {
    last: Option<Instant>,
}

impl Warnings {
    /// Whether a warning must be logged now: at most once a minute, whatever the causes are.
    pub(crate) fn is_due(&mut self, now: Instant) -> bool {
        let is_due = self.last.is_none_or(|last| now.saturating_duration_since(last) >= PAUSE);
        if is_due {
            self.last = Some(now);
        }
        is_due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warning_is_logged_at_most_once_a_minute() {
        let (start, mut warnings) = (Instant::now(), Warnings::default());
        let mut is_due = |seconds| warnings.is_due(start + Duration::from_secs(seconds));
        assert!(is_due(0));
        assert!(!is_due(1) && !is_due(59));
        assert!(is_due(60));
        assert!(!is_due(61) && is_due(200));
    }
}
