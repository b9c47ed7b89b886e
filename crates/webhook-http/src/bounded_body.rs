//! Bodies of answers, read up to a maximum size.

use reqwest::Response;

/// The reason that a body is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BodyError {
    /// The connection was lost before its end.
    EndedEarly,
    /// It is larger than allowed.
    TooLarge,
}

/// Reads a whole body of at most `max` bytes.
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
