//! Adds request ids, log lines and metrics to all requests, and the error body to all failures.

use super::restored::or_restored;
use crate::codes::ErrorCode;
use crate::connections::{Gate, gated, in_parts};
use crate::load::{discard, is_shed, overloaded};
use crate::payment_pages::{complete_answer, is_payment_page, path_for_log};
use crate::problem::Problem;
use crate::state::App;
use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::StatusCode;
use actix_web::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderMap, HeaderName, HeaderValue, X_CONTENT_TYPE_OPTIONS,
};
use actix_web::middleware::Next;
use actix_web::web::Data;
use actix_web::{Error, HttpMessage, HttpRequest, HttpResponse};
use florin_domain::ids::ClientId;
use futures_util::FutureExt;
use std::fmt::{self, Display};
use std::panic::AssertUnwindSafe;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// The prefix of all API paths. Health endpoints and docs are outside it.
const API: &str = "/v2/";
/// The content security policy of responses that are not pages. A browser that displays such a response loads and runs
/// nothing.
const POLICY: &str = "default-src 'none'; frame-ancestors 'none'";
/// The log target of requests.
pub const REQUEST_LOG_TARGET: &str = "florin::requests";
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The caller of a request, for its log line.
#[derive(Clone, Copy)]
struct Client(ClientId);

/// Records the caller of a request for its log line.
pub(crate) fn record_client(request: &HttpRequest, client: ClientId) {
    request.extensions_mut().insert(Client(client));
}

/// Wraps every request: adds a request id, and completes, measures and logs the response.
pub(crate) async fn envelope(
    mut request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let began = Instant::now();
    let app = request.app_data::<Data<App>>().cloned().ok_or_else(Problem::internal)?;
    let id = request_id(&request).unwrap_or_else(|| app.services.time.real_id().to_string());
    let gate = request.request().conn_data::<Rc<Gate>>().cloned();
    let _in_progress = gate.as_ref().map(Gate::begin);
    if let Some(gate) = &gate {
        let payload = gated(request.take_payload(), request.request(), gate);
        request.set_payload(payload);
    }
    let (request, response) = next.call(request).await?.map_into_boxed_body().into_parts();
    let response = or_restored(&app, &request, response).await;
    let mut response = with_error_body(response, &id);
    if is_payment_page(&request) {
        response = complete_answer(&request, response);
    }
    if let Ok(value) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(REQUEST_ID, value);
    }
    protect(response.headers_mut());
    let took = began.elapsed();
    if app.metrics.is_some() {
        measure(&request, response.status(), took);
    }
    log(&request, response.status(), &id, took);
    Ok(ServiceResponse::new(request, response.map_body(|_, body| in_parts(body))))
}

/// Adds protective headers. Browsers must not guess media types or run a response as a page. Nobody may store
/// responses, because they can contain amounts and personal data. Pages and their files set their own headers.
pub(crate) fn protect(headers: &mut HeaderMap) {
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    for (name, value) in [(CACHE_CONTROL, "no-store"), (CONTENT_SECURITY_POLICY, POLICY)] {
        if !headers.contains_key(&name) {
            headers.insert(name, HeaderValue::from_static(value));
        }
    }
}

/// Refuses requests that the server has no capacity for, before their handlers run.
pub(crate) async fn admit(
    mut request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let app = request.app_data::<Data<App>>().cloned().ok_or_else(Problem::internal)?;
    let admission = app.in_flight.admit();
    let is_refused = admission.is_none() || is_shed(&app.services, request.method());
    // Health endpoints must always respond, so only the API and the payment pages are limited.
    let is_limited = request.path().starts_with(API) || is_payment_page(request.request());
    if is_refused && is_limited {
        discard(request.take_payload()).await;
        return Ok(request.into_response(HttpResponse::from_error(overloaded())));
    }
    next.call(request).await.map(ServiceResponse::map_into_boxed_body)
}

