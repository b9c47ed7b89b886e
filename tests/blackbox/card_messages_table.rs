//! The table of messages in docs/CARD-EXTENSIONS.md, each row played in three currencies, exact to the last digit.

use serde_json::{Map, Value, json};

use crate::openapi::truthful;
use crate::support::assert::text;
use crate::support::wallet::transaction;
use crate::support::{Answer, Server, Wallet, expect_fault, expect_faults, expect_json};

const SIMULATIONS: &str = "/v2/cards/simulations/";

/// A row of the table.
struct Row {
    path: String,
    body: Vec<String>,
    after: Vec<String>,
    expected: [String; 5],
}

fn cells(line: &str) -> Vec<String> {
    let line = line.trim_matches('|').replace("\\|", "/");
    line.split('|').map(|cell| cell.trim().replace('`', "")).collect()
}

fn list(cell: &str) -> Vec<String> {
    cell.split(", ").filter(|item| !item.is_empty()).map(str::to_owned).collect()
}

fn rows() -> Vec<Row> {
    let page = include_str!("../../docs/CARD-EXTENSIONS.md");
    let table = page.split("## What each message does").nth(1).unwrap().split("\n- ").next().unwrap();
    let lines = table.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| Message"));
    let row = |line: &str| {
        let cells = cells(line);
        assert_eq!(cells.len(), 9, "{line}");
        Row {
            path: format!("{SIMULATIONS}{}", cells[1]),
            body: list(&cells[2]),
            after: list(&cells[3]).iter().map(|path| format!("{SIMULATIONS}{path}")).collect(),
            expected: [4, 5, 6, 7, 8].map(|place: usize| cells[place].clone()),
        }
    };
    lines.map(row).collect()
}

/// Builds a body from the items of its cell.
fn body(wallet: &Wallet, items: &[String], token: Option<&str>) -> String {
    let mut body = Map::new();
    for item in items {
        match item.split_once(": ").unwrap_or((item, "")) {
            ("card", _) => {
                body.insert("cardId".to_owned(), json!(wallet.card.id));
                body.insert("network".to_owned(), json!("VISA"));
                body.insert("cardAcceptor".to_owned(), json!({"mid": "11111"}));
            }
            ("cardId", _) => drop(body.insert("cardId".to_owned(), json!(wallet.card.id))),
            ("token", _) => drop(body.insert("precedingRelatedTransactionToken".to_owned(), json!(token.unwrap()))),
            ("amount", "") => drop(body.insert("amount".to_owned(), json!(10))),
            (name, value) => drop(body.insert(name.to_owned(), serde_json::from_str::<Value>(value).unwrap())),
        }
    }
    Value::Object(body).to_string()
}

/// The result of the messages that were played before a row.
struct Before {
    /// The token of the first message.
    token: Option<String>,
    /// The id of the dispute of the last message.
    dispute: Option<String>,
}

impl Before {
    /// Replaces `{id}` in a path with the id of the dispute.
    fn named(&self, path: &str) -> String {
        path.replace("{id}", self.dispute.as_deref().unwrap_or("{id}"))
    }
}

/// Returns the record in the response to a message, or to an operation that moves the money of a dispute.
fn message(answer: &Answer) -> Value {
    expect_json(answer, 201)["transaction"].take()
}

/// Plays the messages of the column "After".
fn before(wallet: &Wallet, row: &Row) -> Before {
    let mut after = row.after.iter();
    let token = after.next().map(|first| match first.strip_suffix(" with cash back") {
        Some(path) => {
            let items = ["card", "amount", "cashBackAmount: 4"].map(str::to_owned);
            let held = transaction(&wallet.client.post(path, body(wallet, &items, None)));
            text(&held, "/token").to_owned()
        }
        None => wallet.token(first, "10"),
    });
    let mut last = token.clone();
    let mut before = Before { token, dispute: None };
    for path in after {
        if *path == format!("{SIMULATIONS}disputes") {
            let opened = wallet.client.post(path, json!({"transactionToken": last, "reason": "FRAUD"}).to_string());
            truthful("post", path, &opened);
            before.dispute = Some(text(&expect_json(&opened, 201), "/id").to_owned());
        } else if path.contains("{id}") {
            message(&wallet.client.post(&before.named(path), "{}"));
        } else {
            let followed = wallet.follow_ok(path, before.token.as_deref().unwrap(), "10");
            last = Some(text(&followed, "/token").to_owned());
        }
    }
    before
}

fn play(wallet: &Wallet, row: &Row) -> Value {
    let before = before(wallet, row);
    let answer = wallet.client.post(&before.named(&row.path), body(wallet, &row.body, before.token.as_deref()));
    truthful("post", &row.path.replace("{id}", "{disputeId}"), &answer);
    message(&answer)
}

#[test]
fn every_row_in_three_currencies() {
    let rows = rows();
    assert_eq!(rows.len(), 22);
    for currency in ["GBP", "JPY", "EUR"] {
        let server = Server::sandbox();
        let unit = if currency == "JPY" { 1 } else { 100 };
        for row in &rows {
            let wallet = Wallet::with(&server, currency, 250 * unit);
            let shown = play(&wallet, row);
            let [kind, state, ledger, available, impacted] = &row.expected;
            let found = ["/type", "/state", "/gpa/ledgerBalance", "/gpa/availableBalance", "/gpa/impactedAmount"]
                .map(|place| text(&shown, place));
            let money = |units: &String| wallet.written(units.parse::<i64>().unwrap() * unit);
            let ledger = wallet.ledger(ledger.parse::<i64>().unwrap() * unit);
            assert_eq!(found, [kind, state, &ledger, &money(available), &money(impacted)], "{currency} {}", row.path);
            assert_eq!(wallet.balance(), wallet.balance_in(&shown), "{currency} {}", row.path);
        }
        let books = expect_json(&server.client().get("/v2/sandbox/invariants"), 200);
        assert_eq!(books["verdict"], "holds", "{books}");
    }
}

