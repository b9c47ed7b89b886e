//! What every request can reach.

use florin_application::{BatchServices, Services};
use florin_domain::ids::ClientId;
use governor::clock::{Clock, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota};
use std::num::NonZeroU32;
use std::sync::Arc;

/// Gives the text of `/metrics`.
pub type RenderMetrics = Arc<dyn Fn() -> String + Send + Sync>;

/// Shared by all workers.
pub(crate) struct App {
    pub(crate) services: Services,
    pub(crate) batches: BatchServices,
    pub(crate) limiter: Option<RateLimiter>,
    pub(crate) metrics: Option<RenderMetrics>,
}

/// So many requests a second for each API client.
pub(crate) struct RateLimiter {
    limiter: DefaultKeyedRateLimiter<ClientId>,
    clock: DefaultClock,
}

impl RateLimiter {
    pub(crate) fn new(per_second: NonZeroU32) -> Self {
        let limiter = DefaultKeyedRateLimiter::keyed(Quota::per_second(per_second));
        Self { limiter, clock: DefaultClock::default() }
    }

    /// Counts a request; the error is how many seconds to wait.
    pub(crate) fn count(&self, client: ClientId) -> Result<(), u64> {
        self.limiter
            .check_key(&client)
            .map_err(|not_until| not_until.wait_time_from(self.clock.now()).as_secs().saturating_add(1))
    }
}
