//! Allows web pages of other origins to call the API from a browser (CORS).

use actix_cors::Cors;
use actix_web::http::Method;
use actix_web::http::header::{ALLOW, AUTHORIZATION, CONTENT_TYPE, HeaderName, RETRY_AFTER, WWW_AUTHENTICATE};

/// The time for which browsers may cache the response to a preflight request, in seconds.
const MAX_AGE: usize = 600;

/// Allows pages of these origins to call the API with a key. Never allows cookies or a wildcard origin. A request from
/// another origin receives the usual response, but the browser hides it from the page.
pub(crate) fn cors(origins: &[String]) -> Cors {
    const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
    const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");
    const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
    const REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");
    let cors = Cors::default()
        .allowed_methods([Method::GET, Method::HEAD, Method::POST, Method::PUT, Method::PATCH, Method::DELETE])
        .allowed_headers([AUTHORIZATION, CONTENT_TYPE, IDEMPOTENCY_KEY, LAST_EVENT_ID, REQUEST_ID])
        .expose_headers([REQUEST_ID, RETRY_AFTER, REPLAYED, WWW_AUTHENTICATE, ALLOW])
        .block_on_origin_mismatch(false)
        .max_age(MAX_AGE);
    origins.iter().fold(cors, |cors, origin| cors.allowed_origin(origin))
}
