//! Bytes that were read before their request may be handed over.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, ReadBuf};

/// Maximum number of bytes that are read ahead. A longer head is handed over in pieces of this size.
const SIZE: usize = 4096;
/// Maximum number of headers, which is that of `actix-http`.
const MAX_HEADERS: usize = 96;

/// A buffer that hands over one request at a time.
pub(super) struct ReadAhead {
    bytes: Box<[u8]>,
    /// The part of the buffer that holds bytes.
    start: usize,
    end: usize,
    /// The number of bytes that may be handed over.
    released: usize,
}

impl ReadAhead {
    pub(super) fn new() -> Self {
        Self { bytes: vec![0; SIZE].into(), start: 0, end: 0, released: 0 }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.start == self.end
    }

    /// The number of bytes that may be handed over now.
    pub(super) fn released(&self) -> usize {
        self.released
    }

    /// Allows to hand over this number of bytes, or all.
    pub(super) fn release(&mut self, bytes: usize) {
        self.released = bytes.min(self.end - self.start);
    }

    /// Hands over released bytes.
    pub(super) fn hand_over(&mut self, buffer: &mut ReadBuf<'_>) {
        let count = self.released.min(buffer.remaining());
        buffer.put_slice(&self.bytes[self.start..self.start + count]);
        self.start += count;
        self.released -= count;
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
        }
    }

    /// Reads more. Returns the number of bytes read.
    pub(super) fn poll_fill(
        &mut self,
        stream: &mut (impl AsyncRead + Unpin),
        context: &mut Context<'_>,
    ) -> Poll<io::Result<usize>> {
        self.bytes.copy_within(self.start..self.end, 0);
        (self.start, self.end) = (0, self.end - self.start);
        let mut space = ReadBuf::new(&mut self.bytes[self.end..]);
        ready!(Pin::new(stream).poll_read(context, &mut space))?;
        let read = space.filled().len();
        self.end += read;
        Poll::Ready(Ok(read))
    }

    /// Releases the first request, with as much of its body as is there, if its head is complete. Releases all bytes if
    /// they are no head, or a part of one that is too long for the buffer. Returns whether bytes were released.
    pub(super) fn release_request(&mut self) -> bool {
        let bytes = &self.bytes[self.start..self.end];
        let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
        let mut request = httparse::Request::new(&mut headers);
        let length = match request.parse(bytes) {
            Ok(httparse::Status::Complete(head)) => head.saturating_add(body_length(request.headers)),
            Ok(httparse::Status::Partial) if bytes.len() < SIZE => return false,
            Ok(httparse::Status::Partial) | Err(_) => SIZE,
        };
        self.release(length);
        self.released > 0
    }
}

/// Returns the announced length of a body. A body in chunks has none: it may fill the buffer.
fn body_length(headers: &[httparse::Header<'_>]) -> usize {
    let has = |name: &str| headers.iter().find(|header| header.name.eq_ignore_ascii_case(name));
    match (has("transfer-encoding"), has("content-length")) {
        (None, None) => 0,
        (None, Some(length)) => {
            std::str::from_utf8(length.value).ok().and_then(|text| text.parse().ok()).unwrap_or(SIZE)
        }
        (Some(_), _) => SIZE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;
    use std::future::poll_fn;

    /// The pieces in which bytes are handed over, until more of them are needed.
    fn pieces(mut sent: &[u8]) -> Vec<String> {
        let (mut ahead, mut pieces) = (ReadAhead::new(), Vec::new());
        loop {
            while ahead.release_request() {
                let mut space = [0; SIZE];
                let mut buffer = ReadBuf::new(&mut space);
                ahead.hand_over(&mut buffer);
                pieces.push(String::from_utf8(buffer.filled().to_vec()).unwrap());
            }
            let read = poll_fn(|context| ahead.poll_fill(&mut sent, context)).now_or_never().unwrap().unwrap();
            if read == 0 {
                return pieces;
            }
        }
    }

    #[test]
    fn one_request_is_handed_over_at_a_time() {
        let get = "GET / HTTP/1.1\r\na: b\r\n\r\n";
        let post = "POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\n12345";
        assert_eq!(pieces([get, post, get, "GET /"].concat().as_bytes()), [get, post, get]);
        let long = format!("GET / HTTP/1.1\r\na: {}\r\n\r\n", "x".repeat(SIZE));
        let handed = pieces(long.as_bytes());
        assert!(handed.len() == 2 && handed.concat() == long, "{handed:?}");
        let many = get.repeat(1000);
        assert!(pieces(many.as_bytes()).into_iter().all(|piece| piece == get));
        assert_eq!(pieces(b"no head\r\n\r\n").concat(), "no head\r\n\r\n");
    }
}
