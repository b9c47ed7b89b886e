//! Logos of merchants: decodes uploaded images, and encodes them as PNGs of one size, on a blocking thread.
//!
//! Images are processed one at a time, because one of 40 megapixels takes up to 0.4 GB: 16-bit pixels take 8 bytes each,
//! and progressive JPEGs are decoded as a whole.

mod complete_jpeg;
mod decode;
mod resize;
#[cfg(test)]
mod tests;

use async_trait::async_trait;
use florin_domain::merchant::{LogoRefusal, check_logo_file};
use florin_ports::{LogoImageError, LogoImages};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;

/// Maximum number of images in progress.
const IMAGES_AT_ONCE: usize = 1;
/// The time that an image waits for others.
const PATIENCE: Duration = Duration::from_secs(15);

/// Makes logos with the crate `image`.
#[derive(Debug)]
pub struct BlockingLogoImages {
    turns: Arc<Semaphore>,
}

impl BlockingLogoImages {
    /// Creates the adapter. All uploads of a process share one.
    pub fn new() -> Self {
        Self { turns: Arc::new(Semaphore::new(IMAGES_AT_ONCE)) }
    }
}

impl Default for BlockingLogoImages {
    fn default() -> Self {
        Self::new()
    }
}

#[async_trait]
impl LogoImages for BlockingLogoImages {
    async fn make(&self, file: Vec<u8>) -> Result<Vec<u8>, LogoImageError> {
        let format = check_logo_file(&file)?;
        let turn = tokio::time::timeout(PATIENCE, Arc::clone(&self.turns).acquire_owned()).await;
        let Ok(Ok(turn)) = turn else { return Err(LogoImageError::Overloaded) };
        let work = tokio::task::spawn_blocking(move || {
            // The work goes on if the client disconnects, so it keeps its turn.
            let _turn = turn;
            resize::encode(decode::decode(&file, format)?)
        });
        // A decoder that panics was given a damaged file.
        Ok(work.await.unwrap_or(Err(LogoRefusal::Unreadable))?)
    }
}
