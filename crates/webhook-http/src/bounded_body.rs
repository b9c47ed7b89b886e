//! Reads bodies of responses up to a maximum size.

use reqwest::Response;

/// Reasons that the body of a response could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BodyError {
    /// The connection was lost before the end of the body.
    EndedEarly,
    /// The body is larger than allowed.
    TooLarge,
}

/// Reads the whole body of a response, at most `max` bytes.
pub(crate) async fn bounded_body(mut response: Response, max: usize) -> Result<Vec<u8>, BodyError> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|_| BodyError::EndedEarly)? {
        if body.len().saturating_add(chunk.len()) > max {
            return Err(BodyError::TooLarge);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}
