//! `GET /v2/events/stream`

use super::common::{EventParameters, READ, reach};
use super::streams::StreamPlace;
use crate::call::Call;
use crate::declare::LastEventIdHeader;
use crate::extract::headers::{api_key, last_event_id};
use crate::problem::{Problem, read};
use crate::routes::error_sets::EventErrors;
use crate::state::App;
use actix_web::http::header::CONTENT_TYPE;
use actix_web::web::{Bytes, Data};
use actix_web::{HttpRequest, HttpResponse};
use florin_application::{identify, permit};
use florin_domain::event::{EventFilter, EventPosition, StoredEvent};
use florin_domain::fault::Flaw;
use florin_ports::EventReach;
use futures_util::stream::{Stream, unfold};
use std::convert::Infallible;
use std::fmt::Write;
use std::net::IpAddr;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use tokio::time::sleep;

/// Maximum number of events that a stream reads at once.
const PORTION: u32 = 100;
/// Maximum number of positions that a stream searches in one read, so that a filter which matches few events never
/// makes a read slow.
const WINDOW: i64 = 10_000;
/// The number of times that a new stream waits for other writes.
const TRIES: u32 = 10;
/// The pause between two searches for new events.
const PAUSE: Duration = Duration::from_millis(100);
/// The time after which a silent stream sends a comment, and the key of the caller is checked again.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// Streams events in the order of their commits, as server-sent events. Florin extension.
///
/// Each event has its `messageId` as `id`, its type as `event`, and its envelope as `data`. A client that reconnects with
/// `Last-Event-ID` continues after that event: it misses and repeats nothing. Without it, the stream begins with the next
/// event. If the event of `Last-Event-ID` no longer exists, the response is 400. A comment is sent at once, and then
/// whenever there was no event for 15 seconds. The stream ends when the server stops. A client can have 8 streams.
#[utoipa::path(get, path = "/v2/events/stream", tag = "Events", operation_id = "streamEvents",
    params(EventParameters, LastEventIdHeader),
    responses((status = 200, description = "Events as they happen.", body = String, content_type = "text/event-stream"),
        EventErrors))]
pub(crate) async fn handle(app: Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &READ).await?;
    let parameters = call.read::<EventParameters>();
    let last = last_event_id(&request, &mut call.faults);
    let reach = reach(&mut call, parameters.as_ref().and_then(|parameters| parameters.account.clone())).await?;
    let EventParameters { types, object, .. } = read(parameters)?;
    let filter = EventFilter {
        kinds: types.into_iter().map(|name| name.0.kind).collect(),
        object: object.map(|object| object.0),
        ..EventFilter::default()
    };
    let place = app.streams.open(call.caller.client.id)?;
    let start = match last {
        Some(id) => app.services.events.position_of(reach.clone(), id).await?.ok_or_else(|| {
            let flaw = Flaw::value("must be the id of an event that still exists; open a new stream without this header, then read the list of events");
            Problem::faults(vec![flaw.at("header.Last-Event-ID")])
        })?,
        None => first_tail(&app).await?,
    };
    let reader = Reader {
        key: api_key(&request)?.to_owned(),
        peer: request.peer_addr().map(|address| address.ip()),
        app: app.clone(),
        reach,
        filter,
        last: start,
        tail: start,
        checked: Instant::now(),
        sent: Instant::now(),
        _place: place,
    };
    // The turn of the request on its account ends here: a restore does not wait for streams.
    drop(call);
    Ok(HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, "text/event-stream"))
        // Proxies must not hold events back.
        .insert_header(("X-Accel-Buffering", "no"))
        .streaming(parts(reader)))
}

/// Returns the position at which a new stream begins.
async fn first_tail(app: &App) -> Result<EventPosition, Problem> {
    for _ in 0..TRIES {
        if let Some(tail) = app.streams.tail(app.services.events.as_ref()).await? {
            return Ok(tail);
        }
    }
    Err(crate::load::refusal())
}

/// Reads the events of one stream.
struct Reader {
    app: Data<App>,
    key: String,
    peer: Option<IpAddr>,
    reach: EventReach,
    filter: EventFilter,
    /// Everything up to this position was sent.
    last: EventPosition,
    /// The tail that was found last.
    tail: EventPosition,
    /// When the key was last checked.
    checked: Instant,
    /// When something was last sent.
    sent: Instant,
    _place: StreamPlace,
}

fn parts(reader: Reader) -> impl Stream<Item = Result<Bytes, Infallible>> {
    unfold((reader, true), |(mut reader, is_first)| async move {
        let part = if is_first { Some(Bytes::from_static(b": connected\n\n")) } else { reader.next().await };
        part.map(|part| (Ok(part), (reader, false)))
    })
}

impl Reader {
    /// Waits for events, and returns them as text, or a comment. `None` ends the stream.
    async fn next(&mut self) -> Option<Bytes> {
        loop {
            if self.app.stopping.load(Ordering::Relaxed) || !self.is_still_allowed().await {
                return None;
            }
            match self.read().await {
                Ok(events) if !events.is_empty() => {
                    self.sent = Instant::now();
                    return Some(frames(&events).into());
                }
                Ok(_) => {}
                // The client connects again with the id of the last event, and misses nothing.
                Err(error) => {
                    tracing::warn!(%error, "a stream of events ends");
                    return None;
                }
            }
            if self.sent.elapsed() >= KEEP_ALIVE {
                self.sent = Instant::now();
                return Some(Bytes::from_static(b": keep-alive\n\n"));
            }
            sleep(PAUSE).await;
        }
    }

    async fn read(&mut self) -> Result<Vec<StoredEvent>, florin_ports::StoreError> {
        let events = &self.app.services.events;
        if self.last >= self.tail {
            let Some(tail) = self.app.streams.tail(events.as_ref()).await? else { return Ok(Vec::new()) };
            self.tail = tail;
        }
        while self.last < self.tail {
            let until = self.tail.min(EventPosition(self.last.0.saturating_add(WINDOW)));
            let range = (self.last, until);
            let found = events.between(self.reach.clone(), self.filter.clone(), range, PORTION).await?;
            let is_all = found.len() < PORTION as usize;
            self.last = found.last().map_or(until, |event| if is_all { until } else { event.position });
            if !found.is_empty() {
                return Ok(found);
            }
        }
        Ok(Vec::new())
    }

    /// Whether the key may still read events, which is checked now and then.
    async fn is_still_allowed(&mut self) -> bool {
        if self.checked.elapsed() < KEEP_ALIVE {
            return true;
        }
        self.checked = Instant::now();
        let services = &self.app.services;
        match identify(services, &self.key).await {
            Ok(caller) => permit(&caller, &READ, services.environment, self.peer).is_ok(),
            Err(_) => false,
        }
    }
}

/// Writes events as server-sent events. An envelope has no line breaks.
fn frames(events: &[StoredEvent]) -> String {
    events.iter().fold(String::new(), |mut text, event| {
        // Writing to a String can't fail.
        let _ = write!(text, "id: {}\nevent: {}\ndata: {}\n\n", event.id, event.kind.as_str(), event.body);
        text
    })
}
