//! Sends large bodies of responses in parts.

use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::web::Bytes;
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

/// Maximum size of a part, in bytes.
const PART: usize = 32 * 1024;

/// A body that is sent in parts. A part is copied to the connection's buffer only after the previous part was sent, so
/// that a caller that does not read its response takes little memory.
struct Parts(Bytes);

/// Splits a large body into parts. Small bodies and streams are returned unchanged.
pub(crate) fn in_parts(body: BoxBody) -> BoxBody {
    match body.try_into_bytes() {
        Ok(bytes) if bytes.len() > PART => BoxBody::new(Parts(bytes)),
        Ok(bytes) => BoxBody::new(bytes),
        Err(stream) => stream,
    }
}

impl MessageBody for Parts {
    type Error = Infallible;

    fn size(&self) -> BodySize {
        BodySize::Sized(self.0.len() as u64)
    }

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Bytes, Infallible>>> {
        let length = self.0.len().min(PART);
        Poll::Ready((length > 0).then(|| Ok(self.0.split_to(length))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;
    use futures_util::future::poll_fn;

    #[test]
    fn a_large_body_is_sent_in_parts() {
        let whole: Vec<u8> = (0..=255).cycle().take(3 * PART + 7).collect();
        let mut body = in_parts(BoxBody::new(whole.clone()));
        assert_eq!(body.size(), BodySize::Sized(whole.len() as u64));
        let mut sent = Vec::new();
        while let Some(part) = poll_fn(|context| Pin::new(&mut body).poll_next(context)).now_or_never().unwrap() {
            let part = part.unwrap();
            assert!(part.len() <= PART);
            sent.extend_from_slice(&part);
        }
        assert!(sent == whole);
    }
}
