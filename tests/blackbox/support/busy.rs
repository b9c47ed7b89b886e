//! Continuous requests while a test does something else, so that every cache is filled.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use super::Client;

/// Runs `work` while each of the clients requests `path` continuously.
pub(crate) fn while_asking<T>(clients: &[Client], path: &str, work: impl FnOnce() -> T) -> T {
    /// Stops the requests, however the work ends.
    struct Done<'a>(&'a AtomicBool);
    impl Drop for Done<'_> {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Relaxed);
        }
    }
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        for client in clients {
            let done = &done;
            scope.spawn(move || {
                while !done.load(Ordering::Relaxed) {
                    client.get(path);
                }
            });
        }
        let _done = Done(&done);
        work()
    })
}
