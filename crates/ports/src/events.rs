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

/// Creates the ids and bodies of events.
pub trait EventRenderer: Send + Sync {
    /// Returns a new id. It is random even in worlds with a seed.
    fn next_id(&self) -> EventId;

    /// Returns the real time.
    fn now(&self) -> DateTime<Utc>;

    /// Renders the envelope of an event under its id and sequence. The result is stored unchanged and never rendered
    /// again. An error rolls back the cause of the event.
    fn envelope(&self, event: &Event, id: EventId, sequence: u64) -> Result<String, StoreError>;
}

/// The environment and the renderer with which a store writes events.
#[derive(Clone)]
pub struct EventRecording {
    /// The environment of the store. In the sandbox, every client may list events.
    pub environment: Environment,
    /// Creates the ids and bodies.
    pub renderer: Arc<dyn EventRenderer>,
}

impl fmt::Debug for EventRecording {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventRecording").field("environment", &self.environment).finish_non_exhaustive()
    }
}

/// The accounts whose events a caller may read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventReach {
    /// The client, which owns the accounts.
    pub client: ClientId,
    /// Restricts the reach to these accounts. `None`: all accounts of the client.
    pub accounts: Option<BTreeSet<AccountId>>,
}

/// Reads events. Every command that causes events stores them in its own transaction.
///
/// Promises: an event is stored if and only if its cause is stored and it has an [`florin_domain::event::Audience`].
/// The causes of one object are numbered from 1 without gaps, whether or not their events are stored. A stored event
/// never changes. A position is never used twice, not even after events were deleted. Positions follow the order of
/// commits: of two events of one object, the later one has the greater position, and no event appears at or before a
/// position that [`Self::tail`] has returned for its client. The only exception is the restore of a world, which puts
/// earlier events back at their positions.
///
/// An event that a redelivery or a recovery sends again gets a further position, in the transaction of the redelivery
/// or recovery and under the same promises. [`Self::redeliveries`] reads these positions; [`Self::list`] and
/// [`Self::between`] do not contain them.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait Events: Send + Sync {
    /// Sets how events are written. Only the first call has an effect. Before it, no event is written, but causes are
    /// still numbered.
    fn start_recording_events(&self, recording: EventRecording);

    /// Lists matching events in reach, greatest position first. The count ignores the page. Each call reads one
    /// consistent view.
    async fn list(
        &self,
        reach: EventReach,
        filter: EventFilter,
        page: PageRequest,
    ) -> Result<Page<StoredEvent>, StoreError>;

    /// Returns the position of an event in reach, or of a redelivery, which is identified by its
    /// [`florin_domain::event::Redelivery::id_at`]. `None`: there is no such event, or it was deleted.
    async fn position_of(&self, reach: EventReach, event: EventId) -> Result<Option<EventPosition>, StoreError>;

    /// Returns a position at or before which no further event of this client will appear. Every event of the client
    /// whose commit was acknowledged before the call is at or before it. `None`: concurrent writes did not end in time,
    /// or the store failed over meanwhile; retry.
    async fn tail(&self, client: ClientId) -> Result<Option<EventPosition>, StoreError>;

    /// Returns whether the events of all clients share one sequence of positions, so that the tail of any client is the
    /// tail of all. Otherwise only positions of events of one client can be compared.
    fn has_one_sequence(&self) -> bool {
        true
    }

    /// Returns a number that identifies the sequence of a client's positions. If it has changed, the client has moved,
    /// and positions that were read before are no longer valid.
    async fn sequence(&self, client: ClientId) -> Result<i64, StoreError> {
        // Without cells, no client moves.
        let _: ClientId = client;
        Ok(0)
    }

    /// Returns matching events in reach, in order, whose positions are above the first of the range and at most the
    /// second. Returns at most `max`.
    async fn between(
        &self,
        reach: EventReach,
        filter: EventFilter,
        range: (EventPosition, EventPosition),
        max: u32,
    ) -> Result<Vec<StoredEvent>, StoreError>;

    /// Returns the redeliveries of matching events in reach, in order, for a range of positions like [`Self::between`].
    /// Searches at most `max` redeliveries, matching or not, and returns the position up to which it searched.
    async fn redeliveries(
        &self,
        reach: EventReach,
        filter: EventFilter,
        range: (EventPosition, EventPosition),
        max: u32,
    ) -> Result<Redeliveries, StoreError>;

    /// Deletes events that were written before a real time, oldest first, at most `max`, and returns their number. Also
    /// deletes at most `max` redeliveries from before that time, which are not counted.
    async fn delete_events(&self, before: DateTime<Utc>, max: u32) -> Result<u64, StoreError>;
}
