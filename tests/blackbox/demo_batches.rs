//! The payment batches of the demo data: a newcomer can confirm one, and it is paid.

use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::batches::{confirm, confirm_totp, open_session, open_session_with, token_at};
use crate::support::load::check_journal;
use crate::support::payments::{below, find, fresh_sandbox, listed, payments};
use crate::support::server::MAX_WAIT;
use crate::support::{Client, demo, expect_json};

fn wait_for(client: &Client, batch: &str, status: &str) {
    let start = Instant::now();
    while find(client, batch)["status"] != status {
        assert!(start.elapsed() < MAX_WAIT, "the batch did not become {status}: {}", find(client, batch));
        thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn the_first_validated_batch_is_confirmed_with_the_demo_totp_and_completes() {
    let (server, client) = fresh_sandbox();
    let batch = demo().batch("validated");
    let check = expect_json(&client.get(&below(&batch, "validate")), 200);
    assert_eq!(check["isValid"], true, "{check}");
    let session = open_session_with(&client, &batch, "totp");
    let answer = confirm_totp(&client, &batch, &session, &token_at(0));
    assert_eq!(expect_json(&answer, 200), json!({"status": "confirmed"}));
    wait_for(&client, &batch, "completed");
    let paid = payments(&client, &batch);
    assert!(!paid.is_empty() && paid.iter().all(|payment| payment["status"] == "completed"), "{paid:?}");
    check_journal(&server.kill());
}

#[test]
fn every_demo_batch_but_the_drafts_has_the_payments_of_its_orders() {
    let (_server, client) = fresh_sandbox();
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

/// Workers do not process the demo's open batches, so that demo worlds are the same in every run.
#[test]
fn open_demo_batches_stay_as_they_are() {
    let (server, client) = fresh_sandbox();
    let open_batches = [demo().batch("confirmed"), demo().batch("started")];
    let before = open_batches.each_ref().map(|batch| (find(&client, batch), payments(&client, batch)));
    // Meanwhile, another batch is processed completely.
    let batch = demo().batch("validated");
    let session = open_session(&client, &batch);
    expect_json(&confirm(&client, &batch, &session, "000000"), 200);
    wait_for(&client, &batch, "completed");
    assert_eq!(open_batches.each_ref().map(|batch| (find(&client, batch), payments(&client, batch))), before);
    check_journal(&server.kill());
}
