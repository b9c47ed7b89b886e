//! Starts and stops the server.

use crate::middleware::envelope;
use crate::routes;
use crate::settings::HttpSettings;
use crate::state::App;
use actix_web::dev::Server;
use actix_web::{App as ActixApp, HttpServer, web};
use florin_application::{BatchServices, ManagementServices, Services};
use std::io;
use std::net::SocketAddr;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// The time within which the head of a request must arrive.
const HEAD_TIME_OUT: Duration = Duration::from_secs(10);
/// The time for which an idle connection is kept.
const KEEP_ALIVE: Duration = Duration::from_secs(75);

/// Binds the address. The returned server runs when awaited, until SIGTERM or SIGINT. It then drains: load balancers
/// see that it is not ready, while it still serves. At last it finishes the requests in progress.
pub fn bind(
    services: Services,
    batches: BatchServices,
    management: ManagementServices,
    settings: &HttpSettings,
) -> io::Result<(Server, SocketAddr)> {
    let app = web::Data::new(App::new(services, batches, management, settings));
    let (stopping, drain) = (app.clone(), settings.drain);
    let workers = settings.workers.max(1);
    let server = HttpServer::new(move || {
        ActixApp::new()
            .app_data(app.clone())
            .wrap(actix_web::middleware::from_fn(envelope))
            .configure(routes::configure)
    })
    .workers(workers)
    .max_connections((settings.max_connections / workers).max(1))
    .client_request_timeout(HEAD_TIME_OUT)
    .client_disconnect_timeout(Duration::from_secs(5))
    .keep_alive(KEEP_ALIVE)
    .shutdown_timeout(settings.shutdown_timeout.as_secs())
    .shutdown_signal(async move {
        stop_signal().await;
        stopping.stopping.store(true, Ordering::Relaxed);
        if !drain.is_zero() {
            tracing::info!(seconds = drain.as_secs(), "not ready any more; still serving requests");
            tokio::time::sleep(drain).await;
        }
    })
    .bind(settings.listen)?;
    let address = server.addrs().first().copied().unwrap_or(settings.listen);
    Ok((server.run(), address))
}

/// Resolves on SIGTERM (a supervisor) or SIGINT (Ctrl-C). If the signal handlers cannot be installed, it never
/// resolves.
async fn stop_signal() {
    use tokio::signal::unix::{SignalKind, signal};
    let (Ok(mut terminate), Ok(mut interrupt)) = (signal(SignalKind::terminate()), signal(SignalKind::interrupt()))
    else {
        tracing::error!("cannot install signal handlers");
        return std::future::pending().await;
    };
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
}
