//! A buffer for bytes that were read, but may not be handed over yet.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, ReadBuf};

/// Maximum number of bytes that are read ahead. A longer head is handed over in pieces of this size.
const SIZE: usize = 4096;
/// Maximum number of headers, the same as in `actix-http`.
const MAX_HEADERS: usize = 96;

/// A buffer that hands over one request at a time.
pub(super) struct ReadAhead {
    bytes: Box<[u8]>,
    /// `bytes[start..end]` has not been handed over yet.
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

    /// Releases this number of bytes to be handed over, but at most all bytes of the buffer.
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

    /// Reads more bytes into the buffer. Returns the number of bytes read, which is 0 at the end of the stream.
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

    /// Releases the first request if its head is complete, with the part of its body that the buffer contains. Releases
    /// all bytes if they are not a valid head, or if the head does not fit into the buffer. Returns whether bytes were
    /// released.
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

/// Returns the announced length of a body, in bytes. For a chunked body, returns [`SIZE`], because it may fill the
/// buffer.
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

    /// Returns the pieces in which the bytes are handed over.
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
