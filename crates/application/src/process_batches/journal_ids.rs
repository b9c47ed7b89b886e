//! Ids of the journal transactions that a worker writes in a seeded world, each derived from its cause alone.
//!
//! Which payments a bank reports together, and when it is queried again, differs between runs. Ids derived from a
//! portion of payments or from its reports would therefore differ, too.

use crate::AccountClocks;
use chrono::{DateTime, Utc};
use florin_domain::ids::JournalId;
use florin_domain::ledger::JournalTransaction;
use florin_domain::world::Timeline;
use uuid::Uuid;

/// Assigns ids to the journal transactions that a rule created for a payment batch.
pub(super) struct JournalIds {
    time: AccountClocks,
    timeline: Timeline,
    now: DateTime<Utc>,
}

impl JournalIds {
    /// Prepares ids for an account with this timeline, at its time `now`.
    pub(super) fn new(time: &AccountClocks, timeline: &Timeline, now: DateTime<Utc>) -> Self {
        Self { time: time.clone(), timeline: timeline.clone(), now }
    }

    /// Replaces the ids of journal transactions. Kind and cause identify a transaction. Without a seed, the ids stay
    /// unchanged.
    pub(super) fn assign(&self, journal: &mut [JournalTransaction]) {
        for entry in journal.iter_mut().filter(|_| self.timeline.seed.is_some()) {
            entry.id = JournalId(self.id(&[b"journal", entry.kind.as_str().as_bytes(), entry.cause.as_bytes()]));
        }
    }

    fn id(&self, cause: &[&[u8]]) -> Uuid {
        self.time.for_background(&self.timeline, self.now, cause).next_id()
    }
}
