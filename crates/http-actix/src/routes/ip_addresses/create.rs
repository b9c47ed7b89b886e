//! `POST /v2/ipaddresses`

use super::common::{Network, WRITE, network_change, wait_until_effective};
use crate::call::Call;
use crate::declare::{IdempotencyKeyHeader, body};
use crate::extract::body;
use crate::idempotency::{canonical, hash};
use crate::mapping::{network_problem, write_problem};
use crate::problem::{Problem, expect_valid};
use crate::reply::{answer, reply};
use crate::routes::error_sets::CreateNetworkErrors;
use crate::state::App;
use crate::views::IpAddressView;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::{NewNetworkRequest, add_network, permit_all_accounts};
use florin_domain::access::{AllowedNetwork, NetworkRefusal};
use florin_domain::text::Text;
use florin_domain::world::CreationClaim;
use florin_ports::{StoredResponse, WriteError};

body! {
    /// An address or network that the client may call from.
    pub(crate) struct NetworkBody as "CreateIpAddressRequest" {
        /// An address, or a network such as `192.0.2.0/24`.
        #[example("127.0.0.1")]
        "ip" => network: Network,
        /// Your description of the address or network.
        #[example("John Smith's home IP")]
        "description" => description: Option<Text<1, 256>>,
    }
}

/// Allows the client to call from an address or network.
///
/// The first entry must contain the caller's address, because every address outside the list is refused from then on.
/// The change is in effect on every server when the response arrives. The API key must grant access to all accounts of
/// its client.
#[utoipa::path(post, path = "/v2/ipaddresses", tag = "IP addresses", operation_id = "createIpAddress",
    security(("apiKey" = [WRITE.scope])),
    request_body = NetworkBody,
    params(IdempotencyKeyHeader),
    responses((status = 201, description = "The address or network.", body = IpAddressView), CreateNetworkErrors))]
pub(crate) async fn handle(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &WRITE).await?;
    permit_all_accounts(&call.caller)?;
    let document = body::json(&request, payload).await?;
    let key = call.idempotency_key();
    let body = call.read_body::<NetworkBody>(document.as_ref())?;
    call.finish_reading()?;
    let body_hash = hash(canonical(document.as_ref())?.as_bytes());
    let claim = key.map(|key| CreationClaim { key: key.as_str().to_owned(), request: body_hash });
    let NetworkBody { network, description } = expect_valid(body)?;
    let new = NewNetworkRequest { network: network.0, description, claim };
    match add_network(&app.management, network_change(&call), new).await {
        Ok(added) => {
            wait_until_effective().await;
            reply(render(&added), false)
        }
        Err(WriteError::Refused(NetworkRefusal::CreatedBefore(added))) => reply(render(&added), true),
        Err(error) => Err(write_problem(error, ("", "client"), None, |refusal| network_problem(&refusal))),
    }
}

fn render(entry: &AllowedNetwork) -> StoredResponse {
    answer(StatusCode::CREATED, &IpAddressView::from(entry))
}
