//! The stream of events, written and read through two instances.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::Value;

use crate::pair::{Pair, prevent_restarts};
use crate::support::assert::text;
use crate::support::stream::Stream;
use crate::support::{AUTHORIZATION, Client, INCREMENT, Wallet, expect_json, together};

/// Returns the bodies of all card events, oldest first.
fn listed(client: &Client) -> Vec<Value> {
    let path = format!("/v2/events?accountId={}&types=CardTransaction&limit=1000", client.account);
    let mut rows = expect_json(&client.get(&path), 200)["rows"].take();
    rows.as_array_mut().unwrap().drain(..).rev().map(|mut row| row["body"].take()).collect()
}

/// A reader switches between the instances, with the id of its last event.
#[test]
fn a_reader_of_both_instances_misses_and_repeats_no_event() {
    const WRITERS: usize = 16;
    const EVENTS: usize = WRITERS * 10;
    let _undisturbed = prevent_restarts();
    let pair = Pair::sandbox();
    let wallet = Wallet::with(&pair.first, "GBP", 1_000_000);
    let last = text(listed(&pair.client(0)).last().unwrap(), "/messageId").to_owned();
    let before = listed(&pair.client(0)).len();
    let active_writers = AtomicUsize::new(WRITERS);
    let readers = together(WRITERS + 1, |number| {
        if number < WRITERS {
            let wallet = Wallet { client: pair.client(number), ..wallet.clone() };
            for _ in 0..5 {
                let held = wallet.token(AUTHORIZATION, "0.03");
                wallet.follow_ok(INCREMENT, &held, "0.02");
            }
            active_writers.fetch_sub(1, Ordering::Relaxed);
            return None;
        }
        let (mut turn, mut last, mut received) = (number, last.clone(), Vec::new());
        loop {
            let is_over = active_writers.load(Ordering::Relaxed) == 0;
            let mut stream = Stream::open(&pair.client(turn), "types=CardTransaction", Some(&last));
            let mut count = 0;
            // An event may be late, so the reader waits longer until all have arrived. Afterwards, only a repeated
            // event could come.
            let timeout = |received: usize| Duration::from_millis(if received < EVENTS { 2_000 } else { 400 });
            while count < 23
                && let Some(event) = stream.next(timeout(received.len()))
            {
                last = event.id;
                received.push(event.body);
                count += 1;
            }
            if is_over && count == 0 {
                return Some(received);
            }
            turn += 1;
        }
    });
    let expected = listed(&pair.client(1)).split_off(before);
    assert_eq!(expected.len(), EVENTS);
    for received in readers.into_iter().flatten() {
        assert_eq!(received, expected);
    }
}
