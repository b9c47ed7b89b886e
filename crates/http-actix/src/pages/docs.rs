//! `GET /docs`: Swagger UI with Florin's page, style sheet and start script. All files are embedded in the program.

use super::{asset, page};
use crate::problem::Problem;
use crate::routes::fallback::not_found;
use crate::state::App;
use actix_web::{HttpResponse, web};
use florin_application::demo;
use std::sync::Arc;

const HTML: &str = include_str!("docs.html");
const STYLE: &str = include_str!("docs.css");
const SCRIPT: &str = include_str!("docs.js");
/// Swagger UI sets inline styles, and uses images in data URLs.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; \
    font-src 'self'; connect-src 'self'; base-uri 'self'; form-action 'none'; frame-ancestors 'none'";

/// Serves the docs page.
pub(crate) async fn docs(app: web::Data<App>) -> HttpResponse {
    page(HTML.replace("{{key}}", if app.shows_demo() { demo::API_KEY } else { "" }), POLICY)
}

/// Serves a file of the docs page.
pub(crate) async fn docs_file(app: web::Data<App>, file: web::Path<String>) -> Result<HttpResponse, Problem> {
    match file.as_str() {
        "" | "index.html" => return Ok(docs(app).await),
        "docs.css" => return Ok(asset("text/css; charset=utf-8", STYLE.as_bytes().into())),
        "docs.js" => return Ok(asset("text/javascript; charset=utf-8", SCRIPT.as_bytes().into())),
        _ => {}
    }
    let config = utoipa_swagger_ui::Config::from("/openapi.json");
    let found = utoipa_swagger_ui::serve(&file, Arc::new(config)).map_err(|error| {
        tracing::error!(%error, "cannot read a file of the docs page");
        Problem::internal()
    })?;
    match found {
        Some(found) => Ok(asset(&found.content_type, found.bytes.into_owned().into())),
        None => not_found().await,
    }
}
