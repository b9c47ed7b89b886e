//! An HTTP server that receives webhooks, and verifies them with the published library `standardwebhooks`.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, Weak};
use std::thread;
use std::time::{Duration, Instant};

use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::{Value, json};

use super::assert::{expect_json, text};
use super::client::Client;
use super::described::assert_described;
use super::server::MAX_WAIT;
use super::tls::certificates;

pub(crate) const WEBHOOKS: &str = "/v2/webhooks?";

/// A delivery that arrived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ReceivedDelivery {
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
    /// The status of the response.
    pub(crate) status: u16,
}

impl ReceivedDelivery {
    pub(crate) fn header(&self, name: &str) -> &str {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map_or_else(|| panic!("no {name} in {self:?}"), |(_, value)| value.as_str())
    }

    pub(crate) fn id(&self) -> &str {
        self.header("webhook-id")
    }

    /// Returns the members of the event.
    pub(crate) fn event(&self) -> Value {
        let envelope: Value = serde_json::from_str(&self.body).unwrap();
        envelope["body"].clone()
    }

    /// Checks a signed event against the OpenAPI document.
    fn assert_described(&self) {
        let envelope: Value = serde_json::from_str(&self.body).unwrap_or_default();
        let is_signed = self.headers.iter().any(|(name, _)| name == "webhook-id");
        if is_signed && envelope["body"]["webhookEventTypeName"].is_string() {
            assert_described(&envelope["body"]);
        }
    }

    /// Verifies the signature with the published library.
    pub(crate) fn verify(&self, secret: &str) -> Result<(), String> {
        let headers = self.headers.iter().filter(|(name, _)| name.starts_with("webhook-"));
        let headers = headers.map(|(name, value)| {
            let name: ureq::http::HeaderName = name.parse().unwrap();
            (name, value.parse::<ureq::http::HeaderValue>().unwrap())
        });
        let library = standardwebhooks::Webhook::new(secret).map_err(|error| error.to_string())?;
        library.verify(self.body.as_bytes(), &headers.collect()).map_err(|error| error.to_string())
    }
}

#[derive(Default)]
struct State {
    arrived: Vec<ReceivedDelivery>,
    /// The ids of the deliveries that were answered with a 2xx.
    accepted: BTreeSet<String>,
    /// Number of deliveries that were checked against the document.
    checked: usize,
    /// Number of connections that were opened.
    connections: usize,
    /// The status, an additional header line and the body of the answers.
    status: u16,
    header: String,
    body: String,
    /// Whether to delay all answers until this is false.
    hangs: bool,
    /// Whether to close connections in the middle of the body.
    cuts: bool,
    /// The pause before each answer.
    delay: Duration,
    is_dead: bool,
    streams: Vec<Weak<TcpStream>>,
}

/// The state that the connections of a receiver share.
struct Shared {
    tls: Option<Arc<ServerConfig>>,
    state: Mutex<State>,
    arrival: Condvar,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    /// Registers a connection, unless the receiver is killed.
    fn admits(&self, stream: &Arc<TcpStream>) -> bool {
        let mut state = self.lock();
        if state.is_dead {
            return false;
        }
        state.connections += 1;
        state.streams.retain(|known| known.strong_count() > 0);
        state.streams.push(Arc::downgrade(stream));
        true
    }

    /// Serves a connection, with or without TLS.
    fn converse(&self, stream: &TcpStream) -> Option<()> {
        match &self.tls {
            None => self.serve(stream),
            Some(tls) => self.serve(StreamOwned::new(ServerConnection::new(Arc::clone(tls)).ok()?, stream)),
        }
    }

