//! When a worker runs its next round, and when it logs a failure.

use std::fmt::Display;
use std::time::{Duration, Instant};

/// Minimum time between two log lines of a worker about the same failure.
const LOG_PAUSE: Duration = Duration::from_secs(60);

/// The failure that a worker logged last, and when.
#[derive(Default)]
pub(super) struct Logged(Option<(String, Instant)>);

impl Logged {
    /// Whether a failure must be logged: immediately if it is new, then at most once a minute.
    pub(super) fn is_due(&mut self, failure: &str, now: Instant) -> bool {
        let is_known = self
            .0
            .as_ref()
            .is_some_and(|(logged, at)| logged == failure && now.saturating_duration_since(*at) < LOG_PAUSE);
        if !is_known {
            self.0 = Some((failure.to_owned(), now));
        }
        !is_known
    }
}

/// The result of a round: when the next one runs, or the failure to log.
pub(super) type Round = Result<Next, String>;

/// Ends a round, after which the worker pauses. `task` completes "could not".
pub(super) fn ended<T>(result: Result<T, impl Display>, task: &str) -> Round {
    result.map(|_| Next::AfterPause).map_err(|error| format!("could not {task}: {error}"))
}

/// Ends a round like [`ended`], and logs how much it did, unless it did nothing.
pub(super) fn counted<N: Default + PartialEq>(
    result: Result<N, impl Display>,
    task: &str,
    log: impl FnOnce(N),
) -> Round {
    let logged = result.map(|count| {
        if count != N::default() {
            log(count);
        }
    });
    ended(logged, task)
}

/// The time at which a worker runs its next round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// Immediately: there may be more to do.
    AtOnce,
    /// After the pause.
    AfterPause,
}

impl Next {
    pub(super) fn wait(self, pause: Duration) -> Duration {
        match self {
            Self::AtOnce => Duration::ZERO,
            Self::AfterPause => pause,
        }
    }
}
