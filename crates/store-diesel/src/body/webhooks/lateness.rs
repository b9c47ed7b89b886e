//! Whether the fan-out is late.

use std::time::{Duration, Instant};

/// Maximum time that the fan-out may be behind one position while it yields to requests. After that position the time
/// starts again, so an event waits for at most twice as long. A command that needs the deliveries first queues all that
/// are missing, so it may have to wait for many.
const LATE: Duration = Duration::from_secs(10);

/// A position that the fan-out has not reached, and the time when that was first seen.
#[derive(Default)]
pub(crate) struct Lateness {
    behind: Option<(i64, Instant)>,
}

impl Lateness {
    /// Records how far the fan-out has come, and returns whether the fan-out has been behind the same position for
    /// [`LATE`].
    pub(crate) fn is_late(&mut self, queued_until: i64, tail: i64, now: Instant) -> bool {
        if let Some((position, since)) = self.behind
            && queued_until < position
        {
            return now.saturating_duration_since(since) >= LATE;
        }
        self.behind = (queued_until < tail).then_some((tail, now));
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_late_if_an_event_waits_for_long() {
        let (start, mut lateness) = (Instant::now(), Lateness::default());
        assert!(!lateness.is_late(5, 5, start));
        assert!(!lateness.is_late(5, 9, start + LATE));
        let (soon, then) = (start + LATE + LATE / 2, start + LATE + LATE);
        assert!(!lateness.is_late(8, 20, soon));
        assert!(lateness.is_late(8, 30, then));
        // The events up to the first tail are queued. The others have waited for less time.
        assert!(!lateness.is_late(9, 30, then));
        assert!(!lateness.is_late(10, 40, then + LATE / 2));
        assert!(lateness.is_late(10, 40, then + LATE));
        assert!(!lateness.is_late(40, 40, then + LATE));
    }
}
