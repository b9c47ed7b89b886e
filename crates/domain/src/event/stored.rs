//! Stored events and their filter.

use super::EventKind;
use crate::ids::{AccountId, CheckoutId, EventId};
use chrono::{DateTime, Utc};
use std::collections::BTreeSet;
use uuid::Uuid;

/// The position of an event in the order of commits. `GET /events` and its stream use this order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventPosition(pub i64);

/// A stored event. It never changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredEvent {
    /// Its position.
    pub position: EventPosition,
    /// Its id, which is the same in every delivery. It is random even in worlds with a seed.
    pub id: EventId,
    /// The account.
    pub account: AccountId,
    /// Its kind.
    pub kind: EventKind,
    /// The id of the object that it is about.
    pub object: Uuid,
    /// Its number among the events of the object, from 1.
    pub sequence: u64,
    /// When it occurred by the clock of the account, in whole seconds, like in its body.
    pub occurred_at: DateTime<Utc>,
    /// The real time at which it was written.
    pub recorded_at: DateTime<Utc>,
    /// The checkout of its session. `None`: it is not about a session of a checkout.
    pub checkout: Option<CheckoutId>,
    /// Its envelope as JSON.
    pub body: String,
}

/// Selects events. A `None` field selects everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventFilter {
    /// Selects events of these kinds. Empty: all kinds.
    pub kinds: BTreeSet<EventKind>,
    /// Selects events about this object.
    pub object: Option<Uuid>,
    /// Selects events that occurred at this time or later.
    pub from: Option<DateTime<Utc>>,
    /// Selects events that occurred at this time or earlier.
    pub to: Option<DateTime<Utc>>,
}

impl EventFilter {
    /// Returns whether the filter selects an event.
    pub fn selects(&self, event: &StoredEvent) -> bool {
        (self.kinds.is_empty() || self.kinds.contains(&event.kind))
            && self.object.is_none_or(|object| object == event.object)
            && self.from.is_none_or(|from| event.occurred_at >= from)
            && self.to.is_none_or(|to| event.occurred_at <= to)
    }
}
