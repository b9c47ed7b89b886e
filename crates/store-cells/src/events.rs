//! Events, whose positions are those of their cell.

use crate::Cells;
use crate::routes::routes;
use chrono::{DateTime, Utc};
use florin_domain::event::{EventFilter, EventPosition, Redeliveries, StoredEvent};
use florin_domain::ids::{ClientId, EventId};
use florin_domain::page::{Page, PageRequest};
use florin_ports::{EventReach, EventRecording, Events, StoreError};

routes! { Events:
    list(reach: EventReach, filter: EventFilter, page: PageRequest) -> Result<Page<StoredEvent>, StoreError>
        => [client(reach.client)];
    position_of(reach: EventReach, event: EventId) -> Result<Option<EventPosition>, StoreError>
        => [client(reach.client)];
    tail(client: ClientId) -> Result<Option<EventPosition>, StoreError> => [client(client)];
    between(
        reach: EventReach,
        filter: EventFilter,
        range: (EventPosition, EventPosition),
        max: u32
    ) -> Result<Vec<StoredEvent>, StoreError>
        => [client(reach.client)];
    redeliveries(
        reach: EventReach,
        filter: EventFilter,
        range: (EventPosition, EventPosition),
        max: u32
    ) -> Result<Redeliveries, StoreError>
        => [client(reach.client)];
    delete_events(before: DateTime<Utc>, max: u32) -> Result<u64, StoreError> => [with(delete_events)];
    + {
        fn start_recording_events(&self, recording: EventRecording) {
            for cell in self.open_cells() {
                Events::start_recording_events(&*cell.store, recording.clone());
            }
        }

        fn has_one_sequence(&self) -> bool {
            false
        }

        async fn sequence(&self, client: ClientId) -> Result<i64, StoreError> {
            Ok(self.client(client).await?.revision())
        }
    }
}

async fn delete_events(cells: &Cells, before: DateTime<Utc>, max: u32) -> Result<u64, StoreError> {
    cells.work_at_most(max, |store, max| async move { Events::delete_events(&*store, before, max).await }).await
}
