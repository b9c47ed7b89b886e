//! Snapshot files with rows that no store has written: each gives a 400 that names what is wrong.

use serde_json::{Value, json};

use crate::snapshot_files::{Change, IMPORTS, export, exported, import, imported, rows, with_rows};
use crate::support::logo::{png, set_logo};
use crate::support::management::{budget, funded, transfer};
use crate::support::wallet::{pay, transaction};
use crate::support::worlds::{create_world, snapshot, world_path};
use crate::support::{ABSENT, CLEARING, Client, Server, expect_fault, expect_json};

/// Imports a file that must be refused, and returns why.
fn refusal(client: &Client, what: &str, file: &str) -> String {
    let answer = import(client, file);
    assert_eq!(answer.status, 400, "{what}: {answer:?}");
    let message = expect_fault(&answer, 400, "body", "invalid_value").message;
    let reason = message.strip_prefix("cannot be imported: ");
    reason.unwrap_or_else(|| panic!("{what}: {message}")).to_owned()
}

/// Checks that the refused files have left nothing, and that the good one can still be imported.
fn expect_nothing_left(server: Server, file: &str) {
    let client = server.client();
    assert_eq!(client.get(IMPORTS).json()["count"], 0);
    create_world(&server, json!({"snapshotId": imported(&client, file)}));
    let (_, workspace) = server.stop();
    let check = workspace.run(&["check"]);
    assert!(check.status.success(), "{check:?}");
}

/// Sets a column in the first row of a table in which it is not null. If there is none, sets it in the first row.
fn set(lines: &mut [Value], table: &str, column: &str, value: &Value) {
    let is_set = |line: &Value| line["table"] == table && !line["row"][column].is_null();
    let place = lines.iter().position(is_set).or_else(|| lines.iter().position(|line| line["table"] == table));
    let place = place.unwrap_or_else(|| panic!("no row in {table}"));
    lines[place]["row"][column] = value.clone();
}

/// Returns the number of the first line that differs between two files. Does not compare their first lines.
fn changed_line(file: &str, other: &str) -> usize {
    let mut pairs = file.lines().zip(other.lines()).skip(1);
    pairs.position(|(line, other)| line != other).unwrap() + 2
}

