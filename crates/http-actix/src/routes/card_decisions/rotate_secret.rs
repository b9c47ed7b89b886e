//! `POST /v2/card-decisions/rotate-secret` (contract 5.7)

use super::common::{ENDPOINT, WRITE, claim};
use crate::call::Call;
use crate::declare::{AccountParameter, IdempotencyKeyHeader};
use crate::mapping::{endpoint_problem, write_problem};
use crate::problem::{Problem, expect_valid};
use crate::routes::error_sets::RotateSecretErrors;
use crate::routes::webhooks::RotateSecretBody;
use crate::state::App;
use crate::views::RotatedSecretView;
use actix_web::web::{Data, Payload};
use actix_web::{HttpRequest, HttpResponse};
use florin_application::rotate_endpoint_secret;
use florin_domain::webhook::OverlapHours;
use florin_ports::Written;

/// Replaces the signing secret of the endpoint that decides on the card messages of an account.
///
/// During the overlap, questions have two signatures, the newer one first. The new secret is returned only once. A
/// retry with the same idempotency key returns 409 and changes nothing. Florin extension.
#[utoipa::path(post, path = "/v2/card-decisions/rotate-secret", tag = "Cards",
    operation_id = "rotateCardDecisionsSecret",
    security(("apiKey" = [WRITE.scope])),
    request_body = Option<RotateSecretBody>,
    params(AccountParameter, IdempotencyKeyHeader),
    responses((status = 200, description = "The new secret.", body = RotatedSecretView), RotateSecretErrors))]
pub(crate) async fn handle(app: Data<App>, request: HttpRequest, payload: Payload) -> Result<HttpResponse, Problem> {
    let mut write = Call::enter(&app, &request, &WRITE).await?.with_body(payload).await?;
    let body = match write.body {
        Some(_) => write.read::<RotateSecretBody>()?,
        None => Some(RotateSecretBody { overlap: None }),
    };
    let account = write.account().await?;
    let overlap = expect_valid(body)?.overlap.and_then(|hours| OverlapHours::new(hours.0));
    let claim = claim(&mut write)?;
    let recorded = claim.as_ref().map(|claim| claim.request.clone());
    let rotated =
        rotate_endpoint_secret(&app.services, &account, overlap.unwrap_or(OverlapHours::DEFAULT), claim).await;
    let (written, (secret, until)) =
        rotated.map_err(|error| write_problem(error, ENDPOINT, recorded.as_ref(), endpoint_problem))?;
    match written {
        Written::New(_) => Ok(HttpResponse::Ok().json(RotatedSecretView::new(&secret, until))),
        // A response with a secret is never stored, so it is never replayed; and the command has no dry run.
        Written::Replayed(_) | Written::DryRun(_) => Err(Problem::internal()),
    }
}
