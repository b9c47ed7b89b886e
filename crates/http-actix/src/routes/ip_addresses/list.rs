//! `GET /v2/ipaddresses`

use super::common::READ;
use crate::call::Call;
use crate::declare::PageParameters;
use crate::problem::Problem;
use crate::reply::ok_list;
use crate::routes::error_sets::ClientListErrors;
use crate::state::App;
use crate::views::{IpAddressView, List};
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::list_networks;

/// Lists the addresses and networks that the client may call from, ordered by address.
///
/// An empty list allows every address.
#[utoipa::path(get, path = "/v2/ipaddresses", tag = "IP addresses", operation_id = "listIpAddresses",
    security(("apiKey" = [READ.scope])),
    params(PageParameters),
    responses((status = 200, description = "One page of addresses.", body = List<IpAddressView>), ClientListErrors))]
pub(crate) async fn handle(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &READ).await?;
    let page = call.page();
    call.finish_reading()?;
    let found = list_networks(&app.management, &call.caller, page).await?;
    ok_list(&List::new(page, found, |entry| IpAddressView::from(&entry)))
}
