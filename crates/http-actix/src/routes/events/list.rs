//! `GET /v2/events`

use super::common::{EventParameters, READ, reach};
use crate::call::Call;
use crate::declare::{FromTime, PageParameters, ToTime, parameters};
use crate::problem::{Problem, read};
use crate::reply::ok_list;
use crate::routes::error_sets::EventErrors;
use crate::state::App;
use crate::views::{List, StoredEventView};
use actix_web::{HttpRequest, HttpResponse, web};
use florin_domain::event::EventFilter;
use florin_domain::page::Page;

parameters! {
    /// The time in which events occurred.
    pub(crate) struct EventTimes in Query {
        /// Only events that occurred at this time or later, by the clock of their account.
        "from" => from: Option<FromTime>,
        /// Only events that occurred at this time or earlier, by the clock of their account.
        "to" => to: Option<ToTime>,
    }
}

/// Lists events, newest first, in the reverse order of their commits. Florin extension.
///
/// Rows are the envelopes of the events as webhooks deliver them, byte for byte. Events are kept for 30 days by default.
#[utoipa::path(get, path = "/v2/events", tag = "Events", operation_id = "listEvents",
    params(PageParameters, EventParameters, EventTimes),
    responses((status = 200, description = "One page of events.", body = List<StoredEventView>), EventErrors))]
pub(crate) async fn handle(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &READ).await?;
    let page = call.page();
    let (parameters, times) = (call.read::<EventParameters>(), call.read::<EventTimes>());
    let reach = reach(&mut call, parameters.as_ref().and_then(|parameters| parameters.account.clone())).await?;
    let (EventParameters { types, object, .. }, EventTimes { from, to }) = (read(parameters)?, read(times)?);
    let filter = EventFilter {
        kinds: types.into_iter().map(|name| name.0.kind).collect(),
        object: object.map(|object| object.0),
        from: from.map(|from| from.0),
        to: to.map(|to| to.0),
    };
    let Page { count, rows } = app.services.events.list(reach, filter, page).await?;
    let rows = rows.into_iter().map(StoredEventView::try_from).collect::<Result<_, _>>();
    let rows = rows.map_err(|error| Problem::bug(&error))?;
    ok_list(&List::new(page, Page { count, rows }, |row| row))
}
