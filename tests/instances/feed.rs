//! The feed of changes of activity, written and read through two instances.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::pair::{Pair, prevent_restarts};
use crate::support::feed::Feed;
use crate::support::wallet::credit_body;
use crate::support::{AUTHORIZATION, CLEARING, CREDIT, Wallet, expect_json, together};

/// A reader goes from one instance to the other and back with the same cursor.
#[test]
fn readers_of_both_instances_miss_and_repeat_nothing() {
    const WRITERS: usize = 32;
    let _undisturbed = prevent_restarts();
    let pair = Pair::sandbox();
    let wallet = Wallet::with(&pair.first, "GBP", 1_000_000);
    let active_writers = AtomicUsize::new(WRITERS);
    let feeds = together(WRITERS + 2, |number| {
        if number < WRITERS {
            let wallet = Wallet { client: pair.client(number), ..wallet.clone() };
            for _ in 0..5 {
                let held = wallet.token(AUTHORIZATION, "0.03");
                wallet.follow_ok(CLEARING, &held, "0.02");
                let credit = credit_body(&wallet.card.budget, "0.07", "GBP");
                expect_json(&wallet.client.post(CREDIT, credit), 200);
            }
            active_writers.fetch_sub(1, Ordering::Relaxed);
            return None;
        }
        let (mut feed, mut turn) = (Feed::new(), number);
        while active_writers.load(Ordering::Relaxed) > 0 {
            feed.read(&pair.client(turn), 7);
            turn += 1;
        }
        Some(feed)
    });
    for (turn, mut feed) in feeds.into_iter().flatten().enumerate() {
        feed.drain(&pair.client(turn));
        feed.must_equal_the_list(&pair.client(turn + 1));
    }
}
