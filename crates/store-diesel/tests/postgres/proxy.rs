//! A proxy to the server that can cut the connection at a commit.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::thread;

/// The treatment of the next COMMIT.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cut {
    /// It passes.
    Never = 0,
    /// The connection is cut before the server receives it.
    Before = 1,
    /// The server receives it, and the connection is cut before the client receives the answer.
    After = 2,
}

/// A proxy in front of the server.
pub(crate) struct Proxy {
    pub(crate) url: String,
    cut: Arc<AtomicU8>,
}

impl Proxy {
    /// Starts a proxy to the database of a URL, which must have a host and a port.
    pub(crate) fn to(url: &str) -> Option<Self> {
        let (scheme, rest) = url.split_once("://")?;
        let (authority, path) = rest.split_once('/')?;
        let (user, server) = authority.rsplit_once('@').map_or(("", authority), |(user, server)| (user, server));
        let server = server.to_owned();
        TcpStream::connect(&server).ok()?;
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let cut = Arc::new(AtomicU8::new(Cut::Never as u8));
        let shared = Arc::clone(&cut);
        thread::spawn(move || {
            for client in listener.incoming() {
                let (Ok(client), Ok(server)) = (client, TcpStream::connect(&server)) else { continue };
                let cut = Arc::clone(&shared);
                let (from, to) = (server.try_clone().unwrap(), client.try_clone().unwrap());
                thread::spawn(move || pass(from, to, |_| Cut::Never));
                thread::spawn(move || {
                    pass(client, server, |bytes| {
                        let commits = bytes.windows(7).any(|text| text == b"COMMIT\0");
                        if commits { take(&cut) } else { Cut::Never }
                    });
                });
            }
        });
        let user = if user.is_empty() { String::new() } else { format!("{user}@") };
        Some(Self { url: format!("{scheme}://{user}{address}/{path}"), cut })
    }

    /// Sets the treatment of the next COMMIT.
    pub(crate) fn cut(&self, cut: Cut) {
        self.cut.store(cut as u8, Ordering::SeqCst);
    }
}

/// Returns the treatment of this COMMIT. The next one passes.
fn take(cut: &AtomicU8) -> Cut {
    match cut.swap(0, Ordering::SeqCst) {
        1 => Cut::Before,
        2 => Cut::After,
        _ => Cut::Never,
    }
}

fn pass(mut from: TcpStream, mut to: TcpStream, judge: impl Fn(&[u8]) -> Cut) {
    let mut buffer = vec![0; 65536];
    while let Ok(length @ 1..) = from.read(&mut buffer) {
        let cut = judge(&buffer[..length]);
        // The client's side is closed first, so that no answer reaches the client.
        if cut != Cut::Never {
            let _ = from.shutdown(Shutdown::Both);
        }
        if cut != Cut::Before && to.write_all(&buffer[..length]).is_err() {
            break;
        }
        if cut != Cut::Never {
            // Gives the server time to commit.
            thread::sleep(std::time::Duration::from_millis(200));
            break;
        }
    }
    let _ = from.shutdown(Shutdown::Both);
    let _ = to.shutdown(Shutdown::Both);
}
