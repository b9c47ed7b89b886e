//! `GET /v2/webhooks/{webhookId}/deliveries` (contract 6.3)

use super::common::{READ, WEBHOOK, WebhookPath, reach_and_id};
use crate::call::Call;
use crate::declare::{FromTime, OptionalAccountParameter, PageParameters, ToTime, parameters};
use crate::problem::{Problem, expect_valid};
use crate::reply::ok_list;
use crate::routes::error_sets::ListErrors;
use crate::state::App;
use crate::views::{DeliveryView, List};
use actix_web::{HttpRequest, HttpResponse, web};
use florin_domain::ids::EventId;
use florin_domain::webhook::DeliveryStatus;
use florin_ports::DeliveryFilter;

/// Maximum number of attempts that are returned with each delivery. The latest ones are returned.
const ATTEMPTS: u32 = 20;
/// Maximum number of attempts that are returned with the filter `messageId`, which selects a single delivery.
const ATTEMPTS_OF_ONE: u32 = 1_000;

parameters! {
    /// Filters of the log of deliveries.
    pub(crate) struct DeliveryParameters in Query {
        /// Only deliveries in this status.
        "status" => status: Option<DeliveryStatus>,
        /// Only deliveries of this event.
        "messageId" => event: Option<EventId>,
        /// Only deliveries that were queued at this time or later, by the account's clock.
        "from" => from: Option<FromTime>,
        /// Only deliveries that were queued at this time or earlier, by the account's clock.
        "to" => to: Option<ToTime>,
    }
}

/// Lists the deliveries of a subscription with their latest attempts, most recently queued first.
///
/// Each delivery has its latest 20 attempts, or with `messageId` its latest 1,000. A delivery is kept for 30 days after
/// it was queued, and for as long as it waits. Florin extension.
#[utoipa::path(get, path = "/v2/webhooks/{webhookId}/deliveries", tag = "Webhooks", operation_id = "listDeliveries",
    security(("apiKey" = [READ.scope])),
    params(WebhookPath, OptionalAccountParameter, PageParameters, DeliveryParameters),
    responses((status = 200, description = "One page of deliveries.", body = List<DeliveryView>), ListErrors))]
pub(crate) async fn handle(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &READ).await?;
    let page = call.page();
    let filter = call.read::<DeliveryParameters>();
    let (reach, id) = reach_and_id(&mut call).await?;
    let DeliveryParameters { status, event, from, to } = expect_valid(filter)?;
    let found = app.webhooks.webhooks.find(reach, id).await?;
    let webhook = found.ok_or_else(|| Problem::absent(WEBHOOK.0, WEBHOOK.1))?;
    let attempts = if event.is_some() { ATTEMPTS_OF_ONE } else { ATTEMPTS };
    let (from, to) = (from.map(|time| time.0), to.map(|time| time.0));
    let filter = DeliveryFilter { status, event, from, to, attempts };
    let found = app.webhooks.deliveries.log(id, filter, page).await?;
    ok_list(&List::new(page, found, |delivery| DeliveryView::new(&delivery, webhook.state.is_enabled())))
}
