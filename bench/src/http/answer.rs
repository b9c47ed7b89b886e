//! Reads HTTP responses.

use anyhow::{Context, bail};

/// What the load generator reads from the head of a response: from its status line and its headers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) status: u16,
    /// Length of head and body together.
    pub(crate) response_length: usize,
    /// Offset of the body.
    pub(crate) body_offset: usize,
    /// Whether there is a `Retry-After` header.
    pub(crate) retry_after: bool,
}

/// Parses the head of a response. `None` if the head has not been received completely.
pub(crate) fn head(received: &[u8]) -> anyhow::Result<Option<Head>> {
    let mut headers = [httparse::EMPTY_HEADER; 32];
    let mut response = httparse::Response::new(&mut headers);
    let httparse::Status::Complete(head) = response.parse(received).context("the response is not HTTP")? else {
        return Ok(None);
    };
    let status = response.code.context("a response without a status")?;
    let find = |name: &str| response.headers.iter().find(|header| header.name.eq_ignore_ascii_case(name));
    if find("connection").is_some_and(|header| header.value.eq_ignore_ascii_case(b"close")) {
        bail!("a server closes its connections (status {status})");
    }
    let length = find("content-length").context("a response without a length")?;
    let length: usize = std::str::from_utf8(length.value)?.trim().parse()?;
    Ok(Some(Head {
        status,
        response_length: head + length,
        body_offset: head,
        retry_after: find("retry-after").is_some(),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_is_parsed_once_it_is_complete() {
        let text = b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 2\r\nRetry-After: 1\r\n\r\n{}";
        let whole = Head { status: 503, response_length: text.len(), body_offset: text.len() - 2, retry_after: true };
        assert_eq!(head(text).unwrap(), Some(whole));
        assert_eq!(head(&text[..30]).unwrap(), None);
        assert!(head(b"HTTP/1.1 200 OK\r\n\r\n").is_err());
        assert!(head(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n").is_err());
    }
}
