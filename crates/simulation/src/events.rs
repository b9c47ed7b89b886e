//! Events of the simulated product, with ids that count up and short bodies.

use crate::initial_state::Ids;
use chrono::{DateTime, Utc};
use florin_domain::access::Environment;
use florin_domain::event::Event;
use florin_domain::ids::EventId;
use florin_ports::test_support::FakeClock;
use florin_ports::{Clock, EventRecording, EventRenderer, IdSource, StoreError};
use std::sync::Arc;

/// Renders events as their kind and number.
struct ShortRenderer {
    clock: Arc<FakeClock>,
    ids: Arc<Ids>,
}

/// Returns the setting that makes a store write all events.
pub(crate) fn recording(clock: &Arc<FakeClock>, ids: &Arc<Ids>) -> EventRecording {
    let renderer = Arc::new(ShortRenderer { clock: Arc::clone(clock), ids: Arc::clone(ids) });
    EventRecording { environment: Environment::Sandbox, renderer }
}

impl EventRenderer for ShortRenderer {
    fn next_id(&self) -> EventId {
        EventId(self.ids.next_id())
    }

    fn now(&self) -> DateTime<Utc> {
        self.clock.now()
    }

    fn envelope(&self, event: &Event, _: EventId, sequence: u64) -> Result<String, StoreError> {
        Ok(format!("{} {sequence}", event.kind.as_str()))
    }
}
