//! Operations outside `/v2`, which need no key (contract 1.5).

use crate::problem::Problem;
use crate::repeat::ok;
use crate::routes::fallback::not_found;
use crate::state::App;
use actix_web::http::header::CONTENT_TYPE;
use actix_web::{HttpResponse, web};
use florin_ports::Readiness;
use serde::Serialize;
use std::sync::Arc;
use utoipa::ToSchema;

/// How the service is.
#[derive(Serialize, ToSchema)]
pub(crate) struct Health {
    /// `ok`, or why not.
    status: &'static str,
}

/// Alive.
#[utoipa::path(get, path = "/healthz", tag = "Service", operation_id = "healthz", security(()),
    responses((status = 200, description = "The process lives.", body = Health)))]
pub(super) async fn healthz() -> Result<HttpResponse, Problem> {
    ok(&Health { status: "ok" })
}

/// Ready to work: the store can be reached and its schema is current.
#[utoipa::path(get, path = "/readyz", tag = "Service", operation_id = "readyz", security(()),
    responses(
        (status = 200, description = "Ready.", body = Health),
        (status = 503, description = "`overloaded`: the store can't be reached, or its schema is not current.",
            body = crate::problem::ProblemBody)))]
pub(super) async fn readyz(app: web::Data<App>) -> Result<HttpResponse, Problem> {
    let unready = |message: &str| Problem::unavailable(crate::codes::ErrorCode::Overloaded, message);
    match app.services.upkeep.readiness().await {
        Ok(Readiness::Ready) => ok(&Health { status: "ok" }),
        Ok(Readiness::MigrationsPending) => Err(unready("Migrations are pending.")),
        Ok(Readiness::SchemaTooNew) => Err(unready("The schema of the store is newer than this program.")),
        Err(error) => {
            tracing::error!(%error, "not ready");
            Err(unready("The store can't be reached."))
        }
    }
}

/// Figures for Prometheus, where they are switched on.
pub(super) async fn metrics(app: web::Data<App>) -> Result<HttpResponse, Problem> {
    match &app.metrics {
        Some(render) => {
            Ok(HttpResponse::Ok().insert_header((CONTENT_TYPE, "text/plain; version=0.0.4")).body(render()))
        }
        None => not_found().await,
    }
}

/// The docs page. Its files are in a folder of their own, wherever the page itself was asked for.
pub(super) async fn docs() -> Result<HttpResponse, Problem> {
    let (_, bytes) = docs_bytes("index.html")?.ok_or_else(Problem::internal)?;
    let page = String::from_utf8_lossy(&bytes).replacen("<head>", "<head><base href=\"/docs/\">", 1);
    Ok(HttpResponse::Ok().insert_header((CONTENT_TYPE, "text/html; charset=utf-8")).body(page))
}

/// The files of the docs page; all of them are in the program.
pub(super) async fn docs_file(file: web::Path<String>) -> Result<HttpResponse, Problem> {
    match docs_bytes(&file)? {
        Some((content_type, bytes)) => Ok(HttpResponse::Ok().insert_header((CONTENT_TYPE, content_type)).body(bytes)),
        None => not_found().await,
    }
}

/// The media type and the bytes of a file, if there is such a file.
fn docs_bytes(file: &str) -> Result<Option<(String, Vec<u8>)>, Problem> {
    let config = utoipa_swagger_ui::Config::from("/openapi.json").validator_url("none");
    let found = utoipa_swagger_ui::serve(file, Arc::new(config)).map_err(|error| {
        tracing::error!(%error, "the docs page");
        Problem::internal()
    })?;
    Ok(found.map(|found| (found.content_type, found.bytes.into_owned())))
}
