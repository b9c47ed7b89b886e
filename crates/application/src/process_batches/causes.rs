//! In a seeded world the ids of what a worker writes follow from what each is for, and from nothing else.
//!
//! Which payments a bank has answered for together, and when it wants to be asked again, is never the same twice: an id that
//! followed from the portion or its reports would be another one each time.

use crate::AccountClocks;
use chrono::{DateTime, Utc};
use florin_domain::event::Event;
use florin_domain::ids::{EventId, JournalId};
use florin_domain::ledger::JournalTransaction;
use florin_domain::world::Timeline;
use uuid::Uuid;

/// Gives ids to what a rule has made for a payment batch.
pub(super) struct Causes {
    time: AccountClocks,
    timeline: Timeline,
    now: DateTime<Utc>,
}

impl Causes {
    /// Of this account, at its time.
    pub(super) fn new(time: &AccountClocks, timeline: &Timeline, now: DateTime<Utc>) -> Self {
        Self { time: time.clone(), timeline: timeline.clone(), now }
    }

    /// A journal transaction is the only one of its kind for its payment. Without a seed ids stay as they are.
    pub(super) fn name_journal(&self, journal: &mut [JournalTransaction]) {
        for entry in journal.iter_mut().filter(|_| self.timeline.seed.is_some()) {
            entry.id = JournalId(self.id(&[b"journal", entry.kind.as_str().as_bytes(), entry.cause.as_bytes()]));
        }
    }

    /// An event is the only one of its kind for its batch, or for its payment.
    pub(super) fn name_events(&self, events: &mut [Event]) {
        for event in events.iter_mut().filter(|_| self.timeline.seed.is_some()) {
            let payment = event.subject.payment.map_or_else(Uuid::nil, |payment| payment.0);
            let subject = [event.subject.batch.0.as_bytes(), payment.as_bytes()];
            event.id = EventId(self.id(&[b"event", event.kind.as_str().as_bytes(), subject[0], subject[1]]));
        }
    }

    fn id(&self, cause: &[&[u8]]) -> Uuid {
        self.time.because(&self.timeline, self.now, cause).next_id()
    }
}
