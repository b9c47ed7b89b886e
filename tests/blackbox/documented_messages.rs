//! Plays the rows of the tables of card messages in the documentation, exact to the last digit.

use serde_json::{Map, Value, json};

use crate::events::events;
use crate::openapi::assert_documented;
use crate::support::assert::{expect_invariants, text};
use crate::support::management::CARDS;
use crate::support::wallet::transaction;
use crate::support::worlds::set_clock;
use crate::support::{Answer, Server, Wallet, chain_path, expect_json};

pub(crate) const SIMULATIONS: &str = "/v2/cards/simulations/";

/// A row of a table.
pub(crate) struct Row {
    pub(crate) name: String,
    /// The path of the message. If it is empty, no message is sent, and the clock advances until the hold expires.
    pub(crate) path: String,
    /// The items of the body.
    pub(crate) body: Vec<String>,
    /// The paths of the messages that are played before.
    pub(crate) after: Vec<String>,
    /// Type, state, ledger balance, available balance and impacted amount.
    pub(crate) expected: [String; 5],
    /// Type and status of the row in the activity.
    pub(crate) activity: String,
}

fn cells(line: &str) -> Vec<String> {
    let line = line.trim_matches('|').replace("\\|", "/");
    line.split('|').map(|cell| cell.trim().replace('`', "")).collect()
}

fn list(cell: &str) -> Vec<String> {
    cell.split(", ").filter(|item| !item.is_empty()).map(str::to_owned).collect()
}

/// Reads the first table of a page after this text.
pub(crate) fn rows(page: &str, heading: &str) -> Vec<Row> {
    let table = page.split(heading).nth(1).unwrap().split("\n- ").next().unwrap();
    let lines = table.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| Message"));
    let path = |name: &String| if name.is_empty() { String::new() } else { format!("{SIMULATIONS}{name}") };
    let row = |line: &str| {
        let cells = cells(line);
        assert_eq!(cells.len(), 10, "{line}");
        Row {
            name: cells[0].clone(),
            path: path(&cells[1]),
            body: list(&cells[2]),
            after: list(&cells[3]).iter().map(path).collect(),
            expected: [4, 5, 6, 7, 8].map(|place: usize| cells[place].clone()),
            activity: cells[9].clone(),
        }
    };
    lines.map(row).collect()
}

/// Returns the security code of the wallet's card, or a wrong one.
fn security_code(wallet: &Wallet, which: &str) -> String {
    let details = expect_json(&wallet.client.get(&format!("{CARDS}/{}/details", wallet.card.id)), 200);
    let right = text(&details, "/securityCode").to_owned();
    match which {
        "right" => right,
        "wrong" => if right == "111" { "222" } else { "111" }.to_owned(),
        other => panic!("the security code must be right or wrong (got {other})"),
    }
}

/// Builds a body from the items of its cell.
pub(crate) fn body(wallet: &Wallet, items: &[String], token: Option<&str>) -> String {
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
            ("security code", which) => {
                let sent = json!({"securityCode": security_code(wallet, which)});
                body.insert("cardholder".to_owned(), sent);
            }
            (name, value) => drop(body.insert(name.to_owned(), serde_json::from_str::<Value>(value).unwrap())),
        }
    }
    Value::Object(body).to_string()
}

/// The result of the messages that were played before a row.
pub(crate) struct PrecedingMessages {
    /// The token of the first message.
    pub(crate) token: Option<String>,
    /// The id of the dispute of the last message.
    dispute: Option<String>,
}

impl PrecedingMessages {
    /// Replaces `{id}` in a path with the id of the dispute.
    pub(crate) fn with_dispute(&self, path: &str) -> String {
        path.replace("{id}", self.dispute.as_deref().unwrap_or("{id}"))
    }
}

/// Returns the record in the response to a message, or to an operation that moves the money of a dispute.
fn message(answer: &Answer) -> Value {
    expect_json(answer, 201)["transaction"].take()
}

