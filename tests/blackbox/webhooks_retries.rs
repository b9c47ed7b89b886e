//! Retries of deliveries, and the log that shows them.

use chrono::TimeDelta;
use serde_json::{Value, json};

use crate::support::assert::{text, time};
use crate::support::receiver::{Receiver, attempts, deliveries, status, wait_for_delivery, webhook_path};
use crate::support::wallet::pay;
use crate::support::worlds::{clock, frozen_world, set_clock};
use crate::support::{Server, Workspace, expect_fault, expect_json};

#[test]
fn the_original_schedule_retries_every_five_minutes() {
    let server = Server::on(Workspace::demo().set("FLORIN_WEBHOOK_RETRIES", "original"));
    let client = frozen_world(&server);
    let receiver = Receiver::start();
    receiver.answer(500, "");
    let webhook = receiver.subscribe(&client, "CardTransaction", &json!({}));
    pay(&client, "10");
    for (count, next) in [(1, "2026-09-01T12:05:00Z"), (2, "2026-09-01T12:10:00Z"), (3, "2026-09-01T12:15:00Z")] {
        let failed = wait_for_delivery(&client, &webhook, |delivery| attempts(delivery) == count);
        assert_eq!(text(&failed, "/nextAttemptAt"), next);
        set_clock(&client, json!({"advanceBy": "PT5M"}));
    }
}

/// Each retry is due after its delay, plus or minus a fifth. The tenth attempt is the last one.
#[test]
fn ten_attempts_exhaust_a_delivery() {
    let server = Server::sandbox();
    let client = frozen_world(&server);
    let receiver = Receiver::start();
    receiver.answer(500, "");
    let webhook = receiver.subscribe(&client, "CardTransaction", &json!({}));
    pay(&client, "10");
    for (count, delay) in (1..).zip([5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]) {
        let failed = wait_for_delivery(&client, &webhook, |delivery| attempts(delivery) == count);
        assert_eq!(failed["status"], "failed", "{failed}");
        let next = time(&failed["nextAttemptAt"]);
        // The API shows whole seconds.
        let waits = (next - time(&clock(&client)["now"])).num_seconds();
        assert!((delay * 4 / 5 - 1..=delay * 6 / 5).contains(&waits), "{waits} s after attempt {count}");
        let due = next + TimeDelta::seconds(1);
        set_clock(&client, json!({"freezeAt": due.format("%Y-%m-%dT%H:%M:%SZ").to_string()}));
    }
    let exhausted = wait_for_delivery(&client, &webhook, status("exhausted"));
    assert_eq!((attempts(&exhausted), &exhausted["nextAttemptAt"]), (10, &Value::Null), "{exhausted}");
    assert_eq!(expect_json(&client.get(&webhook_path(&webhook, "")), 200)["enabled"], true);
    receiver.answer(200, "");
    set_clock(&client, json!({"advanceBy": "P1D"}));
    pay(&client, "11");
    wait_for_delivery(&client, &webhook, status("delivered"));
    assert_eq!(receiver.arrived().len(), 11);
}

/// `Retry-After` only postpones the next attempt, by at most a day. An invalid value has no effect.
#[test]
fn a_receiver_postpones_the_next_attempt() {
    let server = Server::sandbox();
    let receiver = Receiver::start();
    for (value, from, to) in [
        ("3600", "2026-09-01T13:00:00Z", "2026-09-01T13:00:00Z"),
        ("999999999", "2026-09-02T12:00:00Z", "2026-09-02T12:00:00Z"),
        ("0", "2026-09-01T12:00:03Z", "2026-09-01T12:00:06Z"),
        ("soon", "2026-09-01T12:00:03Z", "2026-09-01T12:00:06Z"),
    ] {
        let client = frozen_world(&server);
        receiver.answer(503, &format!("Retry-After: {value}\r\n"));
        let webhook = receiver.subscribe(&client, "CardTransaction", &json!({}));
        pay(&client, "10");
        let failed = wait_for_delivery(&client, &webhook, status("failed"));
        assert!((from..=to).contains(&text(&failed, "/nextAttemptAt")), "{value}: {failed}");
    }
}

/// The clock advances although the receiver of a retry does not answer. If the call waited for the attempt, it would
/// return after the attempt has timed out, and the log would contain the attempt.
#[test]
fn a_change_of_the_clock_waits_for_no_receiver() {
    let server = Server::sandbox();
    let client = frozen_world(&server);
    let receiver = Receiver::start();
    receiver.answer(500, "");
    let webhook = receiver.subscribe(&client, "CardTransaction", &json!({}));
    pay(&client, "10");
    wait_for_delivery(&client, &webhook, status("failed"));
    receiver.hang(true);
    set_clock(&client, json!({"advanceBy": "P1D"}));
    assert_eq!(attempts(&deliveries(&client, &webhook)[0]), 1);
    receiver.wait_for(2);
    set_clock(&client, json!({"advanceBy": "PT1S"}));
    assert_eq!(attempts(&deliveries(&client, &webhook)[0]), 1);
    receiver.answer(200, "");
    receiver.hang(false);
    wait_for_delivery(&client, &webhook, |delivery| attempts(delivery) == 2);
}

#[test]
fn the_log_is_filtered_and_paged() {
    let server = Server::sandbox();
    let client = frozen_world(&server);
    let receiver = Receiver::start();
    let webhook = receiver.subscribe(&client, "CardTransaction", &json!({}));
    for (amount, answer_status, expected) in [("1", 200, "delivered"), ("2", 200, "delivered"), ("3", 500, "failed")] {
        receiver.answer(answer_status, "");
        pay(&client, amount);
        let is_done = |delivery: &Value| {
            delivery["status"] == expected && deliveries(&client, &webhook).len().to_string() == amount
        };
        wait_for_delivery(&client, &webhook, is_done);
        if amount != "3" {
            set_clock(&client, json!({"advanceBy": "PT1H"}));
        }
    }
    let all = deliveries(&client, &webhook);
    let read = |query: &str| client.get(&format!("{}{query}", webhook_path(&webhook, "/deliveries")));
    let message = format!("messageId={}", text(&all[1], "/messageId"));
    for (query, expected) in [
        ("", &all[..]),
        ("status=delivered", &all[1..]),
        ("status=failed", &all[..1]),
        ("status=exhausted", &all[..0]),
        (&message, &all[1..2]),
        ("from=2026-09-01T13:00:00Z", &all[..2]),
        ("from=2026-09-01T13:00:01Z", &all[..1]),
        ("to=2026-09-01T13:00:00Z", &all[1..]),
        ("to=2026-09-01T12:59:59Z", &all[2..]),
        ("status=delivered&from=2026-09-01T13:00:00Z", &all[1..2]),
    ] {
        let found = expect_json(&read(query), 200);
        assert_eq!((&found["count"], &found["rows"]), (&json!(expected.len()), &json!(expected)), "{query}");
    }
    let page = expect_json(&read("limit=1&offset=1"), 200);
    assert_eq!((&page["count"], &page["rows"]), (&json!(3), &json!(all[1..2])));
    for (query, path, code) in [
        ("status=x", "query.status", "invalid_value"),
        ("messageId=x", "query.messageId", "invalid_format"),
        ("from=x", "query.from", "invalid_format"),
        ("to=x", "query.to", "invalid_format"),
    ] {
        expect_fault(&read(query), 400, path, code);
    }
}
