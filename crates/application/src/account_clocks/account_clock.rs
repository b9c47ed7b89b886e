//! The clock and ids of one request in an account.

use super::id_sequence::IdSequence;
use chrono::{DateTime, Utc};
use florin_domain::stamp::Stamp;
use std::cell::Cell;
use std::sync::atomic::{AtomicU32, Ordering};
use uuid::Uuid;

/// The time of an account, fixed for one request, and a source of ids.
pub struct AccountClock {
    now: DateTime<Utc>,
    id_sequence: IdSequence,
    next: AtomicU32,
}

impl AccountClock {
    pub(super) const fn new(now: DateTime<Utc>, id_sequence: IdSequence) -> Self {
        Self { now, id_sequence, next: AtomicU32::new(0) }
    }

    /// The time of the request.
    pub const fn now(&self) -> DateTime<Utc> {
        self.now
    }

    /// Returns a new id. Don't call it in a rule: a store may run a rule again, and would get different ids. Use
    /// [`Self::rule`].
    pub fn next_id(&self) -> Uuid {
        self.id_sequence.id(self.now, self.next.fetch_add(1, Ordering::Relaxed))
    }

    /// Runs a rule with unused ids. In a seeded world, every run of the rule receives the same ids.
    pub fn rule<T>(&self, rule: impl FnOnce(&Stamp<'_>) -> T) -> T {
        let run = self.clone();
        rule(&Stamp { now: run.now, ids: &|| run.next_id() })
    }

    /// Runs a rule like [`Self::rule`]. If `first` is given, the first id is `first`.
    pub fn rule_with_first_id<T>(&self, first: Option<Uuid>, rule: impl FnOnce(&Stamp<'_>) -> T) -> T {
        let (run, first) = (self.clone(), Cell::new(first));
        let id = || {
            // Generate an id even if `first` replaces it, so that the later ids do not depend on `first`.
            let own = run.next_id();
            first.take().unwrap_or(own)
        };
        rule(&Stamp { now: run.now, ids: &id })
    }
}

/// A clone continues with the same ids as the original.
impl Clone for AccountClock {
    fn clone(&self) -> Self {
        Self {
            now: self.now,
            id_sequence: self.id_sequence.clone(),
            next: AtomicU32::new(self.next.load(Ordering::Relaxed)),
        }
    }
}
