//! Limits concurrent requests, and refuses excess ones.
//!
//! A refusal must cost very little: it happens before the body is read and the caller is looked up.

use crate::codes::ErrorCode;
use crate::problem::Problem;
use actix_web::dev::Payload;
use actix_web::http::Method;
use florin_application::Services;
use futures_util::StreamExt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Maximum number of body bytes that are read of a refused request.
const MAX_DISCARDED: usize = 64 * 1024;
/// The time within which the body of a refused request is read.
const DISCARD_PATIENCE: Duration = Duration::from_millis(10);

/// Counts the requests in progress.
pub(crate) struct InFlight {
    max: usize,
    in_progress: AtomicUsize,
}

/// A request in progress. It is counted until this is dropped.
pub(crate) struct Admission<'a>(&'a InFlight);

impl InFlight {
    pub(crate) const fn new(max: usize) -> Self {
        Self { max, in_progress: AtomicUsize::new(0) }
    }

    /// Admits a request. `None`: the limit is reached.
    pub(crate) fn admit(&self) -> Option<Admission<'_>> {
        let admission = Admission(self);
        (self.in_progress.fetch_add(1, Ordering::Relaxed) < self.max).then_some(admission)
    }
}

impl Drop for Admission<'_> {
    fn drop(&mut self) {
        self.0.in_progress.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Whether a request should be refused because it writes and the store accepts no writes at present.
pub(crate) fn is_shed(services: &Services, method: &Method) -> bool {
    !method.is_safe() && services.upkeep.is_overloaded()
}

/// Returns a 503 response with `Retry-After`.
pub(crate) fn overloaded() -> Problem {
    Problem::unavailable(ErrorCode::Overloaded, "server overloaded; retry after the interval in Retry-After")
}

/// Reads the body of a refused request, which has nearly always arrived already. A connection with an unread body must
/// be closed, and a new connection costs both sides more than the refusal.
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
    // A client whose body arrives later must connect again.
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
        assert_eq!(load.in_progress.load(Ordering::Relaxed), 0);
    }
}
