//! The server and its limits.

use crate::middleware::envelope;
use crate::pages::Introduction;
use crate::routes;
use crate::state::{App, RenderMetrics};
use actix_web::dev::Server;
use actix_web::{App as ActixApp, HttpServer, web};
use florin_application::{BatchServices, ManagementServices, Services};
use std::io;
use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::time::Duration;

/// How the server listens, and what it bears.
#[derive(Clone)]
pub struct HttpSettings {
    /// Where it listens; port 0 takes a free one.
    pub listen: SocketAddr,
    /// How many worker threads there are.
    pub workers: usize,
    /// How many connections are open at most, all workers together.
    pub max_connections: usize,
    /// How many requests of the API are answered at once; more are refused.
    pub max_in_flight: usize,
    /// Requests a second for each API client; `None`: any number.
    pub rate_limit: Option<NonZeroU32>,
    /// Gives the text of `/metrics`; `None`: there is no such path.
    pub metrics: Option<RenderMetrics>,
    /// What the home page says about this server.
    pub introduction: Introduction,
    /// How long requests under way may take when the server is told to stop.
    pub shutdown_timeout: Duration,
}

/// How long a client may take to send the head of a request.
const HEAD_TIME_OUT: Duration = Duration::from_secs(10);
/// How long an idle connection is kept.
const KEEP_ALIVE: Duration = Duration::from_secs(75);

/// Binds the address. The server runs when it is awaited, until SIGTERM or SIGINT; then it finishes what it began.
pub fn bind(
    services: Services,
    batches: BatchServices,
    management: ManagementServices,
    settings: &HttpSettings,
) -> io::Result<(Server, SocketAddr)> {
    let app = web::Data::new(App::new(services, batches, management, settings));
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
    .shutdown_signal(told_to_stop())
    .bind(settings.listen)?;
    let address = server.addrs().first().copied().unwrap_or(settings.listen);
    Ok((server.run(), address))
}

/// Resolves on SIGTERM (a supervisor) or SIGINT (Ctrl-C). Where signals can't be listened to, it never does.
async fn told_to_stop() {
    use tokio::signal::unix::{SignalKind, signal};
    let (Ok(mut terminate), Ok(mut interrupt)) = (signal(SignalKind::terminate()), signal(SignalKind::interrupt()))
    else {
        tracing::error!("signals can't be listened to");
        return std::future::pending().await;
    };
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
}
