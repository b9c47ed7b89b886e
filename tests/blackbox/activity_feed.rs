//! The feed of changes of activity. It misses no change, and repeats no row without a change, even while others write
//! and servers are killed.
//!
//! `FLORIN_KILLS` is the number of kills, and `FLORIN_TEST_SEED` the seed of their random numbers.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use fastrand::Rng;
use serde_json::{Value, json};

use crate::openapi::assert_documented;
use crate::support::assert::{members, text};
use crate::support::feed::{Feed, changes_after};
use crate::support::load::check_journal;
use crate::support::management::{BUDGETS, budget, transfer};
use crate::support::payments::{confirmed, filled, fresh_sandbox, pounds};
use crate::support::server::MAX_WAIT;
use crate::support::setting::setting;
use crate::support::store::is_sqlite;
use crate::support::wallet::{credit_body, first_body, follow_body};
use crate::support::worlds::{create_world, restore, snapshot};
use crate::support::{
    AUTHORIZATION, CLEARING, CREDIT, Client, Server, Wallet, Workspace, demo, expect_fault, expect_json, together,
};

const LIST: &str = "/v2/activity/{accountId}";

#[test]
fn the_feed_returns_what_changed_since_the_cursor() {
    let (server, client) = fresh_sandbox();
    let wallet = Wallet::with(&server, "GBP", 50_000);
    let mut feed = Feed::new();
    feed.drain(&client);
    feed.must_equal_the_list(&client);
    let answer = changes_after(&client, &feed.cursor, "limit=7");
    assert_documented("get", LIST, &answer);
    let empty = expect_json(&answer, 200);
    assert_eq!(members(&empty), ["count", "limit", "nextCursor", "offset", "rows"]);
    assert_eq!((&empty["limit"], &empty["offset"], &empty["rows"]), (&json!(7), &json!(0), &json!([])));
    let held = wallet.token(AUTHORIZATION, "10");
    let kinds = |rows: &[Value]| -> Vec<String> {
        let kind = |row: &Value| format!("{} {} {}", text(row, "/type"), text(row, "/status"), row["amount"]);
        rows.iter().map(kind).collect()
    };
    assert_eq!(kinds(&feed.read(&client, 9)), ["card pending 10.0"]);
    wallet.follow_ok(CLEARING, &held, "8");
    let (from, to) = (wallet.card.budget.clone(), budget(&client, "Receiver"));
    expect_json(&transfer(&client, &from, &to, "2.50"), 200);
    let rows = feed.read(&client, 2);
    assert_eq!(rows.len(), 2);
    let rest = feed.read(&client, 2);
    let mut sides = kinds(&[&rows[1..], &rest[..]].concat());
    sides.sort();
    assert_eq!(
        (kinds(&rows[..1]), sides),
        (vec!["card complete 8.0".into()], vec!["load complete 2.5".into(), "unload complete 2.5".into()])
    );
    assert_eq!(feed.read(&client, 2), Vec::<Value>::new());
    feed.must_equal_the_list(&client);
}

#[test]
fn a_payment_appears_with_its_confirmation_and_its_outcome() {
    let (server, client) = fresh_sandbox();
    Wallet::with(&server, "GBP", 100_000);
    let mut feed = Feed::new();
    feed.drain(&client);
    let batch = filled(&client, &[pounds("10", "Wages")]);
    assert_eq!(feed.read(&client, 9), Vec::<Value>::new(), "an upload moves no money");
    confirmed(&client, &batch);
    let (start, mut states) = (Instant::now(), Vec::new());
    while states.last().is_none_or(|state| state != "complete") {
        assert!(start.elapsed() < MAX_WAIT, "{states:?}");
        let rows = feed.read(&client, 9);
        states.extend(rows.iter().map(|row| text(row, "/status").to_owned()));
        thread::sleep(Duration::from_millis(20));
    }
    assert!(states.iter().rev().skip(1).all(|state| state == "pending"), "{states:?}");
    feed.must_equal_the_list(&client);
}

#[test]
fn filters_apply_to_the_feed() {
    let (server, client) = fresh_sandbox();
    let wallet = Wallet::with(&server, "GBP", 50_000);
    let mut feed = Feed::new();
    feed.drain(&client);
    let cursor = feed.cursor.clone();
    wallet.token(AUTHORIZATION, "1");
    let credit = wallet.credit("12.34");
    let found = expect_json(&changes_after(&client, &cursor, "type[]=deposit&status=complete"), 200);
    let rows = found["rows"].as_array().unwrap();
    assert_eq!((rows.len(), &rows[0]["transactionBox"]["boxTransactionId"]), (1, &credit["boxTransactionId"]));
    let next = text(&found, "/nextCursor");
    assert_eq!(expect_json(&changes_after(&client, next, "type=deposit"), 200)["rows"], json!([]));
}

