//! When background jobs run although other jobs wait.

use std::time::{Duration, Instant};

/// While other jobs wait, background jobs take one of this many parts of the time.
const PARTS: u32 = 50;
/// Maximum time that a background job yields to others. Claims of deliveries have leases that end a little later.
const WAIT_MAX: Duration = Duration::from_secs(1);

/// The time that background jobs have taken.
#[derive(Default)]
pub(super) struct Pace {
    /// Until then, background jobs yield. `None` before the first one.
    resumes: Option<Instant>,
    /// Whether the time counts. In a simulation it would decide what happens next.
    is_off: bool,
}

impl Pace {
    /// A pace that always admits background jobs, for simulations.
    #[cfg(feature = "simulation")]
    #[allow(dead_code, reason = "simulations run on SQLite only")]
    pub(super) fn off() -> Self {
        Self { is_off: true, ..Self::default() }
    }

    /// Whether a background job that was added at some time runs now, although other jobs wait.
    pub(super) fn admits(&self, added: Instant, now: Instant) -> bool {
        self.resumes.is_none_or(|resumes| now >= resumes) || now.saturating_duration_since(added) >= WAIT_MAX
    }

    /// Records that a background job has taken some time.
    pub(super) fn took(&mut self, time: Duration, now: Instant) {
        if self.is_off {
            return;
        }
        let from = self.resumes.map_or(now, |resumes| resumes.max(now));
        // Jobs wait no longer than `WAIT_MAX`, so a longer pause means nothing.
        let pause = time.saturating_mul(PARTS - 1).min(WAIT_MAX);
        self.resumes = Some(from.checked_add(pause).unwrap_or(from));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn background_jobs_take_a_fiftieth_of_the_time() {
        let (start, mut pace) = (Instant::now(), Pace::default());
        assert!(pace.admits(start, start));
        pace.took(2 * MS, start);
        assert!(!pace.admits(start, start + 97 * MS));
        assert!(pace.admits(start, start + 98 * MS));
        // Jobs that ran while nothing else waited count, too.
        pace.took(MS, start + 10 * MS);
        assert!(!pace.admits(start, start + 146 * MS));
        assert!(pace.admits(start, start + 147 * MS));
    }

    #[test]
    fn a_background_job_waits_at_most_a_second() {
        let (start, mut pace) = (Instant::now(), Pace::default());
        pace.took(Duration::from_secs(100), start);
        let added = start + 50 * MS;
        assert!(!pace.admits(added, added + 999 * MS));
        assert!(pace.admits(added, added + 1000 * MS));
    }
}
