//! Reads the stream of events of a running server.

use crate::client::{SenderError, TrustedRoots, tls};
use reqwest::header::{ACCEPT, AUTHORIZATION, HeaderMap, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{Client, Response, StatusCode, Url};
use std::fmt;
use std::time::Duration;

/// Maximum time for connecting.
const CONNECT_TIME: Duration = Duration::from_secs(10);
/// Maximum time without data; after that the connection is treated as lost. A server sends a comment every 15 seconds.
const READ_TIMEOUT: Duration = Duration::from_secs(45);
/// Maximum size of the frame of one event, in bytes.
const FRAME_MAX: usize = 4 * 1024 * 1024;
/// Maximum number of bytes that are shown of a refusal.
const REFUSAL_MAX: usize = 2_000;

/// An event of the stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamedEvent {
    /// The id of the frame: the event's id, or that of its redelivery.
    pub id: String,
    /// The envelope of the event, as the server stored it.
    pub envelope: String,
}

/// Reasons that no event arrived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StreamError {
    /// The server refused the request. Repeating the request does not help.
    Refused(String),
    /// There is no connection, it ended, or the server is overloaded. Connect again.
    Lost(String),
}

impl fmt::Display for StreamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(message) | Self::Lost(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for StreamError {}

/// Reads a stream of events. A new connection continues after the last event, so no event is missed or repeated.
#[derive(Debug)]
pub struct EventStream {
    client: Client,
    url: Url,
    key: HeaderValue,
    /// The id of the last event that was returned; at first, the id after which to begin.
    last: Option<String>,
    response: Option<Response>,
    buffer: Vec<u8>,
}

impl EventStream {
    /// Creates a reader that uses an API key. It begins after the event `after`, or with the next event. Does not
    /// connect yet.
    pub fn new(url: &str, key: &str, after: Option<String>) -> Result<Self, SenderError> {
        let client = Client::builder()
            .tls_backend_preconfigured(tls(TrustedRoots::Machine)?)
            .redirect(Policy::none())
            .no_proxy()
            .connect_timeout(CONNECT_TIME)
            .read_timeout(READ_TIMEOUT)
            .user_agent(concat!("Florin/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(|error| SenderError::new(error.to_string()))?;
        let url = Url::parse(url).map_err(|error| SenderError::new(format!("{url}: {error}")))?;
        let mut key = HeaderValue::from_str(&format!("ApiKey {key}"))
            .map_err(|_| SenderError::new("the API key has characters that no header can have".into()))?;
        key.set_sensitive(true);
        Ok(Self { client, url, key, last: after, response: None, buffer: Vec::new() })
    }

    /// Connects, or connects again.
    pub async fn connect(&mut self) -> Result<(), StreamError> {
        self.response = None;
        self.buffer.clear();
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
        if let Some(last) = &self.last {
            let refused =
                |_| StreamError::Refused("the id of the last event has characters that no header can have".into());
            headers.insert("last-event-id", HeaderValue::from_str(last).map_err(refused)?);
        }
        self.response = Some(self.get(self.url.clone(), headers).await?);
        Ok(())
    }

    /// Returns the body of another resource of the server, such as a list of events.
    pub async fn read(&self, url: &str) -> Result<String, StreamError> {
        let url = Url::parse(url).map_err(|error| StreamError::Refused(format!("{url}: {error}")))?;
        let response = self.get(url, HeaderMap::new()).await?;
        response.text().await.map_err(|error| StreamError::Lost(reason(&error)))
    }

    async fn get(&self, url: Url, mut headers: HeaderMap) -> Result<Response, StreamError> {
        headers.insert(AUTHORIZATION, self.key.clone());
        let sent = self.client.get(url).headers(headers).send().await;
        let response = sent.map_err(|error| StreamError::Lost(reason(&error)))?;
        match response.status() {
            StatusCode::OK => Ok(response),
            status => {
                let message = format!("{status}: {}", start_of_body(response).await);
                let is_final = status.is_client_error() && status != StatusCode::TOO_MANY_REQUESTS;
                Err(if is_final { StreamError::Refused(message) } else { StreamError::Lost(message) })
            }
        }
    }

    /// Waits for the next event.
    pub async fn next(&mut self) -> Result<StreamedEvent, StreamError> {
        loop {
            while let Some(end) = self.buffer.windows(2).position(|pair| pair == b"\n\n") {
                let frame: Vec<u8> = self.buffer.drain(..end + 2).collect();
                if let Some(event) = parse_frame(&String::from_utf8_lossy(&frame)) {
                    self.last = Some(event.id.clone());
                    return Ok(event);
                }
            }
            let Some(response) = &mut self.response else { return Err(StreamError::Lost("not connected".into())) };
            let lost = match response.chunk().await {
                Ok(Some(_)) if self.buffer.len() > FRAME_MAX => "an event is too long".to_owned(),
                Ok(Some(bytes)) => {
                    self.buffer.extend_from_slice(&bytes);
                    continue;
                }
                Ok(None) => "the server ended the stream".to_owned(),
                Err(error) => reason(&error),
            };
            self.response = None;
            return Err(StreamError::Lost(lost));
        }
    }
}

/// Reads a frame of the stream. `None` if it has no event, such as a comment.
fn parse_frame(frame: &str) -> Option<StreamedEvent> {
    let field = |name: &str| frame.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
    Some(StreamedEvent { id: field("id")?.to_owned(), envelope: field("data")?.to_owned() })
}

/// Returns the message of the innermost cause of an error, which is more specific than the outermost.
fn reason(error: &reqwest::Error) -> String {
    let mut innermost: &dyn std::error::Error = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}

/// Returns the start of the body of a refusal.
async fn start_of_body(mut response: Response) -> String {
    let mut body = Vec::new();
    while let Ok(Some(chunk)) = response.chunk().await {
        body.extend_from_slice(&chunk);
        if body.len() >= REFUSAL_MAX {
            break;
        }
    }
    body.truncate(REFUSAL_MAX);
    String::from_utf8_lossy(&body).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_events_or_comments() {
        let read = parse_frame("id: 1\nevent: BoxCredited\ndata: {\"body\":{\"a\":\"b: c\"}}\n\n").unwrap();
        assert_eq!((read.id.as_str(), read.envelope.as_str()), ("1", "{\"body\":{\"a\":\"b: c\"}}"));
        assert_eq!(parse_frame(": keep-alive\n\n"), None);
    }
}
