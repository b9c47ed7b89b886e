//! Continuous requests while a test does something else, so that every cache is filled; and requests to a server that
//! may be overloaded.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::guards::SetOnDrop;
use super::server::MAX_WAIT;
use super::{Answer, Client};

/// Repeats a request while the server is overloaded. Returns the last answer, which is a 503 after [`MAX_WAIT`].
pub(crate) fn retry_while_overloaded(send: impl Fn() -> Answer) -> Answer {
    let start = Instant::now();
    loop {
        let answer = send();
        if answer.status != 503 || start.elapsed() > MAX_WAIT {
            return answer;
        }
        thread::sleep(Duration::from_millis(50));
    }
}

/// Runs `work` while each of the clients requests `path` continuously.
pub(crate) fn while_requesting<T>(clients: &[Client], path: &str, work: impl FnOnce() -> T) -> T {
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        for client in clients {
            let stop = &stop;
            scope.spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    client.get(path);
                }
            });
        }
        // Stops the requests even if the work panics.
        let _stop = SetOnDrop(&stop);
        work()
    })
}