#[test]
fn invalid_cursors_are_refused() {
    let (_server, client) = fresh_sandbox();
    for (cursor, query) in [("x", ""), ("1", ""), ("0.0.0", "")] {
        let answer = changes_after(&client, cursor, query);
        assert_documented("get", LIST, &answer);
        expect_fault(&answer, 400, "query.cursor", "invalid_format");
    }
    expect_fault(&changes_after(&client, "0", "offset=0"), 400, "query.offset", "invalid_value");
    expect_fault(&changes_after(&client, "", ""), 400, "query.cursor", "required");
}

#[test]
fn a_restore_ends_earlier_cursors() {
    let server = Server::sandbox();
    let (_, client) = create_world(&server, json!({"template": "demo"}));
    let before = snapshot(&client);
    let mut feed = Feed::new();
    feed.drain(&client);
    restore(&client, &before);
    let answer = changes_after(&client, &feed.cursor, "");
    assert_documented("get", LIST, &answer);
    let fault = expect_fault(&answer, 400, "query.cursor", "invalid_value");
    assert!(fault.message.contains("cursor=0"), "{}", fault.message);
    let mut feed = Feed::new();
    feed.drain(&client);
    feed.must_equal_the_list(&client);
}

/// Moves money in four steps: a hold, its clearing, a credit, and a transfer from one budget to another. Each step
/// changes a row or adds one, and the transfer adds two. Returns `None` once the server is killed.
fn move_money(client: &Client, card: &str, [from, to]: [&str; 2], key: &str) -> Option<()> {
    let send = |step: &str, path: &str, body: String| {
        let call = client.call("POST", path).header("Idempotency-Key", &format!("{key}-{step}"));
        let answer = call.json(&body).try_send().ok()?;
        assert!(matches!(answer.status, 200 | 201), "{answer:?}");
        Some(answer.json())
    };
    let held = send("hold", AUTHORIZATION, first_body(card, "0.03"))?;
    let token = text(&held, "/transaction/token");
    send("clear", CLEARING, follow_body(token, "0.02"))?;
    send("credit", CREDIT, credit_body(from, "0.07", "GBP"))?;
    let transfer = json!({"destinationBudgetId": to, "currency": "GBP", "amount": "0.01"});
    send("transfer", &format!("{BUDGETS}/{from}/transfer"), transfer.to_string())?;
    Some(())
}

#[test]
fn readers_miss_and_repeat_nothing_while_thirty_two_writers_write() {
    const WRITERS: usize = 32;
    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "GBP", 1_000_000);
    let receiver = budget(&server.client(), "Receiver");
    let active_writers = AtomicUsize::new(WRITERS);
    let feeds = together(WRITERS + 2, |number| {
        let client = server.client();
        if number < WRITERS {
            let budgets = [wallet.card.budget.as_str(), receiver.as_str()];
            for round in 0..6 {
                move_money(&client, &wallet.card.id, budgets, &format!("{number}-{round}")).unwrap();
            }
            active_writers.fetch_sub(1, Ordering::Relaxed);
            return None;
        }
        let mut feed = Feed::new();
        while active_writers.load(Ordering::Relaxed) > 0 {
            feed.read(&client, 5 + 20 * (number - WRITERS));
        }
        Some(feed)
    });
    for mut feed in feeds.into_iter().flatten() {
        feed.drain(&server.client());
        feed.must_equal_the_list(&server.client());
    }
}

#[test]
#[allow(clippy::print_stderr, reason = "shows the progress of long runs")]
fn the_feed_continues_after_kills() {
    const WRITERS: usize = 32;
    let (seed, kills) = (setting("FLORIN_TEST_SEED", 1), setting("FLORIN_KILLS", if is_sqlite() { 4 } else { 3 }));
    eprintln!("this run has FLORIN_TEST_SEED={seed} FLORIN_KILLS={kills}");
    let (mut rng, mut feed) = (Rng::with_seed(seed), Feed::new());
    let mut server = Server::on(Workspace::demo());
    let funds = demo().budget("GBP");
    let card = Wallet::with(&server, "GBP", 1_000_000).card.id;
    let receiver = budget(&server.client(), "Receiver");
    let budgets = [funds.as_str(), receiver.as_str()];
    for kill in 0..kills {
        let (client, enough) = (server.client(), rng.usize(1..40));
        let (stop, finished) = (AtomicBool::new(false), AtomicUsize::new(0));
        let workspace = thread::scope(|scope| {
            for writer in 0..WRITERS {
                let (client, card, stop, finished) = (client.clone(), &card, &stop, &finished);
                scope.spawn(move || {
                    for number in 0_usize.. {
                        let key = format!("{kill}-{writer}-{number}");
                        if move_money(&client, card, budgets, &key).is_none() || stop.load(Ordering::Relaxed) {
                            break;
                        }
                        finished.fetch_add(1, Ordering::Relaxed);
                    }
                });
            }
            let start = Instant::now();
            while finished.load(Ordering::Relaxed) < enough && start.elapsed() < MAX_WAIT {
                feed.read(&client, 7);
            }
            let workspace = server.kill();
            stop.store(true, Ordering::Relaxed);
            workspace
        });
        check_journal(&workspace);
        server = Server::on(workspace);
        feed.read(&server.client(), 7);
    }
    feed.drain(&server.client());
    feed.must_equal_the_list(&server.client());
}
