//! Operations outside `/v2`, which need no key (contract 1.5).

use crate::problem::Problem;
use crate::reply::ok;
use crate::routes::resources::not_found;
use crate::state::App;
use actix_web::http::header::CONTENT_TYPE;
use actix_web::{HttpResponse, web};
use chrono::{DateTime, Utc};
use florin_ports::Readiness;
use serde::Serialize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::time::timeout;
use utoipa::ToSchema;

/// The time within which the store must respond to count as ready. The whole response takes less than a second.
const READY_WITHIN: Duration = Duration::from_millis(800);

/// The health of the service.
#[derive(Serialize, ToSchema)]
pub(crate) struct Health {
    /// Always `ok`. An unhealthy service responds with an error.
    status: &'static str,
}

/// Checks that the process is alive.
#[utoipa::path(get, path = "/healthz", tag = "Service", operation_id = "healthz", security(()),
    responses(
        (status = 200, description = "The process is alive.", body = Health),
        (status = 400, description = "The request is not HTTP. This response has no body.")))]
pub(super) async fn healthz() -> Result<HttpResponse, Problem> {
    ok(&Health { status: "ok" })
}

/// Checks that the service is ready: the store can be reached, accepts writes, and its schema is current.
#[utoipa::path(get, path = "/readyz", tag = "Service", operation_id = "readyz", security(()),
    responses(
        (status = 200, description = "Ready.", body = Health),
        (status = 400, description = "The request is not HTTP. This response has no body."),
        (status = 503, description = "`overloaded`: the server is stopping; the store can't be reached \
            or written, was replaced or is damaged; its schema is not current; \
            or the clock of the machine showed a time before 1970.",
            body = crate::problem::ProblemBody)))]
pub(super) async fn readyz(app: web::Data<App>) -> Result<HttpResponse, Problem> {
    match check_readiness(&app).await {
        Ok(()) => ok(&Health { status: "ok" }),
        Err(message) => Err(Problem::unavailable(crate::codes::ErrorCode::Overloaded, message)),
    }
}

/// Checks that the service is ready. The error is the reason why it isn't.
async fn check_readiness(app: &App) -> Result<(), &'static str> {
    if app.stopping.load(Ordering::Relaxed) {
        return Err("the server is stopping");
    }
    if has_lost_timers(app.services.time.real_now(), &app.had_early_clock) {
        tracing::error!(
            "not ready: the clock of this machine showed a time before 1970; correct it, and restart the server"
        );
        return Err("the clock of the machine showed a time before 1970; the server must be restarted");
    }
    let upkeep = &app.services.upkeep;
    let checks = async {
        let readiness = upkeep.readiness().await.map_err(|error| {
            tracing::error!(%error, "not ready");
            "the store can't be reached"
        })?;
        if readiness == Readiness::Replaced {
            tracing::error!("not ready: the database was deleted or replaced; stop the server and restore it");
        }
        if let Some(problem) = readiness.problem() {
            return Err(problem);
        }
        upkeep.check_writes().await.map_err(|error| {
            tracing::error!(%error, "not ready: writes fail");
            "the store accepts no writes"
        })
    };
    timeout(READY_WITHIN, checks).await.unwrap_or_else(|_| {
        tracing::error!("not ready: the store did not respond in time");
        Err("the store did not respond in time")
    })
}

/// Whether the clock shows a time before 1970, or did at an earlier check. The task that keeps the `Date` of responses
/// and the timers of connections has then ended, and does not start again.
fn has_lost_timers(now: DateTime<Utc>, had_early_clock: &AtomicBool) -> bool {
    had_early_clock.fetch_or(now < DateTime::UNIX_EPOCH, Ordering::Relaxed) || now < DateTime::UNIX_EPOCH
}

/// Serves metrics on the address of the API. Returns 404 if metrics have an address of their own or are disabled.
pub(super) async fn public_metrics(app: web::Data<App>) -> Result<HttpResponse, Problem> {
    if app.has_public_metrics { render_metrics(app).await } else { not_found().await }
}

/// Serves metrics for Prometheus. Returns 404 if they are disabled.
pub(super) async fn render_metrics(app: web::Data<App>) -> Result<HttpResponse, Problem> {
    match &app.metrics {
        Some(render) => {
            let is_ready = check_readiness(&app).await.is_ok();
            metrics::gauge!("florin_ready").set(f64::from(u8::from(is_ready)));
            Ok(HttpResponse::Ok().insert_header((CONTENT_TYPE, "text/plain; version=0.0.4")).body(render()))
        }
        None => not_found().await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::TimeDelta;

    #[test]
    fn lost_timers_stay_lost_after_the_clock_is_corrected() {
        let (had_early_clock, epoch) = (AtomicBool::default(), DateTime::UNIX_EPOCH);
        assert!(!has_lost_timers(epoch, &had_early_clock));
        assert!(has_lost_timers(epoch - TimeDelta::microseconds(1), &had_early_clock));
        assert!(has_lost_timers(epoch, &had_early_clock), "the clock was corrected");
    }
}
