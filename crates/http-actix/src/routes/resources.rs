//! Resources, which respond with 405 to methods without a route, and the 404 for unknown paths.

use super::operation::{Operation, run};
use crate::codes::ErrorCode;
use crate::middleware::catch_panic;
use crate::problem::Problem;
use actix_web::body::BoxBody;
use actix_web::dev::{HttpServiceFactory, ServiceFactory, ServiceRequest, ServiceResponse};
use actix_web::http::StatusCode;
use actix_web::middleware::from_fn;
use actix_web::{Error, HttpResponse, Resource, Route, guard, web};

/// Creates a resource that accepts GET and HEAD.
pub(crate) fn get<Args>(path: &str, operation: impl Operation<Args>) -> impl HttpServiceFactory + 'static {
    resource_allowing(path, "GET, HEAD").route(run(get_or_head(), operation))
}

/// Creates a resource that accepts POST.
pub(super) fn post<Args>(path: &str, operation: impl Operation<Args>) -> impl HttpServiceFactory + 'static {
    resource_allowing(path, "POST").route(run(web::post(), operation))
}

/// Creates a resource without routes. A panic of a handler becomes a 500. Methods without a route get 405, with `allow`
/// as the `Allow` header.
pub(crate) fn resource_allowing(path: &str, allow: &'static str) -> Resource<impl Endpoint> {
    web::resource(path)
        .default_service(web::to(move || async move { method_not_allowed(allow) }))
        .wrap(from_fn(catch_panic))
}

/// The service of a resource.
pub(crate) trait Endpoint:
    ServiceFactory<ServiceRequest, Config = (), Response = ServiceResponse<BoxBody>, Error = Error, InitError = ()>
    + 'static
{
}

impl<T> Endpoint for T where
    T: ServiceFactory<ServiceRequest, Config = (), Response = ServiceResponse<BoxBody>, Error = Error, InitError = ()>
        + 'static
{
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

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::http::Method;
    use actix_web::test::{TestRequest, call_service, init_service};

    async fn panicking() -> HttpResponse {
        panic!("a bug of the handler")
    }

    #[actix_web::test]
    async fn every_resource_turns_a_panic_into_a_500() {
        let app = actix_web::App::new()
            .service(get("/get", panicking))
            .service(post("/post", panicking))
            .service(resource_allowing("/put", "PUT").route(run(web::put(), panicking)));
        let app = init_service(app).await;
        for (method, path) in [(Method::GET, "/get"), (Method::POST, "/post"), (Method::PUT, "/put")] {
            let request = TestRequest::with_uri(path).method(method).to_request();
            assert_eq!(call_service(&app, request).await.status(), StatusCode::INTERNAL_SERVER_ERROR, "{path}");
        }
        let request = TestRequest::with_uri("/post").to_request();
        assert_eq!(call_service(&app, request).await.status(), StatusCode::METHOD_NOT_ALLOWED);
    }
}
