//! Events: how they are written, and how they are read.

use crate::StoreError;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use florin_domain::access::Environment;
use florin_domain::event::{Event, EventFilter, EventPosition, Redeliveries, StoredEvent};
use florin_domain::ids::{AccountId, ClientId, EventId};
use florin_domain::page::{Page, PageRequest};
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

/// Gives events their ids and bodies.
pub trait EventForms: Send + Sync {
    /// Returns a new id, which is random in seeded worlds, too.
    fn next_id(&self) -> EventId;

    /// Returns the real time.
    fn now(&self) -> DateTime<Utc>;

    /// Renders the envelope of an event under its id and sequence. It is stored as it is, and never rendered again. An
    /// error undoes the cause.
    fn envelope(&self, event: &Event, id: EventId, sequence: u64) -> Result<String, StoreError>;
}

/// How a store writes events.
#[derive(Clone)]
pub struct EventRecording {
    /// The environment. In the sandbox, every client may list events.
    pub environment: Environment,
    /// Ids and bodies.
    pub forms: Arc<dyn EventForms>,
}

impl fmt::Debug for EventRecording {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventRecording").field("environment", &self.environment).finish_non_exhaustive()
    }
}

/// The accounts whose events a caller may read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventReach {
    /// Accounts of this client.
    pub client: ClientId,
    /// Only these accounts, if there is a restriction.
    pub accounts: Option<BTreeSet<AccountId>>,
}

/// Reads events. Every command that causes events stores them in its own transaction.
///
/// Promises: an event is stored if and only if its cause is, and only if its [`florin_domain::event::Audience`] sees it.
/// The causes of one object are numbered from 1 without gaps, whether or not their events are stored. A stored event
/// never changes. Positions are never given twice, not even after events were deleted. They follow the order of commits:
/// of two events of one object, the later one has the greater position, and no event appears at or before a position
/// that [`Self::tail`] has returned. Only the restore of a world puts its earlier events back at their positions.
///
/// A redelivery or a recovery gives each event that it sends again a further position, in its own transaction, under the
/// same promises. [`Self::redeliveries`] reads them; lists and [`Self::between`] do not contain them.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait Events: Send + Sync {
    /// Sets how events are written; the first call counts. Until then none is written, and sequences count all the same.
    fn record_events(&self, recording: EventRecording);

    /// Lists matching events in reach, the greatest position first. The count ignores the page. Each call reads one
    /// consistent view.
    async fn list(
        &self,
        reach: EventReach,
        filter: EventFilter,
        page: PageRequest,
    ) -> Result<Page<StoredEvent>, StoreError>;

    /// Returns the position of an event in reach, or that of a redelivery, by its [`florin_domain::event::Redelivery::id_at`].
    /// `None`: there is no such event any more.
    async fn position_of(&self, reach: EventReach, event: EventId) -> Result<Option<EventPosition>, StoreError>;

    /// Returns a position up to which no further event will appear, and after which there is no event whose commit had
    /// been acknowledged before the call. `None`: other writes did not end in time; try again.
    async fn tail(&self) -> Result<Option<EventPosition>, StoreError>;

    /// Returns matching events in reach after one position up to another, in order, at most `max`.
    async fn between(
        &self,
        reach: EventReach,
        filter: EventFilter,
        range: (EventPosition, EventPosition),
        max: u32,
    ) -> Result<Vec<StoredEvent>, StoreError>;

    /// Returns redeliveries of matching events in reach after one position up to another, in order. It searches at most
    /// `max` redeliveries, whether or not their events match, and returns how far it came.
    async fn redeliveries(
        &self,
        reach: EventReach,
        filter: EventFilter,
        range: (EventPosition, EventPosition),
        max: u32,
    ) -> Result<Redeliveries, StoreError>;

    /// Deletes events that were written before a time, the oldest first, at most `max`, and returns their number. As many
    /// redeliveries that are as old are deleted with them.
    async fn delete_events(&self, before: DateTime<Utc>, max: u32) -> Result<u64, StoreError>;
}