#[test]
fn a_dry_run_of_each_message_changes_nothing() {
    let server = Server::sandbox();
    for row in rows() {
        let wallet = Wallet::with(&server, "GBP", 25_000);
        let before = before(&wallet, &row);
        let balance = wallet.balance();
        let path = format!("{}?accountId={}&dryRun=true", before.named(&row.path), wallet.client.account);
        let answer = wallet.client.post(&path, body(&wallet, &row.body, before.token.as_deref()));
        let previewed = expect_json(&answer, 201);
        assert_eq!(previewed["transaction"]["type"], row.expected[0], "{path}");
        assert!(previewed["dryRun"].is_object(), "{path} {previewed}");
        assert_eq!(wallet.balance(), balance, "{path}");
        if let Some(token) = before.token {
            let chain = format!("{SIMULATIONS}transactions/{token}");
            let messages = expect_json(&wallet.client.get(&chain), 200)["messages"].as_array().unwrap().len();
            let of_chain = row.after.iter().filter(|path| !path.contains("/disputes")).count();
            assert_eq!(messages, of_chain, "{path}");
        }
    }
}

#[test]
fn a_clearing_names_an_authorization_or_a_card() {
    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "GBP", 25_000);
    let token = wallet.token(&format!("{SIMULATIONS}transaction/authorization"), "10");
    let path = format!("{SIMULATIONS}transaction/authorization/clearing");
    let send = |items: &[&str]| {
        let items: Vec<_> = items.iter().map(|item| (*item).to_owned()).collect();
        wallet.client.post(&path, body(&wallet, &items, Some(&token)))
    };
    expect_fault(&send(&["amount"]), 400, "body.precedingRelatedTransactionToken", "required");
    expect_fault(&send(&["card", "token", "amount", "forcePost: true"]), 400, "body.cardId", "invalid_value");
    expect_fault(&send(&["card", "amount"]), 400, "body.forcePost", "invalid_value");
    let bare = [("body.network", "required"), ("body.cardAcceptor", "required")];
    expect_faults(&send(&["cardId", "amount", "forcePost: true"]), 400, &bare);
    let with_card_members = [("body.network", "invalid_value"), ("body.finalClearing", "invalid_value")];
    let items = ["token", "amount", "forcePost: true", "finalClearing: true", r#"network: "VISA""#];
    expect_faults(&send(&items), 400, &with_card_members);
    assert_eq!(wallet.balance().available, 24_000);
}

#[test]
fn what_is_returned_is_at_most_what_is_left() {
    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "GBP", 25_000);
    for first in ["debit", "refund"] {
        let token = wallet.token(&format!("{SIMULATIONS}{first}"), "10");
        let reversal = format!("{SIMULATIONS}{first}/reversal");
        wallet.follow_ok(&reversal, &token, "7.50");
        let too_much = wallet.follow(&reversal, &token, "2.51");
        expect_fault(&too_much, 409, "body.amount", "amount_exceeds_authorization");
        wallet.follow_ok(&reversal, &token, "2.50");
        let nothing_left = wallet.follow(&reversal, &token, "0.01");
        expect_fault(&nothing_left, 409, "body.precedingRelatedTransactionToken", "already_reversed");
        let other = if first == "debit" { "refund" } else { "debit" };
        let wrong = wallet.follow(&format!("{SIMULATIONS}{other}/reversal"), &token, "1");
        expect_fault(&wrong, 409, "body.precedingRelatedTransactionToken", "wrong_transaction_kind");
    }
    assert_eq!(wallet.balance().available, 25_000);
}

#[test]
fn cash_and_fee_type_are_shown() {
    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "GBP", 25_000);
    let send = |path: &str, items: &[&str]| {
        let items: Vec<_> = items.iter().map(|item| (*item).to_owned()).collect();
        wallet.client.post(&format!("{SIMULATIONS}{path}"), body(&wallet, &items, None))
    };
    let held = transaction(&send("transaction/authorization", &["card", "amount", "cashBackAmount: 4.5"]));
    assert_eq!(held["cashBackAmount"], "4.50");
    let clearing = format!("{SIMULATIONS}transaction/authorization/clearing");
    let cleared = wallet.follow_ok(&clearing, text(&held, "/token"), "10");
    assert_eq!(cleared["type"], "authorization.clearing.cashback");
    let fee = transaction(&send("fee", &["cardId", "amount", r#"feeType: "cross-border""#, r#"creditDebit: "D""#]));
    assert_eq!((&fee["feeType"], &fee["cardAcceptor"]["name"]), (&json!("cross-border"), &json!("Card network")));
    let too_much = send("debit", &["card", "amount", "cashBackAmount: 10.01"]);
    expect_fault(&too_much, 400, "body.cashBackAmount", "out_of_range");
    let chain = format!("{SIMULATIONS}transactions/{}", text(&fee, "/token"));
    let chain = expect_json(&wallet.client.get(&chain), 200);
    assert_eq!(chain["messages"][0]["transaction"]["feeType"], "cross-border");
}
