//! Limits the number of forms that are sent to one payment page.
//!
//! Anyone who has the URL of a page can send its forms: choose banks, look up postcodes, load shipping rates. So each
//! of these actions must be limited.

use crate::keyed_limiter::KeyedLimiter;
use std::num::NonZeroU32;
use uuid::Uuid;

/// Number of forms that a page accepts immediately, and per minute afterwards.
const PER_MINUTE: NonZeroU32 = NonZeroU32::MIN.saturating_add(59);
/// Maximum number of pages that are counted. While it is reached, no form is counted, so that no payer waits because of
/// other payers.
const MAX_PAGES: usize = 100_000;

/// Counts forms by the session or refund of the page.
pub(crate) struct FormLimiter(KeyedLimiter<Uuid>);

impl FormLimiter {
    pub(crate) fn new() -> Self {
        Self(KeyedLimiter::new(PER_MINUTE, MAX_PAGES, None))
    }

    /// Counts a form. If there were too many, returns the number of seconds to wait as an error.
    pub(crate) fn count(&self, id: Uuid) -> Result<(), u64> {
        self.0.count(&id)
    }
}