#[test]
fn a_row_that_could_not_be_read_is_refused_with_its_line() {
    let server = Server::sandbox();
    let client = server.client();
    let (_, _, file) = exported(&server);
    let unchanged = with_rows(&file, |_| ());
    let beyond_counters = json!(1_i64 << 54);
    for (table, column, value, reason) in [
        ("timelines", "seed", json!("x".repeat(64)), "invalid digit"),
        ("timelines", "last_number", beyond_counters.clone(), "`last_number` must be from 0 to"),
        ("merchant_profiles", "primary_colour", json!("#12345x"), "`primary_colour` must be a colour"),
        ("merchant_profiles", "return_policy_url", json!("ftp://shop.example"), "`return_policy_url` must be a URL"),
        ("merchant_profiles", "permissions", json!("Magic"), "`Magic` is not a permission"),
        ("checkouts", "return_url", json!("javascript:alert(1)"), "`return_url` must be a URL"),
        ("people", "email", json!("nobody"), "`email` must be an email address"),
        ("people", "role", json!("King"), "`role`: `King` is not one of the expected names"),
        ("people", "first_name", json!("A\u{0}da"), "`first_name` must not contain the NUL character"),
        ("budgets", "controls", json!("7"), "`controls`: invalid type: integer `7`"),
        ("budgets", "features", json!("magic"), "`magic` is not a budget feature"),
        ("balances", "available_minor", json!("1"), "`available_minor`: invalid type: string"),
        ("journal_legs", "to_hash", json!("00"), "a hash of the journal has a wrong length"),
        ("journal_legs", "amount_minor", json!(0), "moves nothing"),
        ("credit_counters", "last_number", beyond_counters, "`last_number` must be from 0 to"),
        ("credit_counters", "last_number", json!(-1), "`last_number` must be from 0 to"),
        ("cards", "controls", json!("x"), "`controls`: expected value"),
        ("cards", "controls", json!(r#"{"allowed_mccs":["x"]}"#), "a control with the entry `x`"),
        ("cards", "phone", json!("7".repeat(33)), "the phone number of card"),
        ("cards", "recipient_address", json!("{"), "`recipient_address`: EOF"),
        ("card_limits", "uses", json!(1_i64 << 32), "`uses`: out of range"),
        ("card_transactions", "details", json!("{"), "`details`: EOF"),
        ("card_chains", "counted", json!("{}"), "`counted`: invalid type: map"),
        ("payment_batches", "confirmed_at", Value::Null, "which its times contradict"),
        ("payments", "input", json!("7"), "`input`: invalid type: integer `7`"),
        ("payments", "input", json!(r#"{"purpose":"\u0000"}"#), "`input` must not contain the NUL character"),
        ("payments", "started_at", Value::Null, "which its terms or times contradict"),
        ("checkout_sessions", "basket", json!("{"), "`basket`: "),
        ("merchant_payments", "bank_id", json!("x"), "is damaged"),
    ] {
        let broken = with_rows(&file, |lines| set(lines, table, column, &value));
        let what = format!("{table}.{column}: {value}");
        let (found, line) = (refusal(&client, &what, &broken), changed_line(&unchanged, &broken));
        assert!(found.starts_with(&format!("line {line}: `{table}`: ")), "{what} in line {line}: {found}");
        assert!(found.contains(reason), "{what}: {found}");
    }
    expect_nothing_left(server, &file);
}

#[test]
fn settings_and_disputes_that_could_not_be_read_are_refused() {
    const DISPUTES: &str = "/v2/cards/simulations/disputes";
    let server = Server::sandbox();
    let (_, world) = create_world(&server, json!({"seed": "file"}));
    let life = world.call("PUT", "/v2/sandbox/hold-life").json(json!({"default": "P1D", "rules": []}).to_string());
    assert_eq!(life.send().status, 200);
    let paid = pay(&world, "3");
    let cleared = json!({"precedingRelatedTransactionToken": paid["token"], "amount": 3});
    let cleared = transaction(&world.post(CLEARING, cleared.to_string()));
    let dispute = json!({"transactionToken": cleared["token"], "amount": 3, "reason": "FRAUD"});
    expect_json(&world.post(DISPUTES, dispute.to_string()), 201);
    let file = export(&world, &snapshot(&world));
    for (table, column, value, reason) in [
        ("card_settings", "hold_life", json!(r#"{"default":-1,"rules":[]}"#), "a hold that lasts -1 s"),
        ("card_settings", "hold_life", json!("{}"), "`hold_life`: missing field `default`"),
        ("disputes", "resolved_at", json!("2026-01-05T12:00:00Z"), "which its settlement or its times contradict"),
    ] {
        let broken = with_rows(&file, |lines| set(lines, table, column, &value));
        let found = refusal(&server.client(), &format!("{table}.{column}: {value}"), &broken);
        assert!(found.contains(&format!(": `{table}`: ")) && found.contains(reason), "{found}");
    }
    expect_nothing_left(server, &file);
}

/// Imports a file with each of the changes. Each is refused for its reason, and nothing is left.
fn expect_refusals(changes: &[(&str, Change, &str)]) {
    let server = Server::sandbox();
    let client = server.client();
    let (_, _, file) = exported(&server);
    for (what, change, reason) in changes {
        let found = refusal(&client, what, &with_rows(&file, *change));
        assert!(found.contains(reason), "{what}: {found}");
    }
    expect_nothing_left(server, &file);
}

#[test]
fn inconsistent_counters_budgets_and_chains_are_refused() {
    expect_refusals(&[
        (
            "no clock",
            |lines| lines.retain(|line| line["table"] != "timelines"),
            "`timelines`: must have one row (got 0)",
        ),
        (
            "no counter",
            |lines| lines.retain(|line| line["table"] != "credit_counters"),
            "`credit_counters`: must have one row (got 0)",
        ),
        (
            "no parent budget",
            |lines| {
                let parent = rows(lines, "budgets").find(|row| row["kind"] == "accountBalance").unwrap();
                parent["kind"] = "shared".into();
            },
            "has no parent budget",
        ),
        (
            "a budget below itself",
            |lines| {
                let budget = rows(lines, "budgets").find(|row| !row["parent_id"].is_null()).unwrap();
                budget["parent_id"] = budget["id"].clone();
            },
            "is below itself",
        ),
        (
            "a budget below a missing one",
            |lines| {
                let budget = rows(lines, "budgets").find(|row| !row["parent_id"].is_null()).unwrap();
                budget["parent_id"] = ABSENT.into();
            },
            "which has sub-budgets, is missing",
        ),
        (
            "a budget without balances",
            |lines| {
                let parent = rows(lines, "budgets").find(|row| row["kind"] == "accountBalance").unwrap()["id"].clone();
                lines.retain(|line| line["table"] != "balances" || line["row"]["budget_id"] != parent);
            },
            "`budgets`: the balances of budget",
        ),
        (
            "a follow-up without a first message",
            |lines| {
                let message = rows(lines, "card_transactions").find(|row| !row["preceding"].is_null()).unwrap();
                message["chain_id"] = ABSENT.into();
            },
            "has no first message",
        ),
        (
            "a first message that begins no chain",
            |lines| {
                let message = rows(lines, "card_transactions").find(|row| row["preceding"].is_null()).unwrap();
                message["kind"] = "authorization.reversal".into();
            },
            "has an invalid first message",
        ),
    ]);
}

#[test]
fn inconsistent_payments_counts_and_balances_are_refused() {
    expect_refusals(&[
        (
            "a refund of no payment",
            |lines| {
                let is_refund = |row: &&mut Value| !row["refunded_payment_id"].is_null();
                rows(lines, "merchant_payments").find(is_refund).unwrap()["refunded_payment_id"] = ABSENT.into();
            },
            " names, is missing",
        ),
        ("a wrong count of cards", |lines| count_one_more(lines, "card_counts"), "`card_counts`: a row does not agree"),
        ("a wrong count of people", |lines| count_one_more(lines, "people_counts"), "`people_counts`: a row"),
        ("a wrong count of checkouts", |lines| count_one_more(lines, "checkout_counts"), "`checkout_counts`: a row"),
        (
            "a payment that contradicts its session",
            |lines| set(lines, "merchant_payments", "merchant_reference", &json!("another")),
            "`merchant_payments`: a row does not agree",
        ),
        (
            "more money than the journal has",
            |lines| {
                let row = rows(lines, "balances").find(|row| row["available_minor"] != 0).unwrap();
                row["available_minor"] = (row["available_minor"].as_i64().unwrap() + 1).into();
            },
            "its books do not agree: `balances` is violated by the available",
        ),
        (
            "a row twice",
            |lines| {
                let place = lines.iter().position(|line| line["table"] == "cards").unwrap();
                lines.insert(place, lines[place].clone());
            },
            "can't be stored: a row with its key exists already",
        ),
    ]);
}

/// One store refuses these rows while it stores them, another one afterwards.
#[test]
fn rows_that_refer_to_missing_rows_are_refused() {
    let server = Server::sandbox();
    let client = server.client();
    let (_, _, file) = exported(&server);
    for (table, column, value) in [
        ("cards", "budget_id", json!(ABSENT)),
        ("card_transactions", "card_id", json!(ABSENT)),
        ("card_chains", "currency", json!("EUR")),
    ] {
        let what = format!("{table}.{column}: {value}");
        let found = refusal(&client, &what, &with_rows(&file, |lines| set(lines, table, column, &value)));
        let reason = "refers to a row that is not in the file";
        assert!(found.contains(&format!("`{table}`: ")) && found.ends_with(reason), "{what}: {found}");
    }
    expect_nothing_left(server, &file);
}

/// If such a file were imported, the next movement of the world would receive a number that is already used.
#[test]
fn numbers_beyond_the_last_number_are_refused() {
    let server = Server::sandbox();
    let (_, world) = create_world(&server, json!({"seed": "file"}));
    let (one, two) = (funded(&world, "One", "100.00"), budget(&world, "Two"));
    let sent = expect_json(&transfer(&world, &one, &two, "5.00"), 200);
    let last = &sent["creditBoxTransactionId"];
    let file = export(&world, &snapshot(&world));
    let beyond = json!(last.as_i64().unwrap() + 1);
    for (table, number, column) in
        [("credits", &beyond, "`number`"), ("transfers", last, "`number` + 1"), ("journal_legs", &beyond, "`number`")]
    {
        let what = format!("{table}.number: {number}");
        let found = refusal(&server.client(), &what, &with_rows(&file, |lines| set(lines, table, "number", number)));
        assert_eq!(found, format!("`{table}`: {column} exceeds `last_number` of `credit_counters`"), "{what}");
    }
    let counter = with_rows(&file, |lines| set(lines, "credit_counters", "last_number", &json!(0)));
    let found = refusal(&server.client(), "a counter of 0", &counter);
    assert!(found.ends_with("`number` exceeds `last_number` of `credit_counters`"), "{found}");
    expect_nothing_left(server, &file);
}

/// The ids of logos are unique in the store, and a file can name any of them.
#[test]
fn a_file_can_name_the_logo_of_another_world() {
    let server = Server::sandbox();
    let (_, expected) = create_world(&server, json!({"seed": "expected"}));
    assert_eq!(expected.call("DELETE", &world_path(&expected.account)).send().status, 204);
    let (_, world) = create_world(&server, json!({}));
    let logo = expect_json(&set_logo(&world, &png()), 200)["logoUrl"].take();
    let file = with_rows(&export(&world, &snapshot(&world)), |lines| {
        set(lines, "merchant_logos", "account_id", &json!(expected.account));
    });
    let import = imported(&server.client(), &file);
    let (_, copy) = create_world(&server, json!({"snapshotId": import, "seed": "expected"}));
    assert_eq!(copy.account, expected.account);
    let copied = expect_json(&copy.get("/v2/merchant"), 200)["logoUrl"].take();
    assert!(copied.is_string() && copied != logo, "{copied}");
}

/// Adds one to the total of the first row of a table of counts.
fn count_one_more(lines: &mut [Value], table: &str) {
    let row = rows(lines, table).next().unwrap();
    row["total"] = (row["total"].as_i64().unwrap() + 1).into();
}
