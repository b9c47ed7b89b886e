//! `POST /v2/sandbox/worlds`

use super::PERMISSION;
use crate::call::Call;
use crate::extract::body;
use crate::extract::headers::idempotency_key;
use crate::extract::json::Json;
use crate::extract::members::{Members, boolean, one_of, string, text};
use crate::mapping::{create_world_problem, write_problem};
use crate::problem::{Problem, none_of, read};
use crate::repeat::hash;
use crate::routes::error_sets::CreateWorldErrors;
use crate::state::App;
use crate::views::MadeWorldView;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::{NewWorld, NewWorldTemplate, create_world, permit_worlds};
use florin_domain::fault::{Faults, Flaw};
use florin_domain::ids::SnapshotId;
use florin_domain::world::{MadeUnder, WorldTemplate, parse_time};
use utoipa::ToSchema;

/// What the world is to be. `{}` is the demo set, with ids and time as ever.
#[derive(ToSchema)]
#[schema(as = CreateWorldRequest, rename_all = "camelCase")]
#[expect(dead_code, reason = "describes the body in the interface document")]
pub(crate) struct WorldBody {
    /// `demo`, the default, or `empty`. Not together with `snapshotId`.
    #[schema(nullable = true, pattern = "^(demo|empty)$")]
    template: Option<String>,
    /// A snapshot of another world of the client: this one begins as that was.
    #[schema(nullable = true, format = Uuid)]
    snapshot_id: Option<String>,
    /// With a seed, the same calls in the same order have the same answers, and the clock stands still. A client has one world of
    /// a seed at a time.
    #[schema(nullable = true, min_length = 1, max_length = 64)]
    seed: Option<String>,
    /// Where the clock stands still; with a seed 2026-01-05T12:00:00Z by default. Not together with `snapshotId`.
    #[schema(nullable = true, format = DateTime)]
    starts_at: Option<String>,
    /// Whether a world of this seed that lives is deleted first; wants `seed`.
    #[schema(nullable = true)]
    replace: Option<bool>,
}

/// Makes a world: an account of its own, with a key that reaches it only. Extension of Florin. The key is shown once: a repeat under
/// the same idempotency key makes nothing, and is answered 409 with the account, as long as the world lives.
#[utoipa::path(post, path = "/v2/sandbox/worlds", tag = "Sandbox", operation_id = "createWorld",
    request_body = WorldBody,
    params(("Idempotency-Key" = Option<String>, Header, description = "One world for all requests under one key.",
        min_length = 1, max_length = 255, pattern = "^[!-~]+$")),
    responses((status = 201, description = "The world, with its key.", body = MadeWorldView), CreateWorldErrors))]
pub(crate) async fn handle(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &PERMISSION).await?;
    permit_worlds(&call.caller)?;
    let body = body::json(&request, payload).await?;
    let key = idempotency_key(&request, &mut call.faults);
    let new = new_world(body.as_ref(), &mut call.faults);
    none_of(std::mem::take(&mut call.faults))?;
    let request = format!("{}\n{}", call.query.canonical(), body.as_ref().map_or_else(String::new, Json::canonical));
    let under = key.map(|key| MadeUnder { key: key.as_str().to_owned(), request: hash(request.as_bytes()) });
    let new = NewWorld { under, ..read(new)? };
    let made = create_world(&app.services, &call.caller, new).await;
    let object = ("body.snapshotId", "snapshot");
    let made = made.map_err(|error| write_problem(error, object, None, create_world_problem))?;
    Ok(HttpResponse::Created().json(MadeWorldView::at(made, app.services.time.real_now())))
}

/// Reads the body; `None` where faults were noted.
fn new_world(body: Option<&Json>, faults: &mut Faults) -> Option<NewWorld> {
    let mut members = Members::of_body(body, faults)?;
    let choice = [WorldTemplate::Demo, WorldTemplate::Empty];
    let template = members.optional("template", faults, |value| one_of(value, &choice, WorldTemplate::as_str));
    let snapshot = members.optional("snapshotId", faults, |value| SnapshotId::parse(string(value)?));
    let seed = members.optional("seed", faults, text::<1, 64>);
    let starts_at = members.optional("startsAt", faults, |value| parse_time(string(value)?));
    let replace = members.optional("replace", faults, boolean);
    members.finish(faults);
    // What was sent and is wrong was sent all the same.
    let from_snapshot = !matches!(snapshot, Some(None));
    if from_snapshot && !matches!(template, Some(None)) {
        faults.push(Flaw::value("A world is made from a template or from a snapshot.").at("body.template"));
    }
    if from_snapshot && !matches!(starts_at, Some(None)) {
        let message = "A world that is made from a snapshot has the time of the snapshot.";
        faults.push(Flaw::value(message).at("body.startsAt"));
    }
    if matches!(replace, Some(Some(true))) && matches!(seed, Some(None)) {
        faults.push(Flaw::value("Only a world with a seed can replace one.").at("body.replace"));
    }
    let (template, snapshot, seed) = (template?, snapshot?, seed?);
    let (starts_at, replace) = (starts_at?, replace?.unwrap_or(false));
    let template = match (snapshot, template) {
        (Some(id), _) => NewWorldTemplate::Snapshot(id),
        (None, Some(WorldTemplate::Empty)) => NewWorldTemplate::Empty,
        (None, _) => NewWorldTemplate::Demo,
    };
    Some(NewWorld { template, seed, starts_at, replace, under: None })
}
