//! `POST /v2/webhooks/{webhookId}/rotate-secret` (contract 6.2)

use super::common::{WEBHOOK, WRITE, WebhookPath, WebhookWrite};
use crate::declare::{IdempotencyKeyHeader, OptionalAccountParameter, WholeNumber, body};
use crate::mapping::{webhook_problem, write_problem};
use crate::problem::{Problem, expect_valid};
use crate::routes::error_sets::RotateSecretErrors;
use crate::state::App;
use crate::views::RotatedSecretView;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::rotate_webhook_secret;
use florin_domain::webhook::OverlapHours;
use florin_ports::Written;

body! {
    /// A rotation of the signing secret.
    pub(crate) struct RotateSecretBody as "RotateSecretRequest" {
        /// Length of the overlap, in hours of real time: until its end, the previous secret signs, too. Default: 24.
        #[example(24)]
        "overlapHours" => overlap: Option<WholeNumber<0, 168>>,
    }
}

/// Replaces the signing secret of a subscription.
///
/// During the overlap, deliveries have two signatures, the newer one first. `x-em-signature` does not change. The new
/// secret is returned only once. A retry with the same idempotency key returns 409 and changes nothing.
/// Florin extension.
#[utoipa::path(post, path = "/v2/webhooks/{webhookId}/rotate-secret", tag = "Webhooks",
    operation_id = "rotateWebhookSecret",
    security(("apiKey" = [WRITE.scope])),
    request_body = Option<RotateSecretBody>,
    params(WebhookPath, OptionalAccountParameter, IdempotencyKeyHeader),
    responses((status = 200, description = "The new secret.", body = RotatedSecretView), RotateSecretErrors))]
pub(crate) async fn handle(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let mut write = WebhookWrite::enter(&app, &request, payload).await?;
    let body = match &write.document {
        Some(document) => write.call.read_body::<RotateSecretBody>(Some(document))?,
        None => Some(RotateSecretBody { overlap: None }),
    };
    let (webhook, claim) = write.finish(|_| None).await?;
    let hours = expect_valid(body)?.overlap.and_then(|hours| OverlapHours::new(hours.0));
    let recorded = claim.as_ref().map(|claim| claim.request.clone());
    let rotated = rotate_webhook_secret(&app.webhooks, webhook, hours.unwrap_or(OverlapHours::DEFAULT), claim).await;
    let (written, (secret, until)) =
        rotated.map_err(|error| write_problem(error, WEBHOOK, recorded.as_ref(), webhook_problem))?;
    match written {
        Written::New(_) => Ok(HttpResponse::Ok().json(RotatedSecretView::new(&secret, until))),
        // A response with a secret is never stored, so it is never replayed; and the command has no dry run.
        Written::Replayed(_) | Written::DryRun(_) => Err(Problem::internal()),
    }
}