/// Plays the messages of the column "After".
pub(crate) fn play_preceding(wallet: &Wallet, row: &Row) -> PrecedingMessages {
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
    let mut before = PrecedingMessages { token, dispute: None };
    for path in after {
        if *path == format!("{SIMULATIONS}disputes") {
            let opened = wallet.client.post(path, json!({"transactionToken": last, "reason": "FRAUD"}).to_string());
            assert_documented("post", path, &opened);
            before.dispute = Some(text(&expect_json(&opened, 201), "/id").to_owned());
        } else if path.contains("{id}") {
            message(&wallet.client.post(&before.with_dispute(path), "{}"));
        } else {
            let followed = wallet.follow_ok(path, before.token.as_deref().unwrap(), "10");
            last = Some(text(&followed, "/token").to_owned());
        }
    }
    before
}

/// Plays a row, and returns the record of its message.
fn play(wallet: &Wallet, row: &Row) -> Value {
    let before = play_preceding(wallet, row);
    if row.path.is_empty() {
        return expired(wallet, before.token.as_deref().unwrap());
    }
    let answer = wallet.client.post(&before.with_dispute(&row.path), body(wallet, &row.body, before.token.as_deref()));
    assert_documented("post", &row.path.replace("{id}", "{disputeId}"), &answer);
    message(&answer)
}

/// Starts a server on which the holds of the demo data have expired, so that only the hold of a row expires later.
fn server_without_holds() -> Server {
    let server = Server::sandbox();
    set_clock(&server.client(), json!({"freeze": true}));
    set_clock(&server.client(), json!({"advanceBy": "P8D"}));
    server
}

/// Advances the clock until the hold of a chain has expired, and returns the last message of the chain.
fn expired(wallet: &Wallet, token: &str) -> Value {
    set_clock(&wallet.client, json!({"advanceBy": "P7D"}));
    let chain = expect_json(&wallet.client.get(&chain_path(token)), 200);
    chain["messages"].as_array().unwrap().last().unwrap()["transaction"].clone()
}

/// Plays every row in GBP, JPY and EUR, with 250 units of available balance before each row. Checks the record, the
/// balance, the activity and the event of each message.
pub(crate) fn play_in_three_currencies(rows: &[Row]) {
    for currency in ["GBP", "JPY", "EUR"] {
        let server = Server::sandbox();
        let unit = if currency == "JPY" { 1 } else { 100 };
        for row in rows {
            let own = row.path.is_empty().then(server_without_holds);
            let wallet = Wallet::with(own.as_ref().unwrap_or(&server), currency, 250 * unit);
            let shown = play(&wallet, row);
            let context = format!("{currency} {}", row.name);
            let [kind, state, ledger, available, impacted] = &row.expected;
            let found = ["/type", "/state", "/gpa/ledgerBalance", "/gpa/availableBalance", "/gpa/impactedAmount"]
                .map(|place| text(&shown, place));
            let money = |units: &String| wallet.format_amount(units.parse::<i64>().unwrap() * unit);
            let ledger = wallet.format_ledger(ledger.parse::<i64>().unwrap() * unit);
            assert_eq!(found, [kind, state, &ledger, &money(available), &money(impacted)], "{context}");
            assert_eq!(wallet.balance(), wallet.balance_in(&shown), "{context}");
            let token = text(&shown, "/token").to_owned();
            let path = format!("/v2/activity/transaction/{token}?accountId={}", wallet.client.account);
            let activity = expect_json(&wallet.client.get(&path), 200);
            let found = format!("{} {}", text(&activity, "/type"), text(&activity, "/status"));
            assert_eq!(found, row.activity, "{context}");
            let mut known = events(&wallet.client, "types=CardTransaction").into_iter();
            assert!(known.any(|event| event["transaction"]["token"] == token.as_str()), "no event of {context}");
        }
        expect_invariants(&server.client());
    }
}
