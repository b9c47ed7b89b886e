//! Creates, fills and reads payment batches.

use serde_json::{Value, json};

use super::assert::text;
use super::{Answer, Client, Server, confirm_path, demo, expect_json};
use crate::support::batches::{confirm, open_session};

pub(crate) const BATCHES: &str = "/v2/payment-batches";
pub(crate) const TEMPLATE: &str = "/v2/payment-batch-template";
/// The columns that a CSV must have.
pub(crate) const HEADER: &str =
    "amount,currencyCode,recipient.name,recipient.accountIdentifier,recipient.bankIdentifier";
/// The columns that a download adds.
pub(crate) const ADDED: [&str; 3] = ["status", "errors", "warnings"];

/// Returns the path of a batch.
pub(crate) fn path(batch: &str) -> String {
    format!("{BATCHES}/{batch}")
}

/// Returns a path below a batch.
pub(crate) fn below(batch: &str, what: &str) -> String {
    format!("{BATCHES}/{batch}/{what}")
}

/// Starts a sandbox for a single test, and returns its client.
pub(crate) fn fresh_sandbox() -> (Server, Client) {
    let server = Server::sandbox();
    let client = server.client();
    (server, client)
}

/// Creates an empty batch.
pub(crate) fn create(client: &Client, name: &str) -> String {
    let body = json!({"name": name}).to_string();
    text(&expect_json(&client.post(BATCHES, body), 201), "/id").to_owned()
}

pub(crate) fn find(client: &Client, batch: &str) -> Value {
    expect_json(&client.get(&path(batch)), 200)
}

/// Returns a valid payment in pounds. Its account number is valid for the sort code.
pub(crate) fn pounds(amount: &str, reference: &str) -> Value {
    json!({"amount": amount, "currencyCode": "GBP", "reference": reference, "recipient": {
        "name": "Ada Lovelace", "type": "individual", "accountIdentifier": "66374958", "bankIdentifier": "089999"}})
}

/// Returns a valid payment in euros.
pub(crate) fn euros(amount: &str, reference: &str) -> Value {
    json!({"amount": amount, "currencyCode": "EUR", "reference": reference, "fundingBudgetId": demo().budget("EUR"),
        "recipient": {"name": "Heinrich Heine", "type": "individual", "accountIdentifier": "DE89370400440532013000"}})
}

/// Returns the body of an upload of rows that the budget in pounds funds.
pub(crate) fn rows(rows: &[Value]) -> String {
    json!({"defaultFundingBudgetId": demo().budget("GBP"), "rows": rows}).to_string()
}

pub(crate) fn upload(client: &Client, batch: &str, body: impl AsRef<[u8]>) -> Answer {
    client.post(&below(batch, "payments"), body)
}

/// Uploads rows, expects success, and returns the status of the upload.
pub(crate) fn uploaded(client: &Client, batch: &str, body: impl AsRef<[u8]>) -> String {
    text(&expect_json(&upload(client, batch, body), 202), "/status").to_owned()
}

/// Uploads a CSV that the budget in pounds funds.
pub(crate) fn upload_csv(client: &Client, batch: &str, csv: impl AsRef<[u8]>) -> Answer {
    let query = format!("accountId={}&defaultFundingBudgetId={}", client.account, demo().budget("GBP"));
    let target = format!("{}?{query}", below(batch, "payments"));
    client.call("POST", &target).header("Content-Type", "text/csv; charset=utf-8").bytes(csv).send()
}

/// Creates a batch with these payments, which must be valid.
pub(crate) fn filled(client: &Client, payments: &[Value]) -> String {
    let batch = create(client, "Filled");
    assert_eq!(uploaded(client, &batch, rows(payments)), "validated", "{}", find(client, &batch)["alerts"]);
    batch
}

/// Returns the rows of a list, and the total count.
pub(crate) fn listed(client: &Client, path: &str, query: &str) -> (Vec<Value>, i64) {
    let target = format!("{path}?accountId={}&{query}", client.account);
    let mut list = expect_json(&client.get(&target), 200);
    let count = list["count"].as_i64().unwrap();
    (serde_json::from_value(list["rows"].take()).unwrap(), count)
}

/// Returns all payments of a batch by input index.
pub(crate) fn payments(client: &Client, batch: &str) -> Vec<Value> {
    listed(client, &below(batch, "payments"), "sort=asc&limit=1000").0
}

/// Returns the row and the code of the first thousand alerts, in the order of the rows.
pub(crate) fn alerts(client: &Client, batch: &str) -> Vec<(Option<i64>, String)> {
    let (rows, _) = listed(client, &below(batch, "alerts"), "sort=asc&limit=1000");
    rows.iter().map(|alert| (alert["inputIndex"].as_i64(), text(alert, "/code").to_owned())).collect()
}

/// Downloads the payments as CSV.
pub(crate) fn download(client: &Client, batch: &str) -> String {
    let answer = client.call("POST", &below(batch, "payments/download")).send();
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.text()
}

/// Confirms a batch with the sandbox's provider, and expects success.
pub(crate) fn confirmed(client: &Client, batch: &str) {
    let session = open_session(client, batch);
    let answer = confirm(client, batch, &session, "000000");
    assert_eq!(expect_json(&answer, 200), json!({"status": "confirmed"}), "{}", confirm_path(batch));
}
