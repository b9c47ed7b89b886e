//! Events as they are stored and read.

use super::EventKind;
use crate::ids::{AccountId, CheckoutId, EventId};
use chrono::{DateTime, Utc};
use std::collections::BTreeSet;
use uuid::Uuid;

/// The position of an event in the order of commits: that of `GET /events` and of the stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventPosition(pub i64);

/// A stored event. It never changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredEvent {
    /// Its position.
    pub position: EventPosition,
    /// Its id, the same in every delivery. It is random, in seeded worlds too.
    pub id: EventId,
    /// The account.
    pub account: AccountId,
    /// Its kind.
    pub kind: EventKind,
    /// The object that it is about.
    pub object: Uuid,
    /// Its number among the events of the object, from 1.
    pub sequence: u64,
    /// When it happened by the clock of the account, in whole seconds, as its body says.
    pub occurred_at: DateTime<Utc>,
    /// The real time at which it was written.
    pub recorded_at: DateTime<Utc>,
    /// The checkout of its session, if it is about one.
    pub checkout: Option<CheckoutId>,
    /// Its envelope as JSON.
    pub body: String,
}

/// Selects events.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventFilter {
    /// Of these kinds. Empty: of any kind.
    pub kinds: BTreeSet<EventKind>,
    /// About this object.
    pub object: Option<Uuid>,
    /// Occurred at this time or later.
    pub from: Option<DateTime<Utc>>,
    /// Occurred at this time or earlier.
    pub to: Option<DateTime<Utc>>,
}

impl EventFilter {
    /// Whether it selects an event.
    pub fn selects(&self, event: &StoredEvent) -> bool {
        (self.kinds.is_empty() || self.kinds.contains(&event.kind))
            && self.object.is_none_or(|object| object == event.object)
            && self.from.is_none_or(|from| event.occurred_at >= from)
            && self.to.is_none_or(|to| event.occurred_at <= to)
    }
}
