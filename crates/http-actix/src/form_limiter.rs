//! Limits the forms that are sent to one payment page.
//!
//! Whoever has the address of a page can send its forms: choose banks, look up postcodes, load shipping rates. None of it may
//! grow without a limit.

use crate::keyed_limiter::KeyedLimiter;
use std::num::NonZeroU32;
use uuid::Uuid;

/// Number of forms that a page takes at once, and per minute afterwards.
const PER_MINUTE: NonZeroU32 = NonZeroU32::MIN.saturating_add(59);
/// Maximum number of pages that are counted. A busy server counts no further ones, so that nobody waits for the payers of others.
const MAX_PAGES: usize = 100_000;

/// Counts forms by the session or refund of the page.
pub(crate) struct FormLimiter(KeyedLimiter<Uuid>);

impl FormLimiter {
    pub(crate) fn new() -> Self {
        Self(KeyedLimiter::new(PER_MINUTE, MAX_PAGES, None))
    }

    /// Counts a form. Returns the number of seconds to wait as an error if there were too many.
    pub(crate) fn count(&self, id: Uuid) -> Result<(), u64> {
        self.0.count(&id)
    }
}
