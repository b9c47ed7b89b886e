//! Processing of confirmed batches: every outcome that a reference can select, and its effect on the books.

use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::load::check_journal;
use crate::support::payments::{confirmed, euros, filled, find, fresh_sandbox, path, payments, pounds};
use crate::support::server::MAX_WAIT;
use crate::support::{Client, Server, Wallet, expect_fault};

/// Waits until a batch meets a condition, and returns its payments.
fn until(client: &Client, batch: &str, expected: impl Fn(&Value, &[Value]) -> bool) -> Vec<Value> {
    let start = Instant::now();
    loop {
        let (found, list) = (find(client, batch), payments(client, batch));
        if expected(&found, &list) {
            return list;
        }
        assert!(start.elapsed() < MAX_WAIT, "the condition was not met in time: {found} {list:?}");
        thread::sleep(Duration::from_millis(50));
    }
}

/// Waits until a batch has this final status, and returns its payments by input index.
fn ended(client: &Client, batch: &str, status: &str) -> Vec<Value> {
    until(client, batch, |found, _| found["status"] == status)
}

/// Returns the status and the failure reason of each payment. Without a failure, the reason is empty.
fn outcomes(list: &[Value]) -> Vec<(&str, &str)> {
    let text = |value: &Value| value.as_str().map_or("", |text| text).to_owned();
    let pairs = list.iter().map(|payment| (text(&payment["status"]), text(&payment["failureReason"])));
    pairs.map(|(status, reason)| (&*status.leak(), &*reason.leak())).collect()
}

#[test]
fn every_reference_has_its_outcome() {
    let (server, client) = fresh_sandbox();
    let wallet = Wallet::with(&server, "GBP", 100_000);
    let references =
        ["Invoice 1", "SBX-FAIL-CLOSED", "SBX-FAIL-ACCOUNT", "SBX-FAIL-NAME", "SBX-FAIL-REJECTED", "SBX-FAIL-BLOCKED"];
    let rows: Vec<_> = references.iter().map(|reference| pounds("10", reference)).collect();
    let batch = filled(&client, &rows);
    confirmed(&client, &batch);
    let list = ended(&client, &batch, "completed");
    let expected = [
        ("completed", ""),
        ("failed", "account_closed"),
        ("failed", "account_not_found"),
        ("failed", "name_mismatch"),
        ("failed", "rejected_by_bank"),
        ("failed", "compliance"),
    ];
    assert_eq!(outcomes(&list), expected);
    assert!(find(&client, &batch)["ordersSentAt"].is_string());
    let balance = wallet.balance();
    assert_eq!(balance.available, 100_000 - 1_000, "what failed is available again");
    check_journal(&server.kill());
}

#[test]
fn a_batch_fails_when_no_payment_succeeds() {
    let (server, client) = fresh_sandbox();
    let wallet = Wallet::with(&server, "GBP", 50_000);
    let before = wallet.balance();
    let batch = filled(&client, &[pounds("10", "SBX-FAIL-NAME"), pounds("20", "SBX-FAIL-CLOSED")]);
    confirmed(&client, &batch);
    ended(&client, &batch, "failed");
    assert_eq!(wallet.balance(), before);
    expect_fault(&client.call("DELETE", &path(&batch)).send(), 409, "path.paymentBatchId", "invalid_state");
    check_journal(&server.kill());
}

#[test]
fn a_returned_payment_restores_the_amount_but_not_the_fee() {
    let (server, client) = fresh_sandbox();
    let wallet = Wallet::with(&server, "EUR", 100_000);
    let mut row = euros("30", "SBX-RETURN");
    row["recipient"]["paymentNetwork"] = json!("SWIFT");
    row["recipient"]["bankIdentifier"] = json!("COBADEFFXXX");
    row["recipient"]["address"] = json!({"countryCode": "DE"});
    let batch = filled(&client, &[row]);
    confirmed(&client, &batch);
    let list = until(&client, &batch, |_, list| list[0]["status"] == "returned");
    assert_eq!(list[0]["fees"], "5.00");
    assert_eq!(find(&client, &batch)["status"], "completed", "the batch stays completed after the return");
    let balance = wallet.balance();
    assert_eq!(balance.available, 100_000 - 500);
    check_journal(&server.kill());
}

#[test]
fn slow_payments_complete_later_and_pending_ones_stay_open() {
    let (server, client) = fresh_sandbox();
    let wallet = Wallet::with(&server, "GBP", 50_000);
    let batch = filled(&client, &[pounds("10", "SBX-PENDING"), pounds("20", "SBX-SLOW"), pounds("30", "now")]);
    confirmed(&client, &batch);
    let list = until(&client, &batch, |_, list| list[2]["status"] == "completed");
    assert_eq!((&list[0]["status"], &list[1]["status"]), (&json!("started"), &json!("started")));
    let list = until(&client, &batch, |_, list| list[1]["status"] == "completed");
    assert_eq!(list[0]["status"], "started");
    assert_eq!(find(&client, &batch)["status"], "started", "one payment is open");
    let balance = wallet.balance();
    assert_eq!((balance.available, balance.ledger - wallet.reserved), (50_000 - 6_000, 50_000 - 5_000));
    expect_fault(&client.call("DELETE", &path(&batch)).send(), 409, "path.paymentBatchId", "invalid_state");
    check_journal(&server.kill());
}

#[test]
fn each_payment_is_paid_once_although_the_server_is_killed() {
    let mut server = Server::sandbox();
    let wallet = Wallet::with(&server, "GBP", 10_000_000);
    let before = wallet.balance();
    let rows: Vec<_> = (0..400)
        .map(|number| pounds(&format!("{}.01", number + 1), if number % 7 == 3 { "SBX-FAIL-NAME" } else { "Salary" }))
        .collect();
    let paid: i64 = (0..400).filter(|number| number % 7 != 3).map(|number| (number + 1) * 100 + 1).sum();
    let batch = filled(&server.client(), &rows);
    confirmed(&server.client(), &batch);
    for pause in [260, 30, 300, 120] {
        thread::sleep(Duration::from_millis(pause));
        let workspace = server.kill();
        check_journal(&workspace);
        server = Server::on(workspace);
    }
    let client = server.client();
    let list = ended(&client, &batch, "completed");
    let failed = list.iter().filter(|payment| payment["status"] == "failed").count();
    assert_eq!((list.len(), failed), (400, 57));
    let wallet = Wallet { client, ..wallet };
    let after = wallet.balance();
    assert_eq!((before.available - after.available, before.ledger - after.ledger), (paid, paid));
    let workspace = server.kill();
    check_journal(&workspace);
}