/// Converts a panic of a handler to a 500 response. It wraps each resource, because a request can't be cloned before
/// routing.
pub(crate) async fn catch_panic(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let copy = request.request().clone();
    if let Ok(outcome) = AssertUnwindSafe(next.call(request)).catch_unwind().await {
        return outcome.map(ServiceResponse::map_into_boxed_body);
    }
    tracing::error!(path = &*path_for_log(&copy), "a handler panicked");
    Ok(ServiceResponse::new(copy, HttpResponse::from_error(Problem::internal())))
}

/// Returns the request id that the caller sent, if it has 1 to 64 safe characters. `None`: none was sent, or it is
/// invalid.
fn request_id(request: &ServiceRequest) -> Option<String> {
    let sent = request.headers().get(REQUEST_ID).and_then(|value| value.to_str().ok());
    let is_valid = |id: &&str| {
        (1..=64).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
    };
    sent.filter(is_valid).map(ToOwned::to_owned)
}

/// Gives every response with a status of 400 or above the error body, including responses of the framework.
fn with_error_body(response: HttpResponse, id: &str) -> HttpResponse {
    let status = response.status();
    if !status.is_client_error() && !status.is_server_error() {
        return response;
    }
    let Some(error) = response.error() else { return response };
    let mut answer = match error.as_error::<Problem>() {
        Some(problem) => problem.response(Some(id)),
        None => framework_problem(status).response(Some(id)),
    };
    // Keep headers that other middleware has added, such as those of CORS.
    let (headers, original) = (answer.headers_mut(), response.headers());
    let missing: Vec<_> = original.iter().filter(|(name, _)| !headers.contains_key(*name)).collect();
    for (name, value) in missing {
        headers.append(name.clone(), value.clone());
    }
    answer
}

/// Returns the error body for a request that the framework refused.
fn framework_problem(status: StatusCode) -> Problem {
    let (code, message) = match status {
        StatusCode::NOT_FOUND => (ErrorCode::NotFound, "nothing exists at this path"),
        StatusCode::PAYLOAD_TOO_LARGE => (ErrorCode::PayloadTooLarge, "request too large"),
        StatusCode::UNSUPPORTED_MEDIA_TYPE => (ErrorCode::UnsupportedMediaType, "unsupported media type"),
        status if status.is_client_error() => (ErrorCode::InvalidFormat, "malformed request"),
        _ => return Problem::internal(),
    };
    Problem::new(status, "", code, message)
}

/// Records the request and its duration for `/metrics`.
fn measure(request: &HttpRequest, status: StatusCode, took: Duration) {
    let route = request.match_pattern().unwrap_or_else(|| "unmatched".to_owned());
    let labels = [("method", method(request).to_owned()), ("route", route), ("status", status.as_str().to_owned())];
    metrics::counter!("florin_requests_total", &labels).increment(1);
    metrics::histogram!("florin_request_seconds", &labels).record(took);
}

/// Returns the method of a request as a label. Callers can invent methods, and each label value takes memory, so
/// unknown methods become `other`.
fn method(request: &HttpRequest) -> &'static str {
    const KNOWN: [&str; 8] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"];
    let sent = request.method().as_str();
    KNOWN.into_iter().find(|known| *known == sent).unwrap_or("other")
}

/// Logs one line per request. The query is never logged, because it can contain personal data.
fn log(request: &HttpRequest, status: StatusCode, id: &str, took: Duration) {
    let client = request.extensions().get::<Client>().copied();
    tracing::info!(
        target: REQUEST_LOG_TARGET,
        method = request.method().as_str(),
        path = &*path_for_log(request),
        status = status.as_u16(),
        micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX),
        request_id = %id,
        client = %ClientForLog(client),
        "request"
    );
}

/// Displays the id of a client, or a hyphen.
struct ClientForLog(Option<Client>);

impl Display for ClientForLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(Client(id)) => Display::fmt(&id, f),
            None => f.write_str("-"),
        }
    }
}
