//! Starts and stops the server.

use crate::connections::{Admission, ConnectionLimits};
use crate::listener::listen;
use crate::routes;
use crate::settings::HttpSettings;
use crate::state::{AllServices, App};
use actix_server::{Server, ServerBuilder};
use actix_web::web::Data;
use socket2::{Domain, Socket, Type};
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::atomic::Ordering;
use tokio::sync::oneshot;

/// Maximum number of connections that wait to be accepted.
const BACKLOG: i32 = 1024;
/// Maximum number of threads for blocking work, for each thread that serves requests. Blocking work is reads of the
/// store, and lookups of host names, which may hang. Without this setting, Actix divides 512 by the number of
/// processors. With many processors, a few lookups that hang could then stop all reads of a thread.
pub const BLOCKING_THREADS: usize = 512;
/// Limits of the connections to the address for operators.
const ADMIN_LIMITS: ConnectionLimits = ConnectionLimits { total: 64, per_address: 64 };

/// A server that is bound to its addresses. [`Self::run`] serves them.
pub struct BoundServer {
    /// The address of the API.
    pub address: SocketAddr,
    /// The address of health and metrics for operators. `None`: there is none.
    pub admin: Option<SocketAddr>,
    server: Server,
    admin_server: Option<Server>,
    /// Ends when the server accepts no further connections.
    closed: oneshot::Receiver<()>,
}

impl BoundServer {
    /// Serves until SIGTERM or SIGINT. Then it drains: it reports that it is not ready, so that load balancers remove
    /// it, but still serves. Finally it completes the requests in progress. `meanwhile` runs alongside them: it begins
    /// when no further connections are accepted.
    pub async fn run(self, meanwhile: impl Future<Output = ()>) -> io::Result<()> {
        let admin = self.admin_server.map(|server| (server.handle(), actix_web::rt::spawn(server)));
        let closed = self.closed;
        let (ended, ()) = tokio::join!(self.server, async {
            // An error means that the server ended without a signal.
            let _ = closed.await;
            meanwhile.await;
        });
        if let Some((handle, task)) = admin {
            handle.stop(false).await;
            task.await.map_err(io::Error::other)??;
        }
        ended
    }
}

/// Prepares a server: for the API on `listener`, and for operators on `admin`. From then on, signals stop the server
/// gracefully. Must be called in a Tokio runtime.
pub fn bind(
    services: AllServices,
    settings: &HttpSettings,
    listener: TcpListener,
    admin: Option<TcpListener>,
) -> io::Result<BoundServer> {
    let app = Data::new(App::new(services, settings));
    let (stopping, drain, signal) = (app.clone(), settings.drain, stop_signal()?);
    let (close, closed) = oneshot::channel();
    let address = listener.local_addr()?;
    let limits =
        ConnectionLimits { total: settings.max_connections, per_address: settings.max_connections_per_address };
    let builder = Server::build()
        .workers(settings.workers.max(1))
        .worker_max_blocking_threads(BLOCKING_THREADS)
        // Excess connections are refused, not queued.
        .max_concurrent_connections(usize::MAX)
        .shutdown_timeout(settings.shutdown_timeout.as_secs())
        .shutdown_signal(async move {
            signal.await;
            stopping.stopping.store(true, Ordering::Relaxed);
            if !drain.is_zero() {
                tracing::info!(seconds = drain.as_secs(), "not ready any more; still serving requests");
                tokio::time::sleep(drain).await;
            }
            // Sending fails only if the server is not run. Then nothing waits for it.
            let _ = close.send(());
        });
    let server = listen(builder, listener, app.clone(), routes::configure, Admission::new(limits))?.run();
    let admin_address = admin.as_ref().map(TcpListener::local_addr).transpose()?;
    let admin_server = admin.map(|listener| serve_operators(listener, app)).transpose()?;
    Ok(BoundServer { address, admin: admin_address, server, admin_server, closed })
}

/// Serves health and metrics on a separate thread, so that they respond under any load of the API.
fn serve_operators(listener: TcpListener, app: Data<App>) -> io::Result<Server> {
    let builder: ServerBuilder = Server::build().workers(1).disable_signals();
    Ok(listen(builder, listener, app, routes::configure_admin, Admission::new(ADMIN_LIMITS))?.run())
}

/// Binds a listener to an address.
pub fn bind_address(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, None)?;
    socket.set_reuse_address(true)?;
    socket.bind(&address.into())?;
    socket.listen(BACKLOG)?;
    Ok(socket.into())
}

/// Installs signal handlers immediately, so that a signal that arrives right after the server has announced itself
/// stops it gracefully. The future ends on SIGTERM (from a supervisor) or SIGINT (Ctrl-C).
fn stop_signal() -> io::Result<impl Future<Output = ()> + Send + 'static> {
    use tokio::signal::unix::{SignalKind, signal};
    let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}
