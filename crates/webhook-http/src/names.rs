//! Looks up the addresses of host names, with the resolver of the operating system.

use async_trait::async_trait;
use std::io;
use std::net::{IpAddr, ToSocketAddrs};
use std::sync::Arc;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

/// Looks up the addresses of host names.
#[async_trait]
pub trait NameLookup: Send + Sync {
    /// Returns all addresses of a host name.
    async fn lookup(&self, name: &str) -> io::Result<Vec<IpAddr>>;
}

/// Looks up names with the resolver of the operating system. A lookup blocks a thread of the pool whose threads also
/// read the store, so the number of concurrent lookups is limited.
#[derive(Clone, Debug)]
pub struct SystemNames {
    permits: Arc<Semaphore>,
}

impl SystemNames {
    /// Creates a resolver with a maximum number of concurrent lookups. Further lookups wait.
    pub fn new(max_lookups: usize) -> Self {
        Self { permits: Arc::new(Semaphore::new(max_lookups)) }
    }
}

#[async_trait]
impl NameLookup for SystemNames {
    async fn lookup(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        let name = name.to_owned();
        blocking(&self.permits, move || Ok((name.as_str(), 0).to_socket_addrs()?.map(|address| address.ip()).collect()))
            .await
    }
}

/// Runs blocking work on a separate thread. The permit is held until the work ends, even if its caller has stopped
/// waiting.
async fn blocking<T: Send + 'static>(
    permits: &Arc<Semaphore>,
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    let permit = Arc::clone(permits).acquire_owned().await.map_err(io::Error::other)?;
    let work = move || {
        let done = work();
        drop(permit);
        done
    };
    spawn_blocking(work).await.map_err(io::Error::other)?
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    /// A lookup keeps its permit until it ends, even if its caller has stopped waiting.
    #[tokio::test]
    async fn abandoned_lookups_keep_their_permits() {
        let permits = Arc::new(Semaphore::new(2));
        let (free, wait) = mpsc::channel::<()>();
        let stuck = blocking(&permits, move || wait.recv().map_err(io::Error::other));
        let mut stuck = Box::pin(stuck);
        tokio::select! {
            biased;
            _ = &mut stuck => panic!("the stuck lookup ended"),
            () = tokio::task::yield_now() => {}
        }
        drop(stuck);
        assert_eq!(permits.available_permits(), 1);
        assert_eq!(blocking(&permits, || Ok(7)).await.unwrap(), 7);
        free.send(()).unwrap();
        let both = permits.acquire_many(2).await;
        assert!(both.is_ok());
    }
}
