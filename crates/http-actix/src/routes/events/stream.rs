//! `GET /v2/events/stream`

use super::common::{EventParameters, READ, reach};
use super::open_streams::StreamPlace;
use crate::call::Call;
use crate::declare::{LastEventIdHeader, parameters};
use crate::extract::headers::{api_key, last_event_id};
use crate::problem::{Problem, expect_valid};
use crate::routes::error_sets::StreamErrors;
use crate::state::App;
use actix_web::http::header::CONTENT_TYPE;
use actix_web::web::{Bytes, Data};
use actix_web::{HttpRequest, HttpResponse};
use florin_application::{identify, permit};
use florin_domain::access::AccountGrant;
use florin_domain::event::{EventFilter, EventPosition, Redelivery, StoredEvent};
use florin_domain::fault::Flaw;
use florin_domain::ids::{ClientId, EventId};
use florin_ports::{EventReach, StoreError};
use futures_util::stream::{Stream, unfold};
use std::convert::Infallible;
use std::fmt::Write;
use std::net::IpAddr;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use tokio::time::sleep;

/// Maximum number of events that a stream reads from the store in one query.
const PORTION: u32 = 100;
/// Number of positions that a stream searches in one query at first. It keeps queries fast even if few events match the
/// filter.
const WINDOW: i64 = 10_000;
/// A query that finds nothing in less than this time has searched a gap in the positions. Gaps arise when a client
/// moves to another cell.
const QUICK: Duration = Duration::from_millis(5);
/// Number of times that a new stream tries to read the tail, each time waiting for other writes, before it fails.
const TRIES: u32 = 10;
/// The pause between two searches for new events.
const PAUSE: Duration = Duration::from_millis(100);
/// The time without events after which a stream sends a comment, and the interval at which the caller's key is checked.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

parameters! {
    /// What a stream contains in addition to new events.
    pub(crate) struct StreamParameters in Query {
        /// If `true`, the stream also contains each event that a redelivery or a recovery of a webhook sends again.
        /// Default: `false`.
        "redeliveries" => redeliveries: bool,
    }
}

/// Streams events in the order of their commits, as server-sent events. Florin extension.
///
/// Each event has its `messageId` as `id`, its type as `event`, and its envelope as `data`. A client that reconnects
/// with `Last-Event-ID` continues after that event: it misses and repeats nothing. Without the header, the stream
/// begins with the next event. If the event of `Last-Event-ID` no longer exists, the response is 400. The stream begins
/// with a comment, and sends another one whenever there was no event for 15 seconds. The stream ends when the server
/// stops. A client can have at most 8 open streams.
///
/// With `redeliveries=true`, the stream repeats each event that a redelivery or a recovery sends again, in the order of
/// the requests. The repeated event has the same `data` and a new `id`, which `Last-Event-ID` accepts, too.
#[utoipa::path(get, path = "/v2/events/stream", tag = "Events", operation_id = "streamEvents",
    security(("apiKey" = [READ.scope])),
    params(EventParameters, StreamParameters, LastEventIdHeader),
    responses((status = 200, description = "Events as they happen.", body = String, content_type = "text/event-stream"),
        StreamErrors))]
