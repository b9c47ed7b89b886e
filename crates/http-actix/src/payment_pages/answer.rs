//! Responses below `/pay`: their headers, and the error pages.

use super::frame::{RequestedPage, bare_frame, language_of};
use crate::codes::ErrorCode;
use crate::problem::Problem;
use crate::state::App;
use actix_web::body::BoxBody;
use actix_web::http::StatusCode;
use actix_web::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderValue, LOCATION, REFERRER_POLICY,
};
use actix_web::web::{Bytes, Data};
use actix_web::{HttpMessage, HttpRequest, HttpResponse};
use florin_pages::{Frame, Page, ProblemKind, render};
use std::borrow::Cow;

/// The content security policy of the pages. They load style sheets and images from this server, and send forms to it.
const POLICY: &str = "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; \
    frame-ancestors 'none'; base-uri 'none'";
const HTML: HeaderValue = HeaderValue::from_static("text/html; charset=utf-8");

/// Whether a request is for a path below `/pay`. Percent-encoded letters are decoded, as in routing.
pub(crate) fn is_payment_page(request: &HttpRequest) -> bool {
    let path = request.match_info().as_str();
    path == "/pay" || path.starts_with("/pay/")
}

/// Returns the path for the log. Paths of payment pages are replaced by their pattern, because their tokens let a
/// reader pay or cancel.
pub(crate) fn path_for_log(request: &HttpRequest) -> Cow<'_, str> {
    if is_payment_page(request) {
        Cow::Owned(request.match_pattern().unwrap_or_else(|| "/pay/…".to_owned()))
    } else {
        Cow::Borrowed(request.path())
    }
}

/// Completes a response below `/pay`: adds headers, and replaces an error body with an error page.
pub(crate) fn complete_answer(request: &HttpRequest, response: HttpResponse) -> HttpResponse {
    let status = response.status();
    let is_page = response.headers().get(CONTENT_TYPE) == Some(&HTML);
    let mut response = if (status.is_client_error() || status.is_server_error()) && !is_page {
        let mut refusal = response.set_body(BoxBody::new(problem_page(request, status)));
        refusal.headers_mut().insert(CONTENT_TYPE, HTML);
        refusal
    } else {
        response
    };
    let headers = response.headers_mut();
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    // With `no-referrer`, browsers would send `Origin: null` with forms.
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    response
}

/// Returns the response with a page.
pub(super) fn page(status: StatusCode, frame: &Frame, page: &Page) -> HttpResponse {
    HttpResponse::build(status).insert_header((CONTENT_TYPE, HTML)).body(render(frame, page))
}

/// Redirects the browser to a page of Florin. The browser loads it with `GET`.
pub(super) fn redirect_to(path: &str) -> HttpResponse {
    HttpResponse::SeeOther().insert_header((LOCATION, path)).finish()
}

/// Returns the 400 for a form that Florin did not create, or that has an invalid value.
pub(super) fn invalid_form(message: &'static str) -> Problem {
    Problem::new(StatusCode::BAD_REQUEST, "body", ErrorCode::InvalidValue, message)
}

/// Returns the 410 for a link that was used or has expired.
pub(super) fn gone() -> Problem {
    Problem::new(StatusCode::GONE, "", ErrorCode::Expired, "the link is not valid any more")
}

/// Whether the page of a refused request may still exist, so that the error page can link to it.
const fn may_exist(kind: ProblemKind) -> bool {
    !matches!(kind, ProblemKind::NotFound | ProblemKind::Gone)
}

fn problem_page(request: &HttpRequest, status: StatusCode) -> String {
    let kind = match status {
        StatusCode::NOT_FOUND => ProblemKind::NotFound,
        StatusCode::GONE => ProblemKind::Gone,
        StatusCode::BAD_REQUEST => ProblemKind::InvalidForm,
        StatusCode::FORBIDDEN => ProblemKind::ForeignForm,
        StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => ProblemKind::Busy,
        status if status.is_server_error() => ProblemKind::Internal,
        _ => ProblemKind::InvalidRequest,
    };
    let requested = request.extensions().get::<RequestedPage>().cloned();
    let (language, back_path) = match requested {
        Some(RequestedPage { language, path }) => (language, Some(path).filter(|_| may_exist(kind))),
        None => (language_of(None, request), None),
    };
    let Some(app) = request.app_data::<Data<App>>() else { return String::new() };
    let problem = florin_pages::Problem { kind, back_path };
    render(&bare_frame(app, language), &Page::Problem(problem))
}

/// Returns a file. With `is_immutable`, it may be cached forever, because its URL changes with its contents.
pub(super) fn file(content_type: &'static str, content: impl Into<Bytes>, is_immutable: bool) -> HttpResponse {
    let caching = if is_immutable { "public, max-age=31536000, immutable" } else { "no-cache" };
    HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, content_type))
        .insert_header((CACHE_CONTROL, caching))
        .body(content.into())
}
