//! Limits the memory of uploads in progress.
//!
//! An upload takes several times the size of its body while it is read, checked and stored. Its body is therefore
//! charged to a common budget before it is read; an upload that does not fit waits, and is refused if that takes long.

use crate::load::refusal;
use crate::problem::Problem;
use actix_web::HttpRequest;
use actix_web::http::header::CONTENT_LENGTH;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Total size of the bodies of uploads in progress, in KiB.
const MAX_KIB: usize = 32 * 1024;
/// The time that an upload waits for others to finish.
const PATIENCE: Duration = Duration::from_secs(15);

/// The memory for uploads.
pub(crate) struct Uploads(Arc<Semaphore>);

/// The charge of an upload. It ends with the last clone, so that work on a blocking thread keeps it.
#[derive(Clone)]
pub(crate) struct UploadCharge {
    _permit: Arc<OwnedSemaphorePermit>,
}

/// A charge before the size of the body is known for certain.
pub(crate) struct Reserved(OwnedSemaphorePermit);

impl Uploads {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Semaphore::new(MAX_KIB)))
    }

    /// Reserves memory for the body of a request: its announced size, or else the maximum. Waits until it is available.
    pub(crate) async fn reserve(&self, request: &HttpRequest, max: usize) -> Result<Reserved, Problem> {
        let announced = request.headers().get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse().ok());
        let free = Arc::clone(&self.0).acquire_many_owned(kib(announced.map_or(max, |length: usize| length.min(max))));
        match tokio::time::timeout(PATIENCE, free).await {
            Ok(Ok(permit)) => Ok(Reserved(permit)),
            Ok(Err(_)) | Err(_) => Err(refusal()),
        }
    }
}

impl Reserved {
    /// Charges the actual size of the body, and frees the rest.
    pub(crate) fn charge(mut self, size: usize) -> UploadCharge {
        let spare = self.0.num_permits().saturating_sub(kib(size) as usize);
        drop(self.0.split(spare));
        UploadCharge { _permit: Arc::new(self.0) }
    }
}

/// Rounds up to KiB, at least one.
fn kib(bytes: usize) -> u32 {
    u32::try_from(bytes.div_ceil(1024)).unwrap_or(u32::MAX).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::test::TestRequest;

    const MAX: usize = 16 * 1024 * 1024;

    fn of_length(length: usize) -> HttpRequest {
        TestRequest::post().insert_header((CONTENT_LENGTH, length)).to_http_request()
    }

    #[actix_web::test]
    async fn uploads_wait_until_their_bodies_fit() {
        let uploads = Uploads::new();
        let mut held = Vec::new();
        for _ in 0..MAX_KIB / (MAX / 1024) {
            held.push(uploads.reserve(&of_length(MAX), MAX).await.ok().unwrap().charge(MAX));
        }
        tokio::time::pause();
        assert!(uploads.reserve(&of_length(1), MAX).await.is_err());
        let (request, second) = (of_length(MAX), held.pop().unwrap());
        let clone = second.clone();
        drop(second);
        assert!(uploads.reserve(&request, MAX).await.is_err(), "work in progress still needs the memory");
        drop(clone);
        assert!(uploads.reserve(&request, MAX).await.is_ok());
    }

    #[actix_web::test]
    async fn an_unannounced_body_is_charged_by_its_size() {
        let uploads = Uploads::new();
        let reserved = uploads.reserve(&TestRequest::post().to_http_request(), MAX).await.ok().unwrap();
        assert_eq!(uploads.0.available_permits(), MAX_KIB - MAX / 1024);
        let charge = reserved.charge(1025);
        assert_eq!(uploads.0.available_permits(), MAX_KIB - 2);
        drop(charge);
        assert_eq!(uploads.0.available_permits(), MAX_KIB);
    }
}
