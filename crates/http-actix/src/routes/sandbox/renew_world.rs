//! `POST /v2/sandbox/worlds/{accountId}/renew`

use super::common::{REQUIREMENT, WORLD, WorldPath, WorldWrite, world_write};
use crate::declare::{IdempotencyKeyHeader, WholeNumber, body};
use crate::idempotency::execute;
use crate::problem::Problem;
use crate::reply::answer;
use crate::routes::error_sets::SandboxSetErrors;
use crate::state::App;
use crate::views::WorldView;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::renew_world;
use florin_domain::world::{MAX_RENEWAL_HOURS, WorldReading};
use florin_ports::StoredResponse;

body! {
    /// The new lifetime of a world.
    pub(crate) struct RenewBody as "RenewWorldRequest" {
        /// Number of hours from now.
        #[example(48)]
        "hours" => hours: WholeNumber<1, MAX_RENEWAL_HOURS>,
    }
}

/// Keeps a world for at least the given number of hours from now.
///
/// If the world already expires later, its expiry does not change. The expiry of its API key does not change in any
/// case. Florin extension.
#[utoipa::path(post, path = "/v2/sandbox/worlds/{accountId}/renew", tag = "Sandbox", operation_id = "renewWorld",
    security(("apiKey" = [REQUIREMENT.scope])),
    request_body = RenewBody,
    params(WorldPath, IdempotencyKeyHeader),
    responses((status = 200, description = "The renewed world.", body = WorldView), SandboxSetErrors))]
pub(crate) async fn handle(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let WorldWrite { account, body, claim, .. } = world_write::<RenewBody, _>(&app, &request, payload, render).await?;
    let WholeNumber(hours) = body.hours;
    execute(
        claim,
        (WORLD, "world"),
        |never| match never {},
        render,
        async |claim| renew_world(&app.services, &account, hours, claim).await,
    )
    .await
}

fn render(renewed: &WorldReading) -> StoredResponse {
    answer(StatusCode::OK, &WorldView::at(&renewed.world, renewed.real))
}