    fn serve(&self, stream: impl Read + Write) -> Option<()> {
        let mut reader = BufReader::new(stream);
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).ok().filter(|length| *length > 0)?;
            let mut headers = Vec::new();
            loop {
                let mut line = String::new();
                reader.read_line(&mut line).ok()?;
                let Some((name, value)) = line.trim_end().split_once(": ") else { break };
                headers.push((name.to_lowercase(), value.to_owned()));
            }
            let length = headers.iter().find(|(name, _)| name == "content-length")?.1.parse().ok()?;
            let id = headers.iter().find(|(name, _)| name == "webhook-id").map(|(_, id)| id.clone());
            let mut body = vec![0; length];
            reader.read_exact(&mut body).ok()?;
            let (status, header, answer, hangs, cuts, delay) = {
                let mut state = self.lock();
                let status = state.status;
                let body = String::from_utf8(body).ok()?;
                state.arrived.push(ReceivedDelivery { headers, body, status });
                self.arrival.notify_all();
                (status, state.header.clone(), state.body.clone(), state.hangs, state.cuts, state.delay)
            };
            while hangs && self.lock().hangs {
                thread::sleep(Duration::from_millis(20));
            }
            thread::sleep(delay);
            let length = answer.len() + if cuts { 9 } else { 0 };
            let answer = format!("HTTP/1.1 {status} X\r\n{header}Content-Length: {length}\r\n\r\n{answer}");
            reader.get_mut().write_all(answer.as_bytes()).ok()?;
            reader.get_mut().flush().ok()?;
            if cuts {
                // The connection ends in the middle of the answer.
                return None;
            }
            if (200..300).contains(&status) {
                self.lock().accepted.extend(id);
            }
        }
    }
}

/// A receiver on a free port of this machine. It checks every delivery against the OpenAPI document, at the latest when
/// it is dropped.
pub(crate) struct Receiver {
    port: u16,
    shared: Arc<Shared>,
}

impl Drop for Receiver {
    fn drop(&mut self) {
        if !thread::panicking() {
            self.check();
        }
    }
}

impl Receiver {
    /// Starts a receiver that answers 200.
    pub(crate) fn start() -> Self {
        Self::listen(None)
    }

    /// Starts a receiver at `https://localhost`. Also returns the certificate of its authority, as PEM.
    pub(crate) fn start_tls() -> (Self, String) {
        let (authority, config) = certificates("localhost");
        (Self::listen(Some(config)), authority)
    }

    fn listen(tls: Option<Arc<ServerConfig>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let mut listeners = vec![listener];
        if tls.is_some() {
            // On most machines, `localhost` has two addresses.
            listeners.extend(TcpListener::bind(("::1", port)).ok());
        }
        let state = Mutex::new(State { status: 200, body: "hello".to_owned(), ..State::default() });
        let shared = Arc::new(Shared { tls, state, arrival: Condvar::new() });
        for listener in listeners {
            let shared = Arc::clone(&shared);
            thread::spawn(move || {
                for stream in listener.incoming().flatten() {
                    let (shared, stream) = (Arc::clone(&shared), Arc::new(stream));
                    if shared.admits(&stream) {
                        thread::spawn(move || shared.converse(&stream));
                    }
                }
            });
        }
        Self { port, shared }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.shared.lock()
    }

    /// Checks each delivery against the document, once.
    fn check(&self) {
        let unchecked = {
            let mut state = self.lock();
            let unchecked = state.arrived[state.checked..].to_vec();
            state.checked = state.arrived.len();
            unchecked
        };
        unchecked.iter().for_each(ReceivedDelivery::assert_described);
    }

