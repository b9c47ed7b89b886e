//! A receiver of webhooks with many endpoints on one port.

use crate::api::member;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The endpoint that responds too late for any sender: after an hour.
const HANGING: usize = 0;

/// An event that arrived: the id of its object, and when.
pub(super) type Arrival = (String, Instant);

/// A receiver of webhooks.
#[derive(Clone, Default)]
pub(super) struct Receiver(Arc<State>);

#[derive(Default)]
struct State {
    port: AtomicU64,
    count: AtomicU64,
    refuses: AtomicBool,
    /// The events that were accepted since [`Receiver::keep_arrivals`]. `None`: they are not kept.
    arrivals: Mutex<Option<Vec<Arrival>>>,
}

impl Receiver {
    /// Starts a receiver that accepts everything.
    pub(super) fn start() -> anyhow::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let receiver = Self::default();
        receiver.0.port.store(listener.local_addr()?.port().into(), Ordering::Relaxed);
        let serving = receiver.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let serving = serving.clone();
                std::thread::spawn(move || serving.serve(&stream));
            }
        });
        Ok(receiver)
    }

    pub(super) fn url(&self, endpoint: usize) -> String {
        format!("http://127.0.0.1:{}/{endpoint}", self.0.port.load(Ordering::Relaxed))
    }

    /// Number of accepted deliveries.
    pub(super) fn count(&self) -> u64 {
        self.0.count.load(Ordering::Relaxed)
    }

    /// Refuses deliveries from now on, with 503 and `Retry-After: 86400`; or, with `false`, accepts them again.
    pub(super) fn refuse(&self, refuses: bool) {
        self.0.refuses.store(refuses, Ordering::Relaxed);
    }

    /// Keeps the events that are accepted from now on, for [`Self::take_arrivals`].
    pub(super) fn keep_arrivals(&self) {
        *self.0.arrivals.lock().unwrap_or_else(PoisonError::into_inner) = Some(Vec::new());
    }

    /// Returns the events that arrived since [`Self::keep_arrivals`], and stops keeping them.
    pub(super) fn take_arrivals(&self) -> Vec<Arrival> {
        self.0.arrivals.lock().unwrap_or_else(PoisonError::into_inner).take().unwrap_or_default()
    }

    /// Serves one connection until it ends.
    fn serve(&self, mut stream: &TcpStream) -> Option<()> {
        let mut reader = BufReader::new(stream);
        let mut body = Vec::new();
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).ok().filter(|length| *length > 0)?;
            let endpoint: usize = line.split_whitespace().nth(1)?.trim_start_matches('/').parse().ok()?;
            let mut length = 0;
            loop {
                line.clear();
                reader.read_line(&mut line).ok()?;
                let Some((name, value)) = line.trim_end().split_once(':') else { break };
                if name.eq_ignore_ascii_case("content-length") {
                    length = value.trim().parse().ok()?;
                }
            }
            body.resize(length, 0);
            reader.read_exact(&mut body).ok()?;
            if endpoint == HANGING {
                std::thread::sleep(Duration::from_secs(3600));
            }
            if self.0.refuses.load(Ordering::Relaxed) {
                let refusal = b"HTTP/1.1 503 X\r\nRetry-After: 86400\r\nContent-Length: 0\r\n\r\n";
                stream.write_all(refusal).ok()?;
                continue;
            }
            let now = Instant::now();
            self.0.count.fetch_add(1, Ordering::Relaxed);
            if let Some(arrivals) = self.0.arrivals.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
                arrivals.push((member(&String::from_utf8_lossy(&body), "objectId")?.to_owned(), now));
            }
            stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").ok()?;
        }
    }
}
