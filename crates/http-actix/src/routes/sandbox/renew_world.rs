//! `POST /v2/sandbox/worlds/{accountId}/renew`

use super::common::{PERMISSION, WORLD, WorldPath, world_account};
use crate::call::Call;
use crate::declare::{IdempotencyKeyHeader, Whole, body};
use crate::extract::body;
use crate::idempotency::{canonical, claim_of, execute};
use crate::problem::{Problem, read};
use crate::reply::answer;
use crate::routes::error_sets::WorldErrors;
use crate::state::App;
use crate::views::WorldView;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::renew_world;
use florin_domain::world::{MAX_RENEWAL_HOURS, WorldReading};
use florin_ports::{Answer, RecordedBody};

body! {
    /// How long the world is needed.
    pub(crate) struct RenewBody as "RenewWorldRequest" {
        /// Number of hours from now.
        #[example(48)]
        "hours" => hours: Whole<1, MAX_RENEWAL_HOURS>,
    }
}

/// Renews a world, so that it exists for at least that long.
///
/// A world that expires later keeps its time. The API key of the world expires as before. Florin extension.
#[utoipa::path(post, path = "/v2/sandbox/worlds/{accountId}/renew", tag = "Sandbox", operation_id = "renewWorld",
    request_body = RenewBody,
    params(WorldPath, IdempotencyKeyHeader),
    responses((status = 200, description = "The renewed world.", body = WorldView), WorldErrors))]
pub(crate) async fn handle(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &PERMISSION).await?;
    let document = body::json(&request, payload).await?;
    let key = call.idempotency_key();
    let world = call.read::<WorldPath>();
    let body = call.read_body::<RenewBody>(document.as_ref())?;
    let account = world_account(&mut call, world).await?;
    let recorded = RecordedBody::Json(canonical(document.as_ref())?);
    let claim = key.map(|key| claim_of(&call, key, &account, recorded, render));
    let Whole(hours) = read(body)?.hours;
    execute(
        claim,
        (WORLD, "world"),
        |never| match never {},
        render,
        async |claim| renew_world(&app.services, &account, hours, claim).await,
    )
    .await
}

fn render(renewed: &WorldReading) -> Answer {
    answer(StatusCode::OK, &WorldView::at(&renewed.world, renewed.real))
}
