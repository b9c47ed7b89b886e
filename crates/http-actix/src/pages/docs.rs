//! `GET /docs`: Swagger UI with Florin's page, style sheet and scripts. All files are embedded in the program. The
//! files of Swagger UI are embedded and served in gzip format, which every browser accepts.

use super::{asset, page};
use crate::problem::Problem;
use crate::routes::resources::not_found;
use crate::state::App;
use actix_web::http::header::{CONTENT_ENCODING, HeaderValue};
use actix_web::{HttpResponse, web};
use florin_application::demo;

const HTML: &str = include_str!("docs.html");
const STYLE: &str = include_str!("docs.css");
const SCRIPT: &str = include_str!("docs.js");
const LINKS: &str = include_str!("links.js");
/// The content security policy of the docs page. It allows inline styles and data URLs, which Swagger UI uses.
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
        "docs.css" => return Ok(asset("text/css; charset=utf-8", STYLE.as_bytes())),
        "links.js" => return Ok(asset("text/javascript; charset=utf-8", LINKS.as_bytes())),
        "docs.js" => return Ok(asset("text/javascript; charset=utf-8", SCRIPT.as_bytes())),
        _ => {}
    }
    match SWAGGER_UI.iter().find(|(name, ..)| *name == file.as_str()) {
        Some((_, content_type, bytes)) => {
            let mut answer = asset(content_type, bytes);
            answer.headers_mut().insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            Ok(answer)
        }
        None => not_found().await,
    }
}

/// Defines the files of Swagger UI that `build.rs` has written: their names, media types and gzip-compressed contents.
macro_rules! swagger_ui {
    ($($name:literal: $media_type:literal),* $(,)?) => {
        const SWAGGER_UI: &[(&str, &str, &[u8])] =
            &[$(($name, $media_type, include_bytes!(concat!(env!("OUT_DIR"), "/", $name, ".gz")))),*];
    };
}

swagger_ui! {
    "swagger-ui-bundle.js": "text/javascript; charset=utf-8",
    "swagger-ui.css": "text/css; charset=utf-8",
    "favicon-32x32.png": "image/png",
}
