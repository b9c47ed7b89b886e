//! Reads the body of a request only while its reader waits for it.

use super::gate::Gate;
use actix_web::HttpRequest;
use actix_web::dev::Payload;
use actix_web::error::PayloadError;
use actix_web::http::header::CONTENT_LENGTH;
use actix_web::web::Bytes;
use futures_util::Stream;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

/// Maximum number of bytes of a body with `Content-Length` that are awaited at a time.
const MAX_AWAITED: usize = 64 * 1024;

/// Maximum number of bytes of a body without `Content-Length` that are awaited at a time. It is smaller, because the
/// next request may be among the bytes.
const MAX_AWAITED_OF_CHUNKED: usize = 4096;

/// A body that opens the gate while its reader waits for data.
struct GatedBody {
    payload: Payload,
    gate: Rc<Gate>,
    /// Number of bytes that are still to be read. `None`: the request has no `Content-Length`.
    left: Option<usize>,
}

/// Wraps a body so that it opens the gate while its reader waits. For a body with `Content-Length`, only its own bytes
/// are awaited, because the next request may follow them.
pub(crate) fn gated(payload: Payload, request: &HttpRequest, gate: &Rc<Gate>) -> Payload {
    if matches!(payload, Payload::None) {
        return payload;
    }
    let left = request.headers().get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
    Payload::Stream { payload: Box::pin(GatedBody { payload, gate: Rc::clone(gate), left }) }
}

impl Stream for GatedBody {
    type Item = Result<Bytes, PayloadError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let polled = Pin::new(&mut self.payload).poll_next(context);
        match &polled {
            Poll::Pending => {
                self.gate.await_body(self.left.map_or(MAX_AWAITED_OF_CHUNKED, |left| left.clamp(1, MAX_AWAITED)));
            }
            Poll::Ready(read) => {
                let length = read.as_ref().and_then(|chunk| Some(chunk.as_ref().ok()?.len())).unwrap_or(0);
                self.left = self.left.map(|left| left.saturating_sub(length));
                self.gate.await_body(0);
            }
        }
        polled
    }
}

impl Drop for GatedBody {
    fn drop(&mut self) {
        self.gate.await_body(0);
    }
}
