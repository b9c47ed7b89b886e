//! `GET /v2/events`

use super::common::{EventParameters, READ, reach};
use crate::call::Call;
use crate::declare::{FromTime, PageParameters, ToTime, parameters};
use crate::problem::{Problem, expect_valid};
use crate::reply::ok_list;
use crate::routes::error_sets::EventErrors;
use crate::state::App;
use crate::views::{List, StoredEventView};
use actix_web::{HttpRequest, HttpResponse, web};
use florin_domain::event::{EventFilter, EventPosition, StoredEvent};
use florin_domain::ids::EventId;
use florin_domain::page::{Page, PageRequest};
use florin_ports::{EventReach, Events, StoreError};

parameters! {
    /// Filters of the list of events: by time, or by the id of an event.
    pub(crate) struct EventSelection in Query {
        /// Only events that occurred at this time or later, by the clock of their account.
        "from" => from: Option<FromTime>,
        /// Only events that occurred at this time or earlier, by the clock of their account.
        "to" => to: Option<ToTime>,
        /// Only the event with this `messageId`.
        "messageId" => event: Option<EventId>,
    }
}

/// Lists events in the reverse order of their commits, newest first. Florin extension.
///
/// Rows are the envelopes of the events, byte for byte as webhooks deliver them. By default, events are kept for 30
/// days.
#[utoipa::path(get, path = "/v2/events", tag = "Events", operation_id = "listEvents",
    security(("apiKey" = [READ.scope])),
    params(PageParameters, EventParameters, EventSelection),
    responses((status = 200, description = "One page of events.", body = List<StoredEventView>), EventErrors))]
pub(crate) async fn handle(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &READ).await?;
    let page = call.page();
    let (parameters, selection) = (call.read::<EventParameters>(), call.read::<EventSelection>());
    let reach = reach(&mut call, parameters.as_ref().and_then(|parameters| parameters.account.clone())).await?;
    let EventParameters { types, object, .. } = expect_valid(parameters)?;
    let EventSelection { from, to, event } = expect_valid(selection)?;
    let filter = EventFilter {
        kinds: types.into_iter().map(|name| name.0.kind).collect(),
        object: object.map(|object| object.0),
        from: from.map(|from| from.0),
        to: to.map(|to| to.0),
    };
    let Page { count, rows } = match event {
        Some(event) => page_with_event(app.services.events.as_ref(), reach, filter, event, page).await?,
        None => app.services.events.list(reach, filter, page).await?,
    };
    let rows = rows.into_iter().map(StoredEventView::try_from).collect::<Result<_, _>>();
    let rows = rows.map_err(|error| Problem::bug(&error))?;
    ok_list(&List::new(page, Page { count, rows }, |row| row))
}

/// Returns a page with the event. The page is empty if the event is not in reach or does not match the filter, or if
/// the page has an offset.
async fn page_with_event(
    events: &dyn Events,
    reach: EventReach,
    filter: EventFilter,
    event: EventId,
    page: PageRequest,
) -> Result<Page<StoredEvent>, StoreError> {
    let rows = match events.position_of(reach.clone(), event).await? {
        Some(position) => events.between(reach, filter, (EventPosition(position.0 - 1), position), 1).await?,
        None => Vec::new(),
    };
    let count = i64::try_from(rows.len()).unwrap_or(i64::MAX);
    Ok(Page { count, rows: if page.offset == 0 { rows } else { Vec::new() } })
}