    /// Simulates a killed receiver: all its connections end, and new connections are closed immediately.
    pub(crate) fn kill(&self) {
        let mut state = self.lock();
        state.is_dead = true;
        for stream in state.streams.drain(..).filter_map(|stream| stream.upgrade()) {
            // The peer may have closed the connection already.
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    /// Accepts connections again after [`Self::kill`], at the same address.
    pub(crate) fn revive(&self) {
        self.lock().is_dead = false;
    }

    /// Answers with this status and this header line from now on.
    pub(crate) fn answer(&self, status: u16, header: &str) {
        let mut state = self.lock();
        (state.status, state.header) = (status, header.to_owned());
    }

    /// Answers with this body from now on.
    pub(crate) fn answer_with(&self, body: &str) {
        body.clone_into(&mut self.lock().body);
    }

    /// Stops answering, or answers again.
    pub(crate) fn hang(&self, hangs: bool) {
        self.lock().hangs = hangs;
    }

    /// Closes connections in the middle of the body from now on, or no longer.
    pub(crate) fn cut(&self, cuts: bool) {
        self.lock().cuts = cuts;
    }

    /// Waits this long before each answer from now on.
    pub(crate) fn delay(&self, delay: Duration) {
        self.lock().delay = delay;
    }

    pub(crate) fn url(&self) -> String {
        match self.shared.tls {
            None => format!("http://127.0.0.1:{}/hook", self.port),
            Some(_) => format!("https://localhost:{}/hook", self.port),
        }
    }

    pub(crate) fn connections(&self) -> usize {
        self.lock().connections
    }

    /// Returns everything that arrived.
    pub(crate) fn arrived(&self) -> Vec<ReceivedDelivery> {
        self.check();
        self.lock().arrived.clone()
    }

    /// Returns the ids of the deliveries that were answered with a 2xx. Those that had no answer when the receiver was
    /// killed are not among them.
    pub(crate) fn accepted(&self) -> BTreeSet<String> {
        self.lock().accepted.clone()
    }

    /// Waits until `count` deliveries have arrived, and returns them.
    pub(crate) fn wait_for(&self, count: usize) -> Vec<ReceivedDelivery> {
        let start = Instant::now();
        let mut state = self.lock();
        while state.arrived.len() < count {
            let left = MAX_WAIT.checked_sub(start.elapsed());
            let left = left.unwrap_or_else(|| panic!("only {} webhooks of {count} arrived", state.arrived.len()));
            state = self.shared.arrival.wait_timeout(state, left).unwrap().0;
        }
        let arrived = state.arrived.clone();
        drop(state);
        self.check();
        arrived
    }

    /// Subscribes to a type of event of the client's account.
    pub(crate) fn subscribe(&self, client: &Client, event_type: &str, more: &Value) -> Value {
        let mut body = json!({
            "enabled": true, "url": self.url(), "webhookEventTypeName": event_type, "accountId": client.account,
        });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        expect_json(&client.post(WEBHOOKS, body.to_string()), 201)
    }
}

/// Returns the path of a subscription.
pub(crate) fn webhook_path(webhook: &Value, below: &str) -> String {
    format!("/v2/webhooks/{}{below}?", text(webhook, "/id"))
}

/// Returns the deliveries of a subscription.
pub(crate) fn deliveries(client: &Client, webhook: &Value) -> Vec<Value> {
    let list = expect_json(&client.get(&webhook_path(webhook, "/deliveries")), 200);
    list["rows"].as_array().unwrap().clone()
}

/// Returns the number of attempts that a delivery lists.
pub(crate) fn attempts(delivery: &Value) -> usize {
    delivery["attempts"].as_array().unwrap().len()
}

/// Returns a condition: the delivery has this status.
pub(crate) fn status(expected: &'static str) -> impl Fn(&Value) -> bool {
    move |delivery| delivery["status"] == expected
}

/// Waits until the delivery that was queued last for a subscription satisfies a condition. Returns the delivery.
pub(crate) fn wait_for_delivery(client: &Client, webhook: &Value, is_done: impl Fn(&Value) -> bool) -> Value {
    let start = Instant::now();
    loop {
        let found = deliveries(client, webhook);
        if let Some(delivery) = found.first().filter(|delivery| is_done(delivery)) {
            return delivery.clone();
        }
        assert!(start.elapsed() < MAX_WAIT, "{found:?}");
        thread::sleep(Duration::from_millis(20));
    }
}
