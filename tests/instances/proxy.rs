//! A proxy between instances and the database server. It can cut a connection at COMMIT, or stop forwarding.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::thread;
use std::time::Duration;

use postgres::config::Host;

use crate::support::Workspace;
use crate::support::postgres::server_url;

/// The moment at which the proxy cuts a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    /// The server does not receive the COMMIT.
    Before = 1,
    /// The server commits, but its answer is lost.
    After = 2,
}

const NO_CUT: u8 = 0;

/// The proxy. It runs as long as the test process.
#[derive(Clone)]
pub(crate) struct Proxy {
    /// The requested cut.
    request: Arc<AtomicU8>,
    frozen: Arc<AtomicBool>,
    address: String,
}

impl Proxy {
    /// Opens a proxy to the server of `DATABASE_URL`.
    pub(crate) fn open() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let proxy = Self {
            request: Arc::default(),
            frozen: Arc::default(),
            address: listener.local_addr().unwrap().to_string(),
        };
        let (request, frozen, server) = (Arc::clone(&proxy.request), Arc::clone(&proxy.frozen), server_address());
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let Ok(server) = TcpStream::connect(&server) else { continue };
                join(client, server, &request, &frozen);
            }
        });
        proxy
    }

    /// Returns a workspace whose instances connect to the database through this proxy.
    pub(crate) fn into_workspace(self, workspace: Workspace) -> Workspace {
        let url = workspace.setting("FLORIN_DATABASE_URL");
        let (start, end) = url.split_once('@').expect("DATABASE_URL names a user");
        let end = end.split_once('/').unwrap().1;
        let user = start.split_once("://").unwrap().1;
        workspace.set("FLORIN_DATABASE_URL", &format!("postgres://{user}@{}/{end}", self.address))
    }

    /// Cuts the connection of the next write transaction.
    pub(crate) fn cut(&self, cut: Cut) {
        self.request.store(cut as u8, Ordering::SeqCst);
    }

    /// Stops or resumes forwarding. The connections stay open, as if the server's processes were stopped.
    pub(crate) fn freeze(&self, frozen: bool) {
        self.frozen.store(frozen, Ordering::SeqCst);
    }

    /// Whether the requested cut has happened.
    pub(crate) fn has_cut(&self) -> bool {
        self.request.load(Ordering::SeqCst) == NO_CUT
    }
}

fn server_address() -> String {
    let config: postgres::Config = server_url().parse().unwrap();
    let port = config.get_ports().first().copied().unwrap_or(5432);
    match config.get_hosts().first() {
        Some(Host::Tcp(host)) => format!("{host}:{port}"),
        _ => panic!("this test requires a DATABASE_URL with a host"),
    }
}

/// Forwards bytes in both directions, in two threads.
fn join(client: TcpStream, server: TcpStream, request: &Arc<AtomicU8>, frozen: &Arc<AtomicBool>) {
    let (to_client, from_server) = (client.try_clone().unwrap(), server.try_clone().unwrap());
    let loses_answers = Arc::new(AtomicBool::new(false));
    let (request, reader_loses, frozen) = (Arc::clone(request), Arc::clone(&loses_answers), Arc::clone(frozen));
    thread::spawn(move || forward(client, server, &request, &loses_answers, &frozen));
    thread::spawn(move || forward_answers(from_server, to_client, &reader_loses));
}

/// Forwards bytes from the instance to the server.
fn forward(
    mut client: TcpStream,
    mut server: TcpStream,
    request: &AtomicU8,
    loses_answers: &AtomicBool,
    frozen: &AtomicBool,
) {
    let (mut buffer, mut reads_only) = ([0; 16 * 1024], false);
    while let Ok(count @ 1..) = client.read(&mut buffer) {
        let output = &buffer[..count];
        while frozen.load(Ordering::SeqCst) {
            thread::sleep(Duration::from_millis(10));
        }
        reads_only = reads_only || has(output, b"default_transaction_read_only");
        if !reads_only && has(output, b"COMMIT") {
            let cut = request.swap(NO_CUT, Ordering::SeqCst);
            if cut == Cut::Before as u8 {
                break;
            }
            loses_answers.store(cut == Cut::After as u8, Ordering::SeqCst);
        }
        if server.write_all(output).is_err() {
            break;
        }
    }
    let _ = server.shutdown(Shutdown::Both);
    let _ = client.shutdown(Shutdown::Both);
}

/// Forwards bytes from the server to the instance, until they must be lost.
fn forward_answers(mut server: TcpStream, mut client: TcpStream, loses_answers: &AtomicBool) {
    let mut buffer = [0; 16 * 1024];
    while let Ok(count @ 1..) = server.read(&mut buffer) {
        if loses_answers.load(Ordering::SeqCst) || client.write_all(&buffer[..count]).is_err() {
            break;
        }
    }
    let _ = server.shutdown(Shutdown::Both);
    let _ = client.shutdown(Shutdown::Both);
}

fn has(bytes: &[u8], word: &[u8]) -> bool {
    bytes.windows(word.len()).any(|window| window == word)
}
