//! `POST /v2/webhooks` (contract 6.2)

use super::bodies::{AuthorizationHeader, FiltersBody, ReceiverUrl, SharedSecret};
use super::common::WRITE;
use crate::call::Call;
use crate::declare::{IdempotencyKeyHeader, Lenient, TypeId, TypeName, body};
use crate::extract::body;
use crate::idempotency::{canonical, client_claim};
use crate::mapping::{webhook_problem, write_problem};
use crate::problem::{Problem, expect_valid};
use crate::routes::error_sets::CreateWebhookErrors;
use crate::state::App;
use crate::views::CreatedWebhookView;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::{NewWebhook, ReachError, reach_account, subscribe};
use florin_domain::access::{Account, AccountGrant};
use florin_domain::event::EventType;
use florin_domain::fault::{Faults, Flaw};
use florin_domain::ids::AccountId;
use florin_domain::webhook::Webhook;
use florin_ports::Written;

body! {
    /// A new subscription.
    pub(crate) struct WebhookBody as "CreateWebhookRequest" {
        /// Whether events are delivered.
        #[example(true)]
        "enabled" => enabled: bool,
        /// The URL of the receiver: `https`, with port 443 or above 1023, and a name that resolves to public addresses.
        /// The sandbox also accepts `http`, port 80 and loopback addresses.
        #[example("https://example.com/hooks")]
        "url" => url: ReceiverUrl,
        /// The name of the event type. Required without `webhookEventTypeId`.
        #[example("CardTransaction")]
        "webhookEventTypeName" => type_name: Lenient<TypeName>,
        /// The id of the event type.
        "webhookEventTypeId" => type_id: Lenient<TypeId>,
        /// Only events of this account. Default: all accounts of the client, including future ones and worlds. Required
        /// if the API key is limited to some accounts.
        #[example("F50091")]
        "accountId" => account: Lenient<AccountId>,
        /// Your own secret, a UUID, for the header `x-em-signature`. The signing secret is then derived from it, too.
        "sharedSecret" => shared: Option<SharedSecret>,
        /// The `Authorization` header of deliveries.
        "authorizationHeader" => authorization: Option<AuthorizationHeader>,
        /// Which events of the type are delivered. For Merchant types only.
        "filters" => filters: Lenient<FiltersBody>,
        /// Whether an event with failed attempts holds back later events of the same object until it is delivered or
        /// exhausted. Default: false. Florin extension.
        "ordered" => ordered: Option<bool>,
    }
}

/// Subscribes to a type of event.
///
/// The signing secret is returned only once. A retry with the same idempotency key returns 409 and creates nothing. A
/// client has at most 100 subscriptions. Example: `{"enabled": true, "url": "https://example.com/hooks",
/// "webhookEventTypeName": "CardTransaction", "accountId": "F50091"}`.
#[utoipa::path(post, path = "/v2/webhooks", tag = "Webhooks", operation_id = "createWebhook",
    security(("apiKey" = [WRITE.scope])),
    request_body = WebhookBody,
    params(IdempotencyKeyHeader),
    responses((status = 201, description = "The subscription, with its signing secret.", body = CreatedWebhookView),
        CreateWebhookErrors))]
pub(crate) async fn handle(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &WRITE).await?;
    let document = body::json(&request, payload).await?;
    let key = call.idempotency_key();
    let body = call.read_body::<WebhookBody>(document.as_ref())?;
    let event_type = body.as_ref().and_then(|body| check(body, &call.caller.key.accounts, &mut call.faults));
    call.finish_reading()?;
    let (body, event_type) = (expect_valid(body)?, expect_valid(event_type)?);
    let account = match body.account.valid() {
        Some(id) => Some(account_of(&call, &id).await?),
        None => None,
    };
    let canonical = canonical(document.as_ref())?;
    let claim = key.map(|key| client_claim(&call, key, &canonical, |_| None));
    let recorded = claim.as_ref().map(|claim| claim.request.clone());
    let new = NewWebhook {
        account,
        enabled: body.enabled,
        url: body.url.0,
        type_name: event_type.name.to_owned(),
        kind: event_type.kind,
        filter: body.filters.valid().map(Into::into),
        ordered: body.ordered.unwrap_or(false),
        shared: body.shared.map(|secret| secret.0),
        authorization: body.authorization.map(|header| header.0),
    };
    let subscribed = subscribe(&app.webhooks, &call.caller, new, claim).await;
    let (written, secret) =
        subscribed.map_err(|error| write_problem(error, ("body", "webhook"), recorded.as_ref(), webhook_problem))?;
    match written {
        Written::New(webhook) => Ok(HttpResponse::Created().json(CreatedWebhookView::new(&webhook, &secret))),
        // A response with a secret is never stored, so it is never replayed; and the command has no dry run.
        Written::Replayed(_) | Written::DryRun(_) => Err(Problem::internal()),
    }
}

/// Finds the account that the body names.
async fn account_of(call: &Call<'_>, id: &AccountId) -> Result<Account, Problem> {
    let reached = reach_account(&call.app.services, &call.caller, id).await;
    reached.map_err(|error| match error {
        ReachError::Absent => Problem::absent("body.accountId", "account"),
        ReachError::Store(error) => error.into(),
    })
}

/// Checks combinations of members, and returns the type of event.
fn check(body: &WebhookBody, grant: &AccountGrant, faults: &mut Faults) -> Option<&'static EventType> {
    if matches!(grant, AccountGrant::Only(_)) && !body.account.is_sent() {
        faults.push(Flaw::required().at("body.accountId"));
    }
    let event_type = match (&body.type_name, &body.type_id) {
        (Lenient::Valid(name), Lenient::Valid(id)) if name.0.id != id.0.id => {
            faults.push(Flaw::value("must be the id of webhookEventTypeName").at("body.webhookEventTypeId"));
            None
        }
        (Lenient::Valid(TypeName(found)), Lenient::Missing | Lenient::Valid(_))
        | (Lenient::Missing, Lenient::Valid(TypeId(found))) => Some(*found),
        (Lenient::Missing, Lenient::Missing) => {
            faults.push(Flaw::required().at("body.webhookEventTypeName"));
            None
        }
        _ => None,
    };
    if body.filters.is_sent() && event_type.is_some_and(|found| !Webhook::has_filters(found.kind)) {
        faults.push(Flaw::value("is available for Merchant event types only").at("body.filters"));
    }
    event_type
}
