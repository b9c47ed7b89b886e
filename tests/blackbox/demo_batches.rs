//! The payment batches of the demo data: a newcomer can confirm one, and it is paid.

use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::batches::{confirm_totp, open, token_at};
use crate::support::load::check_journal;
use crate::support::payments::{alone, below, find, listed, path, payments};
use crate::support::server::LIMIT;
use crate::support::{Client, demo, expect_json};

fn wait_for(client: &Client, batch: &str, status: &str) {
    let start = Instant::now();
    while find(client, batch)["status"] != status {
        assert!(start.elapsed() < LIMIT, "the batch did not become {status}: {}", find(client, batch));
        thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn the_first_validated_batch_is_confirmed_with_the_demo_totp_and_completes() {
    let (server, client) = alone();
    let batch = demo().batch("validated");
    let check = expect_json(&client.get(&below(&batch, "validate")), 200);
    assert_eq!(check["isValid"], true, "{check}");
    let session = open(&client, &batch, "totp");
    let answer = confirm_totp(&client, &batch, &session, &token_at(0));
    assert_eq!(expect_json(&answer, 200), json!({"status": "confirmed"}));
    wait_for(&client, &batch, "completed");
    let paid = payments(&client, &batch);
    assert!(!paid.is_empty() && paid.iter().all(|payment| payment["status"] == "completed"), "{paid:?}");
    check_journal(&server.kill());
}

#[test]
fn every_demo_batch_but_the_drafts_has_the_payments_of_its_orders() {
    let (_server, client) = alone();
    for status in ["validated", "confirmed", "started", "completed", "failed", "cancelled"] {
        for batch in demo().batches(status) {
            let (found, list) = (find(&client, &batch), payments(&client, &batch));
            assert!(!list.is_empty(), "a {status} batch without payments: {found}");
            let (alerts, _) = listed(&client, &below(&batch, "alerts"), "limit=1");
            assert_eq!(alerts, Vec::<Value>::new(), "{found}");
            assert!(list.iter().all(|payment| payment["orderId"].is_string()), "{list:?}");
        }
    }
    for batch in demo().batches("draft") {
        assert_eq!(payments(&client, &batch), Vec::<Value>::new());
        let check = expect_json(&client.get(&below(&batch, "validate")), 200);
        assert_eq!((&check["isValid"], &check["paymentBatchStatus"]["isValid"]), (&json!(false), &json!(false)));
    }
}

/// The demo's open batches stay open, so that their reservations can be looked at.
#[test]
fn the_confirmed_demo_batch_is_started_and_its_money_stays_reserved() {
    let (server, client) = alone();
    for batch in [demo().batch("confirmed"), demo().batch("started")] {
        wait_for(&client, &batch, "started");
        let pending = |payment: &Value| payment["status"] == "started" || payment["status"] == "confirmed";
        assert!(payments(&client, &batch).iter().all(pending), "{}", path(&batch));
    }
    check_journal(&server.kill());
}
