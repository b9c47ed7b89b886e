//! Limits the memory of uploads in progress.
//!
//! An upload takes several times the size of its body while it is read, checked and stored. So memory is reserved for
//! the body before it is read. An upload that does not fit waits, and is refused if it waits too long. A single client
//! can't reserve all the memory, no matter how slowly it sends.

use crate::load::overloaded;
use crate::problem::Problem;
use actix_web::HttpRequest;
use actix_web::http::header::CONTENT_LENGTH;
use florin_domain::ids::ClientId;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{AcquireError, OwnedSemaphorePermit, Semaphore};

/// Maximum total size of the bodies of uploads in progress, in KiB.
const MAX_KIB: usize = 48 * 1024;
/// Maximum for a single client, in KiB.
const MAX_KIB_OF_CLIENT: usize = 32 * 1024;
/// Maximum time that an upload waits for other uploads.
const PATIENCE: Duration = Duration::from_secs(15);

/// The memory that uploads may reserve.
pub(crate) struct Uploads {
    all: Arc<Semaphore>,
    /// The memory of each client that is uploading.
    clients: Mutex<HashMap<ClientId, Arc<Semaphore>>>,
}

/// The memory of an upload. It is freed with the last clone, so that work on a blocking thread keeps it.
#[derive(Clone)]
pub(crate) struct UploadMemory {
    _permits: Arc<[OwnedSemaphorePermit; 2]>,
}

/// The memory that is reserved before the size of the body is known: of the client, and in total.
pub(crate) struct Reserved([OwnedSemaphorePermit; 2]);

impl Uploads {
    pub(crate) fn new() -> Self {
        Self { all: Arc::new(Semaphore::new(MAX_KIB)), clients: Mutex::default() }
    }

    /// Reserves memory for the body of a request: its announced size, or else `max`. Waits until the memory is
    /// available. A body whose announced size exceeds `max` will be refused, so it needs only the minimum.
    pub(crate) async fn reserve(
        &self,
        client: ClientId,
        request: &HttpRequest,
        max: usize,
    ) -> Result<Reserved, Problem> {
        let announced = request.headers().get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse().ok());
        let size = kib(announced.map_or(max, |length: usize| if length > max { 0 } else { length }));
        let permits = async {
            let of_client = self.memory_of(client).acquire_many_owned(size).await?;
            Ok::<_, AcquireError>([of_client, Arc::clone(&self.all).acquire_many_owned(size).await?])
        };
        match tokio::time::timeout(PATIENCE, permits).await {
            Ok(Ok(permits)) => Ok(Reserved(permits)),
            Ok(Err(_)) | Err(_) => Err(overloaded()),
        }
    }

    fn memory_of(&self, client: ClientId) -> Arc<Semaphore> {
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        clients.retain(|_, memory| Arc::strong_count(memory) > 1);
        Arc::clone(clients.entry(client).or_insert_with(|| Arc::new(Semaphore::new(MAX_KIB_OF_CLIENT))))
    }
}

impl Reserved {
    /// Keeps the memory for the actual size of the body, and frees the rest.
    pub(crate) fn shrink_to(mut self, size: usize) -> UploadMemory {
        for permit in &mut self.0 {
            let spare = permit.num_permits().saturating_sub(kib(size) as usize);
            drop(permit.split(spare));
        }
        UploadMemory { _permits: Arc::new(self.0) }
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
    use uuid::Uuid;

    const MAX: usize = 16 * 1024 * 1024;

    fn of_length(length: usize) -> HttpRequest {
        TestRequest::post().insert_header((CONTENT_LENGTH, length)).to_http_request()
    }

    const ONE: ClientId = ClientId(Uuid::from_u128(1));
    const OTHER: ClientId = ClientId(Uuid::from_u128(2));

    #[actix_web::test]
    async fn uploads_wait_until_their_bodies_fit() {
        let uploads = Uploads::new();
        let mut held = Vec::new();
        for _ in 0..MAX_KIB_OF_CLIENT / (MAX / 1024) {
            held.push(uploads.reserve(ONE, &of_length(MAX), MAX).await.ok().unwrap().shrink_to(MAX));
        }
        tokio::time::pause();
        assert!(uploads.reserve(ONE, &of_length(1), MAX).await.is_err());
        let others = uploads.reserve(OTHER, &of_length(MAX), MAX).await.ok().unwrap();
        assert!(uploads.reserve(OTHER, &of_length(1), MAX).await.is_err(), "all memory is in use");
        drop(others);
        let (request, second) = (of_length(MAX), held.pop().unwrap());
        let clone = second.clone();
        drop(second);
        assert!(uploads.reserve(ONE, &request, MAX).await.is_err(), "work in progress still needs the memory");
        drop(clone);
        assert!(uploads.reserve(ONE, &request, MAX).await.is_ok());
    }

    #[actix_web::test]
    async fn an_unannounced_body_keeps_memory_for_its_size_only() {
        let uploads = Uploads::new();
        let reserved = uploads.reserve(ONE, &TestRequest::post().to_http_request(), MAX).await.ok().unwrap();
        assert_eq!(uploads.all.available_permits(), MAX_KIB - MAX / 1024);
        let memory = reserved.shrink_to(1025);
        assert_eq!(uploads.all.available_permits(), MAX_KIB - 2);
        drop(memory);
        assert_eq!(uploads.all.available_permits(), MAX_KIB);
    }

    #[actix_web::test]
    async fn a_body_that_is_too_large_takes_no_memory() {
        let uploads = Uploads::new();
        let _reserved = uploads.reserve(ONE, &of_length(MAX + 1), MAX).await.ok().unwrap();
        assert_eq!(uploads.all.available_permits(), MAX_KIB - 1);
    }
}
