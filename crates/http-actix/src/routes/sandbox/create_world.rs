//! `POST /v2/sandbox/worlds`

use super::common::REQUIREMENT;
use crate::call::Call;
use crate::declare::{IdempotencyKeyHeader, Lenient, body, named};
use crate::extract::body;
use crate::idempotency::{canonical, hash};
use crate::mapping::{create_world_problem, write_problem};
use crate::problem::{Problem, expect_valid};
use crate::routes::error_sets::CreateWorldErrors;
use crate::state::App;
use crate::views::CreatedWorldView;
use actix_web::{HttpRequest, HttpResponse, web};
use chrono::{DateTime, Utc};
use florin_application::{NewWorld, NewWorldTemplate, create_world, permit_all_accounts, replaced_account};
use florin_domain::fault::{Faults, Flaw};
use florin_domain::ids::SnapshotId;
use florin_domain::text::Text;
use florin_domain::world::{CreationClaim, WorldTemplate};

body! {
    /// A new world. `{}` creates the demo data with random ids and a running clock.
    pub(crate) struct WorldBody as "CreateWorldRequest" {
        /// `demo` or `empty`. Default: `demo`. Cannot be combined with `snapshotId`.
        "template" => template: Lenient<Template>,
        /// A snapshot of another world of the client, or an imported snapshot, as the initial state.
        "snapshotId" => snapshot: Lenient<SnapshotId>,
        /// With a seed, the same calls in the same order get the same responses, and the clock is frozen. A client has
        /// at most one world per seed.
        "seed" => seed: Lenient<Text<1, 64>>,
        /// The time at which the clock is frozen. Default with a seed: 2026-01-05T12:00:00Z. Cannot be combined with
        /// `snapshotId`.
        "startsAt" => starts_at: Lenient<DateTime<Utc>>,
        /// If a world with this seed already exists, replace it. Requires `seed`.
        "replace" => replace: Lenient<bool>,
    }
}

/// A template that a client can name.
#[derive(Clone, Copy)]
pub(crate) struct Template(WorldTemplate);

named! {
    Template: [WorldTemplate::Demo, WorldTemplate::Empty].map(Template), |template| template.0.as_str();
}

/// Creates a world: a separate account, with an API key that can access only this account.
///
/// The key is returned only once. While the world exists, a retry with the same idempotency key returns 409 with the
/// account id, and creates nothing. Florin extension.
#[utoipa::path(post, path = "/v2/sandbox/worlds", tag = "Sandbox", operation_id = "createWorld",
    security(("apiKey" = [REQUIREMENT.scope])),
    request_body = WorldBody,
    params(IdempotencyKeyHeader),
    responses((status = 201, description = "The world, with its key.", body = CreatedWorldView), CreateWorldErrors))]
pub(crate) async fn handle(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &REQUIREMENT).await?;
    permit_all_accounts(&call.caller)?;
    let document = body::json(&request, payload).await?;
    let key = call.idempotency_key();
    let body = call.read_body::<WorldBody>(document.as_ref())?;
    if let Some(body) = &body {
        check(body, &mut call.faults);
    }
    call.finish_reading()?;
    let request = format!("{}\n{}", call.query.canonical(), canonical(document.as_ref())?);
    let claim = key.map(|key| CreationClaim { key: key.as_str().to_owned(), request: hash(request.as_bytes()) });
    let new = new_world(expect_valid(body)?, claim);
    if let Some(replaced) = replaced_account(&call.caller, &new)? {
        call.lock_exclusively(&replaced).await?;
    }
    let created = create_world(&app.services, &call.caller, new).await;
    let object = ("body.snapshotId", "snapshot");
    let created = created.map_err(|error| write_problem(error, object, None, create_world_problem))?;
    Ok(HttpResponse::Created().json(CreatedWorldView::at(created, app.services.time.real_now())))
}

/// Validates combinations of members. A member with an invalid value counts as present.
fn check(body: &WorldBody, faults: &mut Faults) {
    let mut refuse =
        |member: &str, message: &'static str| faults.push(Flaw::value(message).at(format!("body.{member}")));
    if body.snapshot.is_sent() && body.template.is_sent() {
        refuse("template", "cannot be combined with snapshotId");
    }
    if body.snapshot.is_sent() && body.starts_at.is_sent() {
        refuse("startsAt", "cannot be combined with snapshotId: the world starts at the time of the snapshot");
    }
    if matches!(body.replace, Lenient::Valid(true)) && !body.seed.is_sent() {
        refuse("replace", "requires seed");
    }
}

fn new_world(body: WorldBody, claim: Option<CreationClaim>) -> NewWorld {
    let template = match (body.snapshot.valid(), body.template.valid()) {
        (Some(id), _) => NewWorldTemplate::Snapshot(id),
        (None, Some(Template(WorldTemplate::Empty))) => NewWorldTemplate::Empty,
        (None, _) => NewWorldTemplate::Demo,
    };
    let replace = body.replace.valid().unwrap_or(false);
    NewWorld { template, seed: body.seed.valid(), starts_at: body.starts_at.valid(), replace, claim }
}
