//! When background jobs yield to other jobs.

use std::time::{Duration, Instant};

/// The number of parts into which time is divided. Under load, background jobs get one part, other jobs the rest.
const PARTS: u32 = 100;
/// Maximum time that a background job yields to others. Claims of deliveries have leases that end a little later.
const WAIT_MAX: Duration = Duration::from_secs(1);
/// Time over which the load is measured.
const WINDOW: Duration = Duration::from_millis(100);

/// The time that jobs have taken.
#[derive(Default)]
pub(super) struct Pace {
    /// The time until which background jobs yield. `None` before the first background job.
    resumes: Option<Instant>,
    /// When the current window began, and how long other jobs have taken in it. `None` before the first window.
    window: Option<(Instant, Duration)>,
    /// The time until which the writer counts as busy, because other jobs took at least half of the last window.
    busy_until: Option<Instant>,
    /// Whether the pace is switched off, so that it always admits background jobs. In a simulation, measured time would
    /// decide what happens next.
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

    /// Whether background jobs yield even if no other job waits at the moment, because one soon will.
    pub(super) fn is_busy(&self, now: Instant) -> bool {
        self.busy_until.is_some_and(|until| now < until)
    }

    /// Records that a background job has taken some time.
    pub(super) fn background_took(&mut self, time: Duration, now: Instant) {
        if self.is_off {
            return;
        }
        let from = self.resumes.map_or(now, |resumes| resumes.max(now));
        // Jobs wait no longer than `WAIT_MAX`, so a longer pause means nothing. Without the limit, jobs that ran while
        // nothing else waited would delay the jobs of a later load for hours.
        let pause = time.saturating_mul(PARTS - 1).min(WAIT_MAX);
        self.resumes = Some((from + pause).min(now + WAIT_MAX));
    }

    /// Records that other jobs have taken some time.
    pub(super) fn others_took(&mut self, time: Duration, now: Instant) {
        if self.is_off {
            return;
        }
        let (began, taken) = self.window.unwrap_or((now, Duration::ZERO));
        let (length, taken) = (now.saturating_duration_since(began), taken.saturating_add(time));
        if length < WINDOW {
            self.window = Some((began, taken));
            return;
        }
        let is_busy = taken.saturating_mul(2) >= length;
        self.busy_until = is_busy.then(|| now + 2 * WINDOW);
        self.window = Some((now, Duration::ZERO));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn background_jobs_take_a_hundredth_of_the_time() {
        let (start, mut pace) = (Instant::now(), Pace::default());
        assert!(pace.admits(start, start));
        pace.background_took(2 * MS, start);
        assert!(!pace.admits(start, start + 197 * MS));
        assert!(pace.admits(start, start + 198 * MS));
        // Jobs that ran while nothing else waited count, too.
        pace.background_took(MS, start + 10 * MS);
        assert!(!pace.admits(start, start + 296 * MS));
        assert!(pace.admits(start, start + 297 * MS));
    }

    #[test]
    fn a_background_job_waits_at_most_a_second() {
        let (start, mut pace) = (Instant::now(), Pace::default());
        pace.background_took(Duration::from_secs(100), start + 100 * MS);
        let added = start + 50 * MS;
        assert!(!pace.admits(added, added + 999 * MS));
        assert!(pace.admits(added, added + 1000 * MS));
    }

    #[test]
    fn however_long_background_jobs_took_the_next_ones_yield_for_a_second() {
        let (start, mut pace) = (Instant::now(), Pace::default());
        for _ in 0..100 {
            pace.background_took(100 * MS, start);
        }
        let (before, end) = (start + 999 * MS, start + 1000 * MS);
        assert!(!pace.admits(before, before));
        assert!(pace.admits(end, end));
    }

    #[test]
    fn the_writer_is_busy_if_jobs_take_half_of_the_time() {
        let (start, mut pace) = (Instant::now(), Pace::default());
        pace.others_took(MS, start);
        pace.others_took(49 * MS, start + 60 * MS);
        assert!(!pace.is_busy(start + 60 * MS), "the window has not ended");
        pace.others_took(MS, start + 100 * MS);
        assert!(pace.is_busy(start + 299 * MS));
        assert!(!pace.is_busy(start + 300 * MS), "nothing was done for two windows");
        pace.others_took(49 * MS, start + 200 * MS);
        assert!(!pace.is_busy(start + 200 * MS));
    }
}
