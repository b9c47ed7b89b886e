//! Limits concurrent lookups of host names: at most one for each name, and a maximum number for each client. So name
//! servers that do not respond only delay the clients that use them.

use crate::names::NameLookup;
use florin_domain::ids::ClientId;
use std::collections::HashMap;
use std::future::Future;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task_local;

task_local! {
    /// The client on whose behalf a request is sent. reqwest calls its resolver in the task that sends the request.
    static CLIENT: Option<ClientId>;
}

/// Sends a request on behalf of a client.
pub(crate) async fn on_behalf_of<T>(client: Option<ClientId>, sending: impl Future<Output = T>) -> T {
    CLIENT.scope(client, sending).await
}

/// The client on whose behalf the current task sends a request. `None`: no client is known.
pub(crate) fn current_client() -> Option<ClientId> {
    CLIENT.try_with(|client| *client).ok().flatten()
}

/// The result of a lookup. `None`: it has not ended.
type Found = watch::Receiver<Option<Arc<[IpAddr]>>>;

/// Lookups in progress.
pub(crate) struct Lookups {
    names: Arc<dyn NameLookup>,
    max_of_client: usize,
    running: Mutex<HashMap<String, Found>>,
    clients: Mutex<HashMap<ClientId, Arc<Semaphore>>>,
}

impl Lookups {
    /// Creates the limits. `max_of_client` is the maximum number of concurrent lookups for one client.
    pub(crate) fn new(names: Arc<dyn NameLookup>, max_of_client: usize) -> Arc<Self> {
        Arc::new(Self { names, max_of_client, running: Mutex::default(), clients: Mutex::default() })
    }

    /// Returns all addresses of a name; none if it has no address. Waits for a lookup of the same name that is in
    /// progress, or begins one. A lookup continues if its caller stops waiting.
    pub(crate) async fn find(self: &Arc<Self>, name: &str, client: Option<ClientId>) -> Arc<[IpAddr]> {
        let running = running(&locked(&self.running), name);
        let mut found = if let Some(found) = running {
            found
        } else {
            let permit = self.permit(client).await;
            self.join_or_begin(name, permit)
        };
        // If the lookup panicked, the name has no address.
        let ended = found.wait_for(Option::is_some).await;
        ended.ok().and_then(|found| found.clone()).unwrap_or_default()
    }

    /// Waits for a place among the lookups of a client.
    async fn permit(&self, client: Option<ClientId>) -> Option<OwnedSemaphorePermit> {
        let client = client?;
        let permits = {
            let mut clients = locked(&self.clients);
            // Forget clients without lookups. Each permit and each waiting task has a reference.
            clients.retain(|_, permits| Arc::strong_count(permits) > 1);
            Arc::clone(clients.entry(client).or_insert_with(|| Arc::new(Semaphore::new(self.max_of_client))))
        };
        permits.acquire_owned().await.ok()
    }

    fn join_or_begin(self: &Arc<Self>, name: &str, permit: Option<OwnedSemaphorePermit>) -> Found {
        let mut lookups = locked(&self.running);
        if let Some(found) = running(&lookups, name) {
            return found;
        }
        let (sender, found) = watch::channel(None);
        lookups.insert(name.to_owned(), found.clone());
        let (shared, name) = (Arc::clone(self), name.to_owned());
        tokio::spawn(async move {
            let addresses = shared.names.lookup(&name).await.unwrap_or_default();
            locked(&shared.running).remove(&name);
            sender.send_replace(Some(addresses.into()));
            drop(permit);
        });
        found
    }
}

/// Returns the lookup of a name that is in progress.
fn running(lookups: &HashMap<String, Found>, name: &str) -> Option<Found> {
    // A lookup that panicked has closed its channel.
    lookups.get(name).filter(|found| found.has_changed().is_ok()).cloned()
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use async_trait::async_trait;
    use std::io;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;
    use uuid::Uuid;

    const OF_CLIENT_MAX: usize = 32;

    /// Names whose lookups end when the test allows it.
    struct Slow {
        begun: AtomicUsize,
        ends: Semaphore,
    }

    #[async_trait]
    impl NameLookup for Slow {
        async fn lookup(&self, name: &str) -> io::Result<Vec<IpAddr>> {
            self.begun.fetch_add(1, Ordering::SeqCst);
            assert!(name != "broken.test", "the lookup panics");
            self.ends.acquire().await.map_err(io::Error::other)?.forget();
            Ok(vec![[127, 0, 0, 9].into()])
        }
    }

    fn slow() -> (Arc<Slow>, Arc<Lookups>) {
        let names = Arc::new(Slow { begun: AtomicUsize::new(0), ends: Semaphore::new(0) });
        (Arc::clone(&names), Lookups::new(names, OF_CLIENT_MAX))
    }

    const fn client(number: u128) -> ClientId {
        ClientId(Uuid::from_u128(number))
    }

    fn begin(lookups: &Arc<Lookups>, name: String, client: Option<ClientId>) -> tokio::task::JoinHandle<Arc<[IpAddr]>> {
        let lookups = Arc::clone(lookups);
        tokio::spawn(async move { lookups.find(&name, client).await })
    }

    /// Lets all tasks run until each of them waits.
    async fn run_all_tasks() {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }

    #[tokio::test(start_paused = true)]
    async fn concurrent_lookups_of_a_name_are_merged() {
        let (names, lookups) = slow();
        let all: Vec<_> = (0..50).map(|number| begin(&lookups, "a.test".into(), Some(client(number)))).collect();
        run_all_tasks().await;
        assert_eq!(names.begun.load(Ordering::SeqCst), 1);
        // The lookup continues although the caller that began it has stopped waiting.
        all[0].abort();
        run_all_tasks().await;
        names.ends.add_permits(1);
        for one in all.into_iter().skip(1) {
            assert_eq!(*one.await.unwrap(), [IpAddr::from([127, 0, 0, 9])]);
        }
        // The next call begins a new lookup, and no ended lookup is kept.
        names.ends.add_permits(1);
        lookups.find("a.test", None).await;
        assert_eq!(names.begun.load(Ordering::SeqCst), 2);
        assert!(locked(&lookups.running).is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn the_lookups_of_a_client_are_limited() {
        let (names, lookups) = slow();
        let all: Vec<_> = (0..40).map(|number| begin(&lookups, format!("{number}.test"), Some(client(1)))).collect();
        run_all_tasks().await;
        assert_eq!(names.begun.load(Ordering::SeqCst), OF_CLIENT_MAX);
        let other = begin(&lookups, "other.test".into(), Some(client(2)));
        let unknown = begin(&lookups, "unknown.test".into(), None);
        run_all_tasks().await;
        assert_eq!(names.begun.load(Ordering::SeqCst), OF_CLIENT_MAX + 2);
        names.ends.add_permits(42);
        for one in all.into_iter().chain([other, unknown]) {
            assert_eq!(one.await.unwrap().len(), 1);
        }
        assert_eq!(names.begun.load(Ordering::SeqCst), 42);
        names.ends.add_permits(1);
        lookups.find("last.test", Some(client(3))).await;
        assert_eq!(locked(&lookups.clients).len(), 1, "clients without lookups are forgotten");
    }

    #[tokio::test]
    async fn a_lookup_that_panics_finds_nothing() {
        let (names, lookups) = slow();
        for begun in 1..=2 {
            assert_eq!(lookups.find("broken.test", Some(client(1))).await.len(), 0);
            assert_eq!(names.begun.load(Ordering::SeqCst), begun);
        }
    }
}
