//! Runs random tests with several seeds.

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use super::setting::setting;

/// Calls `play` with each of `count` consecutive seeds, on two threads. The first seed is `FLORIN_TEST_SEED`.
pub(crate) fn each_seed(count: u64, play: impl Fn(u64) + Sync) {
    let first = setting("FLORIN_TEST_SEED", 1);
    let next = AtomicU64::new(first);
    let play_all = || {
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= first + count {
                break;
            }
            play(seed);
        }
    };
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(play_all);
        }
    });
}
