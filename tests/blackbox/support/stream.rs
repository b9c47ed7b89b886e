//! The stream of events, read line by line.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::client::Client;
use super::server::MAX_WAIT;

pub(crate) const STREAM: &str = "/v2/events/stream";

/// An open stream.
pub(crate) struct Stream(pub(crate) BufReader<TcpStream>);

/// An event of a stream.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Received {
    pub(crate) id: String,
    pub(crate) kind: String,
    pub(crate) body: Value,
}

impl Stream {
    /// Opens a stream. Also returns the status of its response. `after` is the id of the last event.
    pub(crate) fn try_open(client: &Client, query: &str, after: Option<&str>) -> (Self, u16) {
        let mut socket = TcpStream::connect(&client.address).unwrap();
        socket.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
        let after = after.map(|id| format!("Last-Event-ID: {id}\r\n")).unwrap_or_default();
        let authorization = client.authorization.as_deref().unwrap();
        let account = &client.account;
        write!(
            socket,
            "GET {STREAM}?accountId={account}&{query} HTTP/1.1\r\nHost: florin\r\nAuthorization: {authorization}\r\n\
            {after}\r\n"
        )
        .unwrap();
        let mut stream = Self(BufReader::new(socket));
        let status = stream.line(MAX_WAIT).expect("a status line").split(' ').nth(1).unwrap().parse().unwrap();
        (stream, status)
    }

    pub(crate) fn open(client: &Client, query: &str, after: Option<&str>) -> Self {
        let (mut stream, status) = Self::try_open(client, query, after);
        assert_eq!(status, 200);
        // The immediate comment shows that the stream has begun.
        while stream.line(MAX_WAIT).expect("a comment") != ": connected" {}
        stream
    }

    /// Reads a line. Returns `None` if none arrives within `timeout`, or the stream has ended.
    pub(crate) fn line(&mut self, timeout: Duration) -> Option<String> {
        let (began, mut line) = (Instant::now(), Vec::new());
        loop {
            match self.0.read_until(b'\n', &mut line) {
                Ok(0) => return None,
                Ok(_) if line.ends_with(b"\n") => {
                    return Some(String::from_utf8(line).unwrap().trim_end().to_owned());
                }
                Ok(_) | Err(_) if began.elapsed() < timeout => {}
                _ => return None,
            }
        }
    }

    /// Reads the next event. Returns `None` if a line does not arrive within `timeout`, or the stream has ended.
    pub(crate) fn next(&mut self, timeout: Duration) -> Option<Received> {
        let mut fields = BTreeMap::new();
        loop {
            let line = self.line(timeout)?;
            // Other lines are comments, and the lengths of chunks.
            if let Some((name, value)) = line.split_once(": ").filter(|(name, _)| !name.is_empty()) {
                fields.insert(name.to_owned(), value.to_owned());
                if name == "data" {
                    let envelope: Value = serde_json::from_str(value).unwrap();
                    let field = |name: &str| fields[name].clone();
                    return Some(Received { id: field("id"), kind: field("event"), body: envelope["body"].clone() });
                }
            }
        }
    }

    /// Whether the server ends the stream, which it does with an empty chunk.
    pub(crate) fn ends(&mut self) -> bool {
        let began = Instant::now();
        while began.elapsed() < MAX_WAIT {
            if self.line(MAX_WAIT).as_deref() == Some("0") {
                return true;
            }
        }
        false
    }
}
