//! Serves the connections of a listener.

use crate::connections::{Admission, Gate, GatedStream, HEAD_TIMEOUT, KEEP_ALIVE};
use crate::load::overloaded;
use crate::middleware::{admit, cors, envelope, protect};
use crate::state::App;
use actix_http::error::DispatchError;
use actix_http::{HttpService, Protocol};
use actix_server::ServerBuilder;
use actix_service::{IntoServiceFactory, ServiceFactoryExt, fn_service, map_config};
use actix_web::Error;
use actix_web::body::MessageBody;
use actix_web::dev::AppConfig;
use actix_web::middleware::{Condition, from_fn};
use actix_web::web::{Data, ServiceConfig};
use std::future::ready;
use std::io::{self, Write};
use std::net::{SocketAddr, TcpListener};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpStream;

/// Maximum time for reading the rest of a request after its response.
const DISCONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// Adds a listener that serves these routes.
pub(crate) fn listen(
    builder: ServerBuilder,
    listener: TcpListener,
    app: Data<App>,
    routes: fn(&mut ServiceConfig),
    admission: Admission,
) -> io::Result<ServerBuilder> {
    let stopping = builder.graceful_shutdown_signal();
    let admission = Arc::new(admission);
    builder.listen("http", listener, move || {
        let (app, admission, stopping) = (app.clone(), Arc::clone(&admission), stopping.clone());
        // The middleware that is added last runs first.
        let handler = actix_web::App::new()
            .app_data(app.clone())
            .wrap(from_fn(admit))
            .wrap(Condition::new(!app.cors_origins.is_empty(), cors(&app.cors_origins)))
            .wrap(from_fn(envelope))
            .configure(routes);
        let handler = handler.into_factory().map_err(|error: Error| error.error_response());
        let http = HttpService::build()
            .graceful_shutdown_signal(move || {
                let stopping = stopping.clone();
                async move { stopping.notified().await }
            })
            .keep_alive(KEEP_ALIVE)
            .client_request_timeout(HEAD_TIMEOUT)
            .client_disconnect_timeout(DISCONNECT_TIMEOUT)
            .on_connect_ext(|stream: &GatedStream, extensions| {
                extensions.insert::<Rc<Gate>>(Rc::clone(stream.gate()));
            })
            .finish(map_config(handler, |()| AppConfig::default()));
        fn_service(move |stream| ready(admitted(stream, &app, &admission))).and_then(http)
    })
}

/// Admits a connection, or refuses it with a 503 response.
fn admitted(
    stream: TcpStream,
    app: &App,
    admission: &Arc<Admission>,
) -> Result<(GatedStream, Protocol, Option<SocketAddr>), DispatchError> {
    let peer = stream.peer_addr().map_err(DispatchError::Io)?;
    if let Some(permit) = admission.admit(peer.ip()) {
        send_at_once(&stream)?;
        return Ok((GatedStream::new(stream, permit), Protocol::Http1, Some(peer)));
    }
    // The send buffer of a new connection has room for these few bytes. If not, the connection is closed without a
    // response.
    if let Ok(mut stream) = stream.into_std() {
        let _sent = stream.write(&refused(&app.services.time.real_id().to_string()));
    }
    Err(DispatchError::Io(io::ErrorKind::ConnectionRefused.into()))
}

/// Turns off the delay of small packets. Otherwise, the end of a response of several packets waits until the client
/// acknowledges the first packets, and clients delay acknowledgements by 40 ms.
fn send_at_once(stream: &TcpStream) -> Result<(), DispatchError> {
    stream.set_nodelay(true).map_err(DispatchError::Io)
}

/// Returns the response to a refused connection, as bytes. The request is not read.
fn refused(id: &str) -> Vec<u8> {
    let mut response = overloaded().response(Some(id));
    protect(response.headers_mut());
    let mut head = "HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\n".to_owned();
    for (name, value) in response.headers() {
        for part in [name.as_str(), ": ", value.to_str().unwrap_or_default(), "\r\n"] {
            head.push_str(part);
        }
    }
    let body = response.into_body().try_into_bytes().unwrap_or_default();
    let end = format!("x-request-id: {id}\r\ncontent-length: {}\r\n\r\n", body.len());
    [head.as_bytes(), end.as_bytes(), &body].concat()
}

#[cfg(test)]
mod tests {
    use super::{TcpStream, send_at_once};
    use tokio::net::TcpListener;

    #[actix_web::test]
    async fn packets_are_sent_without_delay() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let _client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        let (stream, _) = listener.accept().await.unwrap();
        send_at_once(&stream).unwrap();
        assert!(stream.nodelay().unwrap());
    }
}
