//! `DELETE /v2/ipaddresses/{ipAddressId}`

use super::common::{NETWORK, NetworkPath, WRITE, network_change, wait_until_effective};
use crate::call::Call;
use crate::declare::IdempotencyKeyHeader;
use crate::mapping::{network_problem, write_problem};
use crate::problem::{Problem, expect_valid};
use crate::routes::error_sets::DeleteNetworkErrors;
use crate::state::App;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::{permit_all_accounts, remove_network};

/// Stops the client from calling from an address or network.
///
/// Another entry of the list must contain the caller's address. A retry returns 404. The change is in effect on every
/// server when the response arrives. The API key must grant access to all accounts of its client. Florin extension.
#[utoipa::path(delete, path = "/v2/ipaddresses/{ipAddressId}", tag = "IP addresses", operation_id = "deleteIpAddress",
    security(("apiKey" = [WRITE.scope])),
    params(NetworkPath, IdempotencyKeyHeader),
    responses((status = 204, description = "Deleted."), DeleteNetworkErrors))]
pub(crate) async fn handle(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &WRITE).await?;
    permit_all_accounts(&call.caller)?;
    call.no_body(payload).await?;
    // A retry returns 404, so the idempotency key is checked and not stored.
    call.idempotency_key();
    let network = call.read::<NetworkPath>();
    call.finish_reading()?;
    let removed = remove_network(&app.management, network_change(&call), expect_valid(network)?.id).await;
    removed.map_err(|error| write_problem(error, (NETWORK, "address"), None, |refusal| network_problem(&refusal)))?;
    wait_until_effective().await;
    Ok(HttpResponse::NoContent().finish())
}
