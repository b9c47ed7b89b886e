//! `GET /`: an introduction to this server, as a page for browsers and as JSON for other clients.

use super::{asset, escaped, page};
use crate::problem::Problem;
use crate::state::App;
use actix_web::http::header::{ACCEPT, Accept, HOST, Header as _, HeaderValue, VARY};
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::demo;
use florin_domain::access::Environment;
use serde::Serialize;

const HTML: &str = include_str!("home.html");
const DEMO: &str = include_str!("home_demo.html");
const NO_DEMO: &str = include_str!("home_no_demo.html");
const STYLE: &str = include_str!("style.css");
const POLICY: &str = "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'";
/// The demo card of the sample request.
const CARD: &str = "0198c0de-0006-7000-8000-000000000001";

/// The introduction as JSON.
#[derive(Serialize)]
struct Summary {
    name: &'static str,
    version: &'static str,
    environment: &'static str,
    docs: &'static str,
    openapi: &'static str,
    health: &'static str,
    readiness: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    demo: Option<DemoAccess>,
}

/// The account and key of the demo data.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct DemoAccess {
    account_id: &'static str,
    api_key: &'static str,
}

/// Serves the introduction.
pub(crate) async fn home(request: HttpRequest, app: web::Data<App>) -> Result<HttpResponse, Problem> {
    let mut response = if prefers_html(&request) {
        page(html(&app, &root_url(&app, &request)).await, POLICY)
    } else {
        crate::reply::ok(&summary(&app))?
    };
    response.headers_mut().insert(VARY, HeaderValue::from_static("Accept"));
    Ok(response)
}

/// Serves the style sheet of the page.
pub(crate) async fn style() -> HttpResponse {
    asset("text/css; charset=utf-8", STYLE.as_bytes())
}

/// Whether the caller prefers HTML over all other media types.
fn prefers_html(request: &HttpRequest) -> bool {
    if !request.headers().contains_key(ACCEPT) {
        return false;
    }
    let ranked = Accept::parse(request).map(|accept| accept.ranked()).unwrap_or_default();
    ranked.first().is_some_and(|first| first.essence_str() == "text/html")
}

fn summary(app: &App) -> Summary {
    Summary {
        name: "Florin",
        version: app.introduction.version,
        environment: app.services.environment.as_str(),
        docs: "/docs",
        openapi: "/openapi.json",
        health: "/healthz",
        readiness: "/readyz",
        demo: app.shows_demo().then_some(DemoAccess { account_id: demo::ACCOUNT, api_key: demo::API_KEY }),
    }
}

async fn html(app: &App, root: &str) -> String {
    let problem = match app.services.upkeep.readiness().await {
        Ok(readiness) => readiness.problem(),
        Err(error) => {
            tracing::error!(%error, "not ready");
            Some("the database is unavailable")
        }
    };
    let (class, status) = match problem {
        None => ("ready", "Ready".to_owned()),
        Some(problem) => ("unready", format!("Not ready: {problem}")),
    };
    let purpose = match app.services.environment {
        Environment::Sandbox => "Sandbox: money, cards and banks are simulated.",
        Environment::Production => "Production.",
    };
    let access = if app.shows_demo() { DEMO } else { NO_DEMO };
    HTML.replace("{{access}}", access)
        .replace("{{class}}", class)
        .replace("{{status}}", &status)
        .replace("{{version}}", app.introduction.version)
        .replace("{{environment}}", app.services.environment.as_str())
        .replace("{{purpose}}", purpose)
        .replace("{{account}}", demo::ACCOUNT)
        .replace("{{key}}", demo::API_KEY)
        .replace("{{card}}", CARD)
        .replace("{{root}}", &escaped(root))
}

/// Returns the URL of this server for the sample request. It is safe inside single quotes of a shell.
fn root_url(app: &App, request: &HttpRequest) -> String {
    if let Some(url) = &app.introduction.public_url {
        return url.clone();
    }
    let is_safe = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | ':' | '[' | ']');
    let host = request.headers().get(HOST).and_then(|host| host.to_str().ok());
    let host = host.filter(|host| host.chars().all(is_safe)).unwrap_or("localhost:8080");
    format!("http://{host}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::test::TestRequest;

    #[test]
    fn browsers_get_html_and_programs_get_json() {
        for (accept, html) in [
            ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", true),
            ("text/html", true),
            ("*/*", false),
            ("application/json", false),
            ("application/json, text/html;q=0.5", false),
            ("nonsense", false),
        ] {
            let request = TestRequest::get().insert_header((ACCEPT, accept)).to_http_request();
            assert_eq!(prefers_html(&request), html, "{accept}");
        }
        assert!(!prefers_html(&TestRequest::get().to_http_request()));
    }

    #[test]
    fn the_pages_contain_no_script() {
        for html in [HTML, DEMO, NO_DEMO] {
            let handlers = html.split(" on").skip(1).filter_map(|rest| rest.split_once('=')).map(|(name, _)| name);
            assert!(!html.contains("<script") && !html.contains(" style="), "{html}");
            assert!(handlers.into_iter().all(|name| !name.bytes().all(|byte| byte.is_ascii_lowercase())), "{html}");
        }
    }
}
