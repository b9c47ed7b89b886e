//! The open streams of events: their number, and the tails that they share.

use crate::codes::ErrorCode;
use crate::problem::Problem;
use actix_web::http::StatusCode;
use florin_domain::event::EventPosition;
use florin_domain::ids::ClientId;
use florin_ports::{Events, StoreError};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Maximum number of streams of one client.
const PER_CLIENT: usize = 8;
/// Maximum number of streams of all clients together.
const IN_TOTAL: usize = 256;
/// The time for which a tail is reused before it is read again.
const SHARED_FOR: Duration = Duration::from_millis(50);

/// A tail, and when it was read.
type ReadTail = Option<(Instant, Option<EventPosition>)>;

/// Counts the open streams of each client, and keeps the latest tails of the events for all of them.
#[derive(Default)]
pub(crate) struct Streams {
    /// Number of open streams of each client.
    open: Mutex<HashMap<ClientId, usize>>,
    /// The last results of [`Events::tail`]. If the events of all clients share one sequence of positions, there is one
    /// result for all of them, with the key `None`. Otherwise each client with an open stream has its own. Whoever
    /// holds the lock of a tail reads it again; the others wait.
    tails: Mutex<HashMap<Option<ClientId>, Arc<tokio::sync::Mutex<ReadTail>>>>,
}

/// The place that an open stream takes under the limits. Dropping it frees the place.
pub(crate) struct StreamPlace {
    streams: Arc<Streams>,
    client: ClientId,
}

impl Streams {
    /// Takes a place for a stream of a client. Fails with 429 if a limit is reached.
    pub(super) fn open(self: &Arc<Self>, client: ClientId) -> Result<StreamPlace, Problem> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let total: usize = open.values().sum();
        let count = open.entry(client).or_default();
        if *count >= PER_CLIENT || total >= IN_TOTAL {
            let message = if *count >= PER_CLIENT {
                format!("a client can have {PER_CLIENT} open streams; close one")
            } else {
                "too many open streams; retry later".to_owned()
            };
            let status = StatusCode::TOO_MANY_REQUESTS;
            return Err(Problem::new(status, "", ErrorCode::RateLimited, message).retry_after(5));
        }
        *count += 1;
        Ok(StreamPlace { streams: Arc::clone(self), client })
    }

    /// Returns the tail of a client's events, at most [`SHARED_FOR`] old. `None`: other writes did not end in time; try
    /// again.
    pub(super) async fn tail(
        &self,
        events: &dyn Events,
        client: ClientId,
    ) -> Result<Option<EventPosition>, StoreError> {
        let shared = {
            let mut tails = self.tails.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(tails.entry((!events.has_one_sequence()).then_some(client)).or_default())
        };
        let mut last_read = shared.lock().await;
        if let Some((_, tail)) = last_read.filter(|(at, _)| at.elapsed() < SHARED_FOR) {
            return Ok(tail);
        }
        let tail = events.tail(client).await?;
        *last_read = Some((Instant::now(), tail));
        Ok(tail)
    }
}

impl Drop for StreamPlace {
    fn drop(&mut self) {
        let mut open = self.streams.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = open.get_mut(&self.client) {
            *count = count.saturating_sub(1);
        }
        open.retain(|_, count| *count > 0);
        let mut tails = self.streams.tails.lock().unwrap_or_else(PoisonError::into_inner);
        tails.retain(|client, _| client.is_none_or(|client| open.contains_key(&client)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use florin_ports::MockEvents;
    use uuid::Uuid;

    const CLIENTS: [ClientId; 2] = [ClientId(Uuid::from_u128(1)), ClientId(Uuid::from_u128(2))];

    /// Creates a store in which the tail of a client is the number in its id.
    fn store(has_one_sequence: bool) -> MockEvents {
        let mut events = MockEvents::new();
        events.expect_has_one_sequence().return_const(has_one_sequence);
        events.expect_tail().returning(|client| Ok(Some(EventPosition(i64::try_from(client.0.as_u128()).unwrap()))));
        events
    }

    /// Returns the clients whose tails are cached; `None` stands for all clients.
    fn cached_tails(streams: &Streams) -> Vec<Option<ClientId>> {
        streams.tails.lock().unwrap().keys().copied().collect()
    }

    #[actix_web::test]
    async fn each_client_has_its_own_tail_if_the_events_have_several_sequences() {
        let (streams, events) = (Arc::new(Streams::default()), store(false));
        let [one, two] = CLIENTS.map(|client| streams.open(client).ok().unwrap());
        for (client, tail) in CLIENTS.into_iter().zip(1..) {
            assert_eq!(streams.tail(&events, client).await, Ok(Some(EventPosition(tail))));
        }
        // The tail of a client is kept while it has an open stream.
        drop(one);
        assert_eq!(cached_tails(&streams), [Some(CLIENTS[1])]);
        drop(two);
        assert!(cached_tails(&streams).is_empty());
    }

    #[actix_web::test]
    async fn all_clients_share_one_tail_if_their_events_share_one_sequence() {
        let (streams, events) = (Arc::new(Streams::default()), store(true));
        let places = CLIENTS.map(|client| streams.open(client).ok().unwrap());
        for client in CLIENTS {
            assert!(streams.tail(&events, client).await.is_ok());
        }
        assert_eq!(cached_tails(&streams), [None]);
        drop(places);
        assert_eq!(cached_tails(&streams), [None]);
    }

    #[test]
    fn places_are_limited_per_client_and_dropping_one_frees_it() {
        let streams = Arc::new(Streams::default());
        let (one, two) = (ClientId(Uuid::from_u128(1)), ClientId(Uuid::from_u128(2)));
        let mut places: Vec<_> = (0..PER_CLIENT).map(|_| streams.open(one).ok().unwrap()).collect();
        assert!(streams.open(one).is_err());
        assert!(streams.open(two).is_ok());
        places.pop();
        assert!(streams.open(one).is_ok());
        drop(places);
        assert!(streams.open.lock().unwrap().is_empty());
    }

    #[test]
    fn places_are_limited_in_total() {
        let streams = Arc::new(Streams::default());
        let places: Vec<_> =
            (0..IN_TOTAL).map(|number| streams.open(ClientId(Uuid::from_u128(number as u128 / 8)))).collect();
        assert!(places.iter().all(Result::is_ok));
        assert!(streams.open(ClientId(Uuid::from_u128(1_000))).is_err());
    }
}
