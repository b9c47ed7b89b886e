//! `PUT /v2/card-decisions` (contract 5.7)

use super::common::{ENDPOINT, WRITE, claim, without_secret};
use crate::call::Call;
use crate::declare::{AccountParameter, IdempotencyKeyHeader, WholeNumber, body};
use crate::mapping::{endpoint_problem, write_problem};
use crate::problem::{Problem, expect_valid};
use crate::reply::reply;
use crate::routes::error_sets::EndpointErrors;
use crate::routes::webhooks::ReceiverUrl;
use crate::state::App;
use crate::views::DecisionEndpointView;
use actix_web::web::{Data, Payload};
use actix_web::{HttpRequest, HttpResponse};
use florin_application::set_endpoint;
use florin_domain::card::{DecisionTime, EndpointChange, EndpointSettings, Fallback};
use florin_ports::Written;

body! {
    /// The endpoint that decides on the card messages of an account. Omitted members get their defaults.
    pub(crate) struct CardDecisionsBody as "SetCardDecisionsRequest" {
        /// The URL of the endpoint: `https`, with port 443 or above 1023, and a name that resolves to public addresses.
        /// The sandbox also accepts `http`, port 80 and loopback addresses.
        #[example("http://localhost:9000/decisions")]
        "url" => url: ReceiverUrl,
        /// Whether Florin asks the endpoint. Default: true.
        #[example(true)]
        "enabled" => enabled: Option<bool>,
        /// How long Florin waits for the complete reply, in milliseconds. Default: 2000.
        #[example(2000)]
        "timeoutMs" => time_limit: Option<WholeNumber<{ DecisionTime::MIN as i64 }, { DecisionTime::MAX as i64 }>>,
        /// What happens to a message on which the endpoint does not decide in time. Default: `DECLINE`.
        #[example("DECLINE")]
        "fallback" => fallback: Option<Fallback>,
    }
}

impl From<CardDecisionsBody> for EndpointSettings {
    fn from(body: CardDecisionsBody) -> Self {
        let time_limit = body.time_limit.and_then(|millis| DecisionTime::of_millis(millis.0));
        Self {
            url: body.url.0,
            enabled: body.enabled.unwrap_or(true),
            time_limit: time_limit.unwrap_or(DecisionTime::DEFAULT),
            fallback: body.fallback.unwrap_or_default(),
        }
    }
}

/// Sets the endpoint that decides on the card messages of an account.
///
/// Florin asks the endpoint about every purchase, ATM withdrawal, debit and increment that no earlier rule declines,
/// and waits for the reply. The signing secret is returned only once, when the endpoint is created; later changes keep
/// it. A retry of the creation with the same idempotency key returns 409 and changes nothing. Florin extension.
#[utoipa::path(put, path = "/v2/card-decisions", tag = "Cards", operation_id = "setCardDecisions",
    security(("apiKey" = [WRITE.scope])),
    request_body = CardDecisionsBody,
    params(AccountParameter, IdempotencyKeyHeader),
    responses((status = 200, description = "The changed endpoint.", body = DecisionEndpointView),
        (status = 201, description = "The new endpoint, with its signing secret.", body = DecisionEndpointView),
        EndpointErrors))]
pub(crate) async fn handle(app: Data<App>, request: HttpRequest, payload: Payload) -> Result<HttpResponse, Problem> {
    let mut write = Call::enter(&app, &request, &WRITE).await?.with_body(payload).await?;
    let body = write.read::<CardDecisionsBody>()?;
    let account = write.account().await?;
    let settings = expect_valid(body)?.into();
    let claim = claim(&mut write)?;
    let recorded = claim.as_ref().map(|claim| claim.request.clone());
    let set = set_endpoint(&app.services, &account, settings, claim).await;
    let (written, secret) = set.map_err(|error| write_problem(error, ENDPOINT, recorded.as_ref(), endpoint_problem))?;
    let change = match written {
        Written::New(change) => change,
        Written::Replayed(answer) => return reply(answer, true),
        Written::DryRun(_) => return Err(Problem::internal()),
    };
    match (without_secret(&change), change) {
        (Some(answer), _) => reply(answer, false),
        (None, EndpointChange { endpoint: Some(endpoint), .. }) => {
            Ok(HttpResponse::Created().json(DecisionEndpointView::from(&endpoint).with_secret(&secret)))
        }
        (None, EndpointChange { endpoint: None, .. }) => Err(Problem::internal()),
    }
}
