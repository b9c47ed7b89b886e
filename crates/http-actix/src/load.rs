//! Limits concurrent requests, and refuses excess ones.
//!
//! A refusal must cost almost nothing: it is decided before the body is read and the caller is looked up.

use crate::codes::ErrorCode;
use crate::problem::Problem;
use actix_web::dev::Payload;
use actix_web::http::Method;
use florin_application::Services;
use futures_util::StreamExt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Maximum number of bytes to read of a refused request.
const MAX_DISCARDED: usize = 64 * 1024;
/// The time to wait for the body of a refused request.
const DISCARD_PATIENCE: Duration = Duration::from_millis(10);

/// Counts the requests in progress.
pub(crate) struct InFlight {
    max: usize,
    now: AtomicUsize,
}

/// A request in progress.
pub(crate) struct Admission<'a>(&'a InFlight);

impl InFlight {
    pub(crate) const fn new(max: usize) -> Self {
        Self { max, now: AtomicUsize::new(0) }
    }

    /// Admits a request if the limit allows it.
    pub(crate) fn admit(&self) -> Option<Admission<'_>> {
        let admission = Admission(self);
        (self.now.fetch_add(1, Ordering::Relaxed) < self.max).then_some(admission)
    }
}

impl Drop for Admission<'_> {
    fn drop(&mut self) {
        self.0.now.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Whether the store currently accepts no writes, so that a write can be refused early and cheaply.
pub(crate) fn is_shed(services: &Services, method: &Method) -> bool {
    !method.is_safe() && services.upkeep.is_overloaded()
}

/// Returns a 503 with Retry-After.
pub(crate) fn refusal() -> Problem {
    Problem::unavailable(ErrorCode::Overloaded, "server overloaded; retry after the interval in Retry-After")
}

/// Reads the body of a refused request. A connection with an unread body is closed, and a new connection costs both
/// sides more than the refusal. The body has nearly always arrived already.
pub(crate) async fn discard(mut payload: Payload) {
    let all = async {
        let mut discarded = 0_usize;
        while let Some(Ok(chunk)) = payload.next().await {
            discarded = discarded.saturating_add(chunk.len());
            if discarded > MAX_DISCARDED {
                break;
            }
        }
    };
    // Slower clients have to connect again.
    let _in_time = tokio::time::timeout(DISCARD_PATIENCE, all).await;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_admitted_up_to_the_limit() {
        let load = InFlight::new(2);
        let (first, second) = (load.admit(), load.admit());
        assert!(first.is_some() && second.is_some());
        for _ in 0..3 {
            assert!(load.admit().is_none());
        }
        drop(first);
        let third = load.admit();
        assert!(third.is_some() && load.admit().is_none());
        drop((second, third));
        assert_eq!(load.now.load(Ordering::Relaxed), 0);
    }
}
