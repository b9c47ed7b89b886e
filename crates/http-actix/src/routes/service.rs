//! Operations outside `/v2`, which need no key (contract 1.5).

use crate::problem::Problem;
use crate::reply::ok;
use crate::routes::fallback::not_found;
use crate::state::App;
use actix_web::http::header::CONTENT_TYPE;
use actix_web::{HttpResponse, web};
use florin_ports::Readiness;
use serde::Serialize;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::time::timeout;
use utoipa::ToSchema;

/// The time within which the store must respond to count as ready.
const READY_WITHIN: Duration = Duration::from_millis(900);

/// The health of the service.
#[derive(Serialize, ToSchema)]
pub(crate) struct Health {
    /// Always `ok`; an unhealthy service answers with an error.
    status: &'static str,
}

/// Checks that the process is alive.
#[utoipa::path(get, path = "/healthz", tag = "Service", operation_id = "healthz", security(()),
    responses((status = 200, description = "The process is alive.", body = Health)))]
pub(super) async fn healthz() -> Result<HttpResponse, Problem> {
    ok(&Health { status: "ok" })
}

/// Checks that the service is ready: the store can be reached and its schema is current.
#[utoipa::path(get, path = "/readyz", tag = "Service", operation_id = "readyz", security(()),
    responses(
        (status = 200, description = "Ready.", body = Health),
        (status = 503, description = "`overloaded`: the server is stopping, the store can't be reached, or its schema is not current.",
            body = crate::problem::ProblemBody)))]
pub(super) async fn readyz(app: web::Data<App>) -> Result<HttpResponse, Problem> {
    let unready = |message: &str| Problem::unavailable(crate::codes::ErrorCode::Overloaded, message);
    if app.stopping.load(Ordering::Relaxed) {
        return Err(unready("the server is stopping"));
    }
    let Ok(readiness) = timeout(READY_WITHIN, app.services.upkeep.readiness()).await else {
        tracing::error!("not ready: the store did not respond in time");
        return Err(unready("the store did not respond in time"));
    };
    match readiness {
        Ok(Readiness::Ready) => ok(&Health { status: "ok" }),
        Ok(Readiness::MigrationsPending) => Err(unready("migrations are pending")),
        Ok(Readiness::SchemaTooNew) => Err(unready("the schema of the store is newer than this program")),
        Err(error) => {
            tracing::error!(%error, "not ready");
            Err(unready("the store can't be reached"))
        }
    }
}

/// Serves metrics for Prometheus, if they are enabled.
pub(super) async fn metrics(app: web::Data<App>) -> Result<HttpResponse, Problem> {
    match &app.metrics {
        Some(render) => {
            Ok(HttpResponse::Ok().insert_header((CONTENT_TYPE, "text/plain; version=0.0.4")).body(render()))
        }
        None => not_found().await,
    }
}