pub(crate) async fn handle(app: Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &READ).await?;
    let (parameters, content) = (call.read::<EventParameters>(), call.read::<StreamParameters>());
    let last = last_event_id(&request, &mut call.faults);
    let reach = reach(&mut call, parameters.as_ref().and_then(|parameters| parameters.account.clone())).await?;
    let EventParameters { types, object, .. } = expect_valid(parameters)?;
    let StreamParameters { redeliveries } = expect_valid(content)?;
    let filter = EventFilter {
        kinds: types.into_iter().map(|name| name.0.kind).collect(),
        object: object.map(|object| object.0),
        ..EventFilter::default()
    };
    let place = app.streams.open(call.caller.client.id)?;
    // Read before the first position: if the client moves in between, the stream ends.
    let sequence = app.services.events.sequence(reach.client).await?;
    let start = match last {
        Some(id) => app.services.events.position_of(reach.clone(), id).await?.ok_or_else(|| {
            let flaw = Flaw::value(
                "must be the id of an event that still exists; open a new stream without this header, then read the \
                 list of events",
            );
            Problem::faults(vec![flaw.at("header.Last-Event-ID")])
        })?,
        None => first_tail(&app, reach.client).await?,
    };
    let reader = Reader {
        key: api_key(&request)?.to_owned(),
        may_list_worlds: call.caller.key.may_list_worlds(),
        accounts: call.caller.key.accounts.clone(),
        peer: request.peer_addr().map(|address| address.ip()),
        app: app.clone(),
        reach,
        filter,
        redeliveries,
        sequence,
        sent_up_to: start,
        tail: start,
        window: WINDOW,
        checked_at: Instant::now(),
        sent_at: Instant::now(),
        _place: place,
    };
    // Dropping the call releases its guard on the account, so that a restore does not wait until the stream ends.
    drop(call);
    Ok(HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, "text/event-stream"))
        // Proxies must not hold events back.
        .insert_header(("X-Accel-Buffering", "no"))
        .streaming(parts(reader)))
}

/// Returns the position at which a new stream begins.
async fn first_tail(app: &App, client: ClientId) -> Result<EventPosition, Problem> {
    for _ in 0..TRIES {
        if let Some(tail) = app.streams.tail(app.services.events.as_ref(), client).await? {
            return Ok(tail);
        }
    }
    Err(crate::load::overloaded())
}

/// The state of an open stream, which reads its events.
struct Reader {
    app: Data<App>,
    key: String,
    /// Whether the key is restricted to a list of accounts that may contain a world.
    may_list_worlds: bool,
    /// The accounts that the key granted access to when the stream began.
    accounts: AccountGrant,
    peer: Option<IpAddr>,
    reach: EventReach,
    filter: EventFilter,
    /// Whether the stream repeats events that are sent again.
    redeliveries: bool,
    /// Identifies the sequence of positions of the client's events. If it changes, the client has moved to another
    /// cell.
    sequence: i64,
    /// The position up to which all matching events were sent.
    sent_up_to: EventPosition,
    /// The tail that was read last.
    tail: EventPosition,
    /// Number of positions that the next query searches.
    window: i64,
    /// When the key was last checked.
    checked_at: Instant,
    /// When something was last sent.
    sent_at: Instant,
    _place: StreamPlace,
}

/// Returns what the stream sends: a first comment, and then what the reader returns.
fn parts(reader: Reader) -> impl Stream<Item = Result<Bytes, Infallible>> {
    unfold((reader, true), |(mut reader, is_first)| async move {
        let part = if is_first { Some(Bytes::from_static(b": connected\n\n")) } else { reader.next().await };
        part.map(|part| (Ok(part), (reader, false)))
    })
}

impl Reader {
    /// Waits for events and returns them as text, or returns a comment after a silence. `None` ends the stream.
    async fn next(&mut self) -> Option<Bytes> {
        loop {
            if self.app.stopping.load(Ordering::Relaxed) || !self.is_still_allowed().await {
                return None;
            }
            match self.read().await {
                Ok(frames) if !frames.is_empty() => {
                    // The events may be those of another world, which replaced the world of the key.
                    if self.may_list_worlds && !self.is_allowed().await || !self.is_in_sequence().await {
                        return None;
                    }
                    self.sent_at = Instant::now();
                    return Some(text_of(&frames).into());
                }
                Ok(_) => {}
                // The client reconnects with the id of the last event, so it misses nothing.
                Err(error) => {
                    tracing::warn!(%error, "a stream of events ended after an error");
                    return None;
                }
            }
            if self.sent_at.elapsed() >= KEEP_ALIVE {
                self.sent_at = Instant::now();
                return Some(Bytes::from_static(b": keep-alive\n\n"));
            }
            sleep(PAUSE).await;
        }
    }

