//! A real HTTP server that receives webhooks, and the published library that verifies them.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, Weak};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::assert::{expect_json, text};
use super::client::Client;
use super::server::LIMIT;

pub(crate) const WEBHOOKS: &str = "/v2/webhooks?";

/// A delivery that arrived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Webhook {
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
    /// The status of the response.
    pub(crate) status: u16,
}

impl Webhook {
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
    arrived: Vec<Webhook>,
    connections: usize,
    /// The status of answers, the text of a header, and whether to answer at all.
    status: u16,
    header: String,
    body: String,
    hangs: bool,
    /// Whether to close connections in the middle of the body.
    cuts: bool,
    /// How long to wait before answering.
    delay: Duration,
    is_dead: bool,
    streams: Vec<Weak<TcpStream>>,
}

/// A receiver on a free port of this machine.
#[derive(Clone)]
pub(crate) struct Receiver {
    port: u16,
    state: Arc<(Mutex<State>, Condvar)>,
}

impl Receiver {
    /// Starts a receiver that answers 200.
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let state = State { status: 200, body: "hello".to_owned(), ..State::default() };
        let receiver = Self { port, state: Arc::new((Mutex::new(state), Condvar::new())) };
        let serving = receiver.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (serving, stream) = (serving.clone(), Arc::new(stream));
                if serving.admits(&stream) {
                    thread::spawn(move || serving.serve(&stream));
                }
            }
        });
        receiver
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.0.lock().unwrap()
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

    /// Simulates a killed receiver: all its connections end, and new connections are closed immediately.
    pub(crate) fn kill(&self) {
        let mut state = self.lock();
        state.is_dead = true;
        for stream in state.streams.drain(..).filter_map(|stream| stream.upgrade()) {
            // The peer may have closed it.
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    /// Accepts connections again after [`Self::kill`], at the same address.
    pub(crate) fn revive(&self) {
        self.lock().is_dead = false;
    }

    fn serve(&self, mut stream: &TcpStream) -> Option<()> {
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
            let mut body = vec![0; length];
            reader.read_exact(&mut body).ok()?;
            let (status, header, answer, hangs, cuts, delay) = {
                let mut state = self.lock();
                let status = state.status;
                let body = String::from_utf8(body).ok()?;
                state.arrived.push(Webhook { headers, body, status });
                self.state.1.notify_all();
                (status, state.header.clone(), state.body.clone(), state.hangs, state.cuts, state.delay)
            };
            while hangs && self.lock().hangs {
                thread::sleep(Duration::from_millis(20));
            }
            thread::sleep(delay);
            let length = answer.len() + if cuts { 9 } else { 0 };
            let answer = format!("HTTP/1.1 {status} X\r\n{header}Content-Length: {length}\r\n\r\n{answer}");
            stream.write_all(answer.as_bytes()).ok()?;
            if cuts {
                return stream.shutdown(Shutdown::Both).ok();
            }
        }
    }

    /// Answers with this status from now on.
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
        format!("http://127.0.0.1:{}/hook", self.port)
    }

    pub(crate) fn connections(&self) -> usize {
        self.lock().connections
    }

    /// Returns everything that arrived.
    pub(crate) fn arrived(&self) -> Vec<Webhook> {
        self.lock().arrived.clone()
    }

    /// Waits until `count` deliveries have arrived, and returns them.
    pub(crate) fn wait_for(&self, count: usize) -> Vec<Webhook> {
        let start = Instant::now();
        let mut state = self.lock();
        while state.arrived.len() < count {
            let left = LIMIT.checked_sub(start.elapsed());
            let left = left.unwrap_or_else(|| panic!("only {} webhooks of {count} arrived", state.arrived.len()));
            state = self.state.1.wait_timeout(state, left).unwrap().0;
        }
        state.arrived.clone()
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

/// Returns a condition: the delivery has this status.
pub(crate) fn status(expected: &'static str) -> impl Fn(&Value) -> bool {
    move |delivery| delivery["status"] == expected
}

/// Waits until the last queued delivery of a subscription satisfies a condition, and returns it.
pub(crate) fn wait_for_delivery(client: &Client, webhook: &Value, is_done: impl Fn(&Value) -> bool) -> Value {
    let start = Instant::now();
    loop {
        let found = deliveries(client, webhook);
        if let Some(delivery) = found.first().filter(|delivery| is_done(delivery)) {
            return delivery.clone();
        }
        assert!(start.elapsed() < LIMIT, "{found:?}");
        thread::sleep(Duration::from_millis(20));
    }
}
