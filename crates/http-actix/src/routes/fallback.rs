//! Resources that answer unknown methods with 405, and the 404 for unknown paths.

use crate::codes::ErrorCode;
use crate::middleware::catch_panic;
use crate::problem::Problem;
use actix_web::dev::HttpServiceFactory;
use actix_web::http::StatusCode;
use actix_web::middleware::from_fn;
use actix_web::{FromRequest, Handler, HttpResponse, Resource, Responder, Route, guard, web};

/// Creates a resource that accepts GET and HEAD. Other methods get 405.
pub(crate) fn get<F, Args>(path: &str, handler: F) -> impl HttpServiceFactory + 'static
where
    F: Handler<Args>,
    Args: FromRequest + 'static,
    F::Output: Responder + 'static,
{
    web::resource(path)
        .route(get_or_head().to(handler))
        .default_service(web::to(|| async { method_not_allowed("GET, HEAD") }))
        .wrap(from_fn(catch_panic))
}

/// Creates a resource that accepts POST. Other methods get 405.
pub(super) fn post<F, Args>(path: &str, handler: F) -> impl HttpServiceFactory + 'static
where
    F: Handler<Args>,
    Args: FromRequest + 'static,
    F::Output: Responder + 'static,
{
    web::resource(path).route(web::post().to(handler)).default_service(web::to(|| async { method_not_allowed("POST") }))
}

/// Creates a resource without routes. Methods without a route get 405, with `allow` as the `Allow` header.
pub(crate) fn resource_allowing(path: &str, allow: &'static str) -> Resource {
    web::resource(path).default_service(web::to(move || async move { method_not_allowed(allow) }))
}

/// Creates a route for GET and HEAD.
pub(crate) fn get_or_head() -> Route {
    web::route().guard(guard::Any(guard::Get()).or(guard::Head()))
}

fn method_not_allowed(allow: &'static str) -> Result<HttpResponse, Problem> {
    Err(Problem::method_not_allowed(allow))
}

/// Returns the 404 for an unknown path.
pub(crate) async fn not_found() -> Result<HttpResponse, Problem> {
    Err(Problem::new(StatusCode::NOT_FOUND, "", ErrorCode::NotFound, "nothing exists at this path"))
}