    /// Returns the next events up to the tail: those of the first query that finds any. Empty: there are none yet.
    async fn read(&mut self) -> Result<Vec<Frame>, StoreError> {
        let events = &self.app.services.events;
        if self.sent_up_to >= self.tail {
            let tail = self.app.streams.tail(events.as_ref(), self.reach.client).await?;
            let Some(tail) = tail else { return Ok(Vec::new()) };
            self.tail = tail;
        }
        while self.sent_up_to < self.tail {
            let until = self.tail.min(EventPosition(self.sent_up_to.0.saturating_add(self.window)));
            let (range, began) = ((self.sent_up_to, until), Instant::now());
            let found = events.between(self.reach.clone(), self.filter.clone(), range, PORTION).await?;
            let is_gap = found.is_empty() && began.elapsed() < QUICK;
            self.window = if is_gap { self.window.saturating_mul(4) } else { WINDOW };
            let is_complete = found.len() < PORTION as usize;
            let until = found.last().filter(|_| !is_complete).map_or(until, |event| event.position);
            let (frames, until) = self.with_redeliveries(found, until).await?;
            self.sent_up_to = until;
            if !frames.is_empty() {
                return Ok(frames);
            }
        }
        Ok(Vec::new())
    }

    /// Adds the redeliveries up to the position `until`. Returns the events and redeliveries, and the position up to
    /// which they are complete. It is earlier than `until` if the redeliveries are too many for one query.
    async fn with_redeliveries(
        &self,
        found: Vec<StoredEvent>,
        until: EventPosition,
    ) -> Result<(Vec<Frame>, EventPosition), StoreError> {
        let mut frames: Vec<_> = found.into_iter().map(Frame::from).collect();
        if !self.redeliveries {
            return Ok((frames, until));
        }
        let (events, range) = (&self.app.services.events, (self.sent_up_to, until));
        let redeliveries = events.redeliveries(self.reach.clone(), self.filter.clone(), range, PORTION).await?;
        frames.extend(redeliveries.found.into_iter().map(Frame::from));
        frames.retain(|frame| frame.position <= redeliveries.until);
        frames.sort_by_key(|frame| frame.position);
        Ok((frames, redeliveries.until))
    }

    /// Whether the positions that were read still belong to the sequence with which the stream began. Otherwise the
    /// client has moved to another cell.
    async fn is_in_sequence(&self) -> bool {
        self.app.services.events.sequence(self.reach.client).await.is_ok_and(|sequence| sequence == self.sequence)
    }

    /// Whether the key may still read events. Checks this every [`KEEP_ALIVE`] and returns `true` in between.
    async fn is_still_allowed(&mut self) -> bool {
        if self.checked_at.elapsed() < KEEP_ALIVE {
            return true;
        }
        self.checked_at = Instant::now();
        self.is_allowed().await
    }

    /// Whether the key may read events, and still names the accounts that it named when the stream began.
    async fn is_allowed(&self) -> bool {
        let services = &self.app.services;
        match identify(services, &self.key).await {
            Ok(caller) => {
                caller.key.accounts == self.accounts && permit(&caller, &READ, services.environment, self.peer).is_ok()
            }
            Err(_) => false,
        }
    }
}

/// An event in a stream: a new one, or one that is sent again.
struct Frame {
    position: EventPosition,
    /// The `id` in the stream: that of the event, or of its redelivery. `Last-Event-ID` names it.
    id: EventId,
    event: StoredEvent,
}

impl From<StoredEvent> for Frame {
    fn from(event: StoredEvent) -> Self {
        Self { position: event.position, id: event.id, event }
    }
}

impl From<Redelivery> for Frame {
    fn from(Redelivery { position, event }: Redelivery) -> Self {
        Self { position, id: Redelivery::id_at(position), event }
    }
}

/// Writes events as server-sent events. An envelope has no line breaks.
fn text_of(frames: &[Frame]) -> String {
    frames.iter().fold(String::new(), |mut text, Frame { id, event, .. }| {
        // Writing to a String can't fail.
        let _ = write!(text, "id: {id}\nevent: {}\ndata: {}\n\n", event.kind.as_str(), event.body);
        text
    })
}
