//! Plain bodies of events.

use chrono::{DateTime, Utc};
use florin_domain::access::Environment;
use florin_domain::event::Event;
use florin_domain::ids::EventId;
use florin_ports::{EventRecording, EventRenderer, StoreError};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use uuid::Uuid;

/// Renders events as their `Debug` text, under ids that count up in the process, at a fixed time.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PlainRenderer;

impl PlainRenderer {
    /// The time at which events are written.
    pub(crate) fn now() -> DateTime<Utc> {
        DateTime::from_timestamp_micros(1_790_000_000_123_456).unwrap_or_default()
    }

    /// The envelope of an event, without its id.
    pub(crate) fn text(event: &Event, sequence: u64) -> String {
        format!("{sequence}: {event:?}")
    }
}

/// Returns a recording that writes plain bodies, and only events that have an audience, as in production.
pub(crate) fn recording() -> EventRecording {
    EventRecording { environment: Environment::Production, renderer: Arc::new(PlainRenderer) }
}

impl EventRenderer for PlainRenderer {
    fn next_id(&self) -> EventId {
        static LAST: AtomicU64 = AtomicU64::new(0);
        EventId(Uuid::from_u128(u128::from(LAST.fetch_add(1, Ordering::Relaxed)) + 1))
    }

    fn now(&self) -> DateTime<Utc> {
        Self::now()
    }

    fn envelope(&self, event: &Event, _: EventId, sequence: u64) -> Result<String, StoreError> {
        Ok(Self::text(event, sequence))
    }
}
