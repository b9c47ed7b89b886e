//! Snapshots of worlds as files: `…/snapshots/{snapshotId}/file` and `/v2/sandbox/snapshots`.

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::openapi::assert_documented;
use crate::support::assert::{members, text, time};
use crate::support::wallet::{available, first_body, pay, transaction};
use crate::support::worlds::{WORLDS, below_world, create_world, restore, snapshot};
use crate::support::{
    ABSENT, AUTHORIZATION, Answer, CLEARING, Client, Server, expect_error, expect_fault, expect_json, shared,
};

pub(crate) const IMPORTS: &str = "/v2/sandbox/snapshots?";
const IMPORTS_PATH: &str = "/v2/sandbox/snapshots";
const TYPE: &str = "application/x-ndjson";

fn file_path(world: &Client, snapshot: &str) -> String {
    below_world(&world.account, &format!("snapshots/{snapshot}/file"))
}

pub(crate) fn export(world: &Client, snapshot: &str) -> String {
    let answer = world.get(&file_path(world, snapshot));
    assert_eq!((answer.status, answer.header("content-type")), (200, Some(TYPE)), "{answer:?}");
    answer.text()
}

pub(crate) fn import(client: &Client, file: &str) -> Answer {
    client.call("POST", IMPORTS).header("Content-Type", TYPE).bytes(file).send()
}

/// Imports a file, and returns the id of the import.
pub(crate) fn imported(client: &Client, file: &str) -> String {
    text(&expect_json(&import(client, file), 201), "/id").to_owned()
}

/// Returns the file with changed rows, and a first line with the matching checksum.
pub(crate) fn with_rows(file: &str, change: impl Fn(&mut Vec<Value>)) -> String {
    let mut lines: Vec<Value> = file.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let mut header = lines.remove(0);
    change(&mut lines);
    let rows = lines.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n") + "\n";
    let digest = Sha256::digest(rows.as_bytes());
    header["sha256"] = digest.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat().into();
    format!("{header}\n{rows}")
}

/// Returns the rows of a table, to change them.
pub(crate) fn rows<'a>(lines: &'a mut [Value], table: &'a str) -> impl Iterator<Item = &'a mut Value> {
    lines.iter_mut().filter(move |line| line["table"] == table).map(|line| &mut line["row"])
}

/// A change of the rows of a file.
pub(crate) type Change = fn(&mut Vec<Value>);

/// Creates a world with a hold and a settled payment. Returns the world, the token of the hold, and the file of a
/// snapshot.
pub(crate) fn exported(server: &Server) -> (Client, String, String) {
    let (_, world) = create_world(server, json!({"seed": "file"}));
    let hold = text(&pay(&world, "10"), "/token").to_owned();
    let paid = pay(&world, "3");
    let body = json!({"precedingRelatedTransactionToken": paid["token"], "amount": 3});
    transaction(&world.post(CLEARING, body.to_string()));
    let snapshot = snapshot(&world);
    let answer = world.get(&file_path(&world, &snapshot));
    let name = format!("attachment; filename=\"{}-20260105T120000Z.ndjson\"", world.account);
    assert_eq!(answer.header("content-disposition"), Some(name.as_str()));
    let file = export(&world, &snapshot);
    (world, hold, file)
}

#[test]
fn a_world_can_be_imported_by_another_installation() {
    let (source, target) = (Server::sandbox(), Server::sandbox());
    let (world, hold, file) = exported(&source);
    let answer = import(&target.client(), &file);
    assert_documented("post", IMPORTS_PATH, &answer);
    let import = expect_json(&answer, 201);
    assert_eq!(members(&import), ["createdAt", "expiresAt", "id", "importedAt", "name"], "{import}");
    assert_eq!((&import["name"], &import["createdAt"]), (&json!("here"), &json!("2026-01-05T12:00:00Z")));
    assert_eq!((time(&import["expiresAt"]) - time(&import["importedAt"])).num_hours(), 24);
    let (created, copy) = create_world(&target, json!({"snapshotId": import["id"], "seed": "file"}));
    assert_eq!(created["clock"], json!({"now": "2026-01-05T12:00:00Z", "state": "FROZEN", "realTime": false}));
    assert_eq!(available(&copy), available(&world));
    let body = json!({"precedingRelatedTransactionToken": hold, "amount": 10}).to_string();
    let cleared = [&world, &copy].map(|world| transaction(&world.post(CLEARING, &body)));
    assert_eq!(cleared[0]["gpa"], cleared[1]["gpa"]);
    // The copy has its own snapshots, and the books of both stores still agree.
    let saved = snapshot(&copy);
    pay(&copy, "1");
    restore(&copy, &saved);
    for server in [source, target] {
        let (_, workspace) = server.stop();
        let check = workspace.run(&["check"]);
        assert!(check.status.success(), "{check:?}");
    }
}

#[test]
fn the_feed_of_an_imported_world_misses_nothing() {
    let server = Server::sandbox();
    let (_, _, file) = exported(&server);
    // These positions are from a store with many more events than this one.
    let ahead = with_rows(&file, |lines| {
        for row in lines.iter_mut().map(|line| &mut line["row"]) {
            if row.get("position").is_some_and(|position| position.as_i64().is_some_and(|position| position > 3)) {
                row["position"] = (i64::MAX - 1_000_000 + row["position"].as_i64().unwrap()).into();
            }
        }
    });
    let (_, world) = create_world(&server, json!({"snapshotId": imported(&server.client(), &ahead)}));
    let feed = |cursor: &str| {
        let path = format!("/v2/activity/{}?cursor={cursor}&limit=1000", world.account);
        let page = expect_json(&world.get(&path), 200);
        (page["rows"].as_array().unwrap().len(), text(&page, "/nextCursor").to_owned())
    };
    let (all, end) = feed("0");
    assert!(all >= 10, "{all} rows");
    assert_eq!(feed(&end).0, 0);
    pay(&world, "1");
    assert_eq!(feed(&end).0, 1, "the new payment comes after everything that was imported");
}

#[test]
fn the_same_file_is_imported_once() {
    let server = Server::sandbox();
    let client = server.client();
    let (_, _, file) = exported(&server);
    let first = expect_json(&import(&client, &file), 201);
    let again = import(&client, &file);
    assert_documented("post", IMPORTS_PATH, &again);
    assert_eq!(expect_json(&again, 200)["id"], first["id"]);
    let list = client.get(IMPORTS);
    assert_documented("get", IMPORTS_PATH, &list);
    let list = list.json();
    assert_eq!((&list["count"], &list["rows"][0]["id"]), (&json!(1), &first["id"]));
    let keyed = |key: &str, file: &str| {
        let call = client.call("POST", IMPORTS).header("Content-Type", TYPE);
        call.header("Idempotency-Key", key).bytes(file).send()
    };
    let other = with_rows(&file, |_| ()).replace("here", "there");
    assert_eq!((keyed("k", &other).status, keyed("k", &other).replayed()), (201, true));
    expect_fault(&keyed("k", &file), 422, "body", "idempotency_mismatch");
    let path = format!("/v2/sandbox/snapshots/{}?", text(&first, "/id"));
    assert_eq!(client.call("DELETE", &path).send().status, 204);
    expect_fault(&client.call("DELETE", &path).send(), 404, "path.snapshotId", "not_found");
    let from = json!({"snapshotId": first["id"]}).to_string();
    expect_fault(&client.post(WORLDS, &from), 404, "body.snapshotId", "not_found");
}

#[test]
fn a_client_has_at_most_twenty_imported_snapshots() {
    let server = Server::sandbox();
    let client = server.client();
    let (_, _, file) = exported(&server);
    for number in 0..20 {
        imported(&client, &file.replacen("here", &format!("here {number}"), 1));
    }
    expect_fault(&import(&client, &file), 409, "", "invalid_state");
    expect_json(&import(&client, &file.replacen("here", "here 7", 1)), 200);
    assert_eq!(client.get(IMPORTS).json()["count"], 20);
}

#[test]
fn files_with_a_broken_first_line_are_refused() {
    let server = Server::sandbox();
    let client = server.client();
    let (_, _, file) = exported(&server);
    let first_line = file.split_once('\n').unwrap().0;
    for (what, broken, reason) in [
        ("no JSON", "hello\nworld\n".to_owned(), "its first line: expected value"),
        ("one line", first_line.to_owned(), "it has only one line"),
        (
            "another format",
            file.replacen("\"florinSnapshot\":1", "\"florinSnapshot\":2", 1),
            "`florinSnapshot` in its first line must be 1",
        ),
        (
            "an unknown member",
            file.replacen("\"florinSnapshot\"", "\"more\":1,\"florinSnapshot\"", 1),
            "its first line: unknown field `more`",
        ),
        ("no schema", file.replacen("\"schema\"", "\"scheme\"", 1), "its first line: unknown field `scheme`"),
        ("a number", file.replacen("\"name\":\"here\"", "\"name\":7", 1), "`name` in its first line must be a string"),
        ("no time", file.replacen("\"createdAt\":\"", "\"createdAt\":\"x", 1), "`createdAt` in its first line must be"),
        (
            "a year that no clock shows",
            file.replacen("\"createdAt\":\"2026", "\"createdAt\":\"9999", 1),
            "`createdAt` in its first line must be in the years",
        ),
        (
            "an empty name",
            file.replacen("\"name\":\"here\"", "\"name\":\"\"", 1),
            "`name` in its first line must not be empty",
        ),
    ] {
        assert_ne!(broken, file, "{what}");
        let fault = expect_fault(&import(&client, &broken), 400, "body", "invalid_format");
        assert!(fault.message.contains(reason), "{what}: {fault:?}");
    }
    assert_eq!(client.get(IMPORTS).json()["count"], 0);
}

#[test]
fn broken_files_are_refused_and_leave_nothing() {
    let server = Server::sandbox();
    let client = server.client();
    let (_, _, file) = exported(&server);
    let lines = file.lines().count();
    let changes: [(&str, Change); 9] = [
        ("more money than the journal has", |lines| {
            let row = rows(lines, "balances").find(|row| row["available_minor"] != 0).unwrap();
            row["available_minor"] = (row["available_minor"].as_i64().unwrap() + 1).into();
        }),
        ("a leg that was changed", |lines| {
            rows(lines, "journal_legs").next().unwrap()["cause_id"] = ABSENT.into();
        }),
        ("a table of the operator", |lines| lines.push(json!({"table": "api_keys", "row": {}}))),
        ("a table that is unknown", |lines| lines.push(json!({"table": "nothing", "row": {}}))),
        ("a row twice", |lines| {
            let place = lines.iter().position(|line| line["table"] == "cards").unwrap();
            lines.insert(place, lines[place].clone());
        }),
        ("a state that is unknown", |lines| rows(lines, "cards").next().unwrap()["state"] = "LOST".into()),
        ("a row that lacks a column", |lines| {
            rows(lines, "cards").next().unwrap().as_object_mut().unwrap().remove("state");
        }),
        ("a session whose columns contradict each other", |lines| {
            let row = rows(lines, "checkout_sessions").find(|row| row["status"] == "OPEN").unwrap();
            row["due_at"] = row["created_at"].clone();
        }),
        ("a card without its budget", |lines| {
            rows(lines, "cards").next().unwrap()["budget_id"] = ABSENT.into();
        }),
    ];
    for (what, change) in changes {
        let answer = import(&client, &with_rows(&file, change));
        assert_eq!(answer.status, 400, "{what}: {answer:?}");
        expect_fault(&answer, 400, "body", "invalid_value");
    }
    let misspelled = file.replacen("\"row\"", "\"rows\"", 1);
    let fault = expect_fault(&import(&client, &misspelled), 400, "body", "invalid_value");
    assert!(fault.message.contains("`sha256` in its first line"), "{fault:?}");
    let schema = file.split("\"schema\":\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    let outdated = import(&client, &file.replacen(&schema, "000001_first", 1));
    let fault = expect_fault(&outdated, 409, "body", "invalid_state");
    assert!(fault.message.contains("`schema`"), "{fault:?}");
    expect_fault(&import(&client, ""), 400, "body", "required");
    let json = client.call("POST", IMPORTS).header("Content-Type", "application/json").bytes(&file).send();
    expect_fault(&json, 415, "header.Content-Type", "unsupported_media_type");
    let large = "x".repeat(16 * 1024 * 1024 + 1);
    expect_fault(&import(&client, &large), 413, "body", "payload_too_large");
    assert_eq!(client.get(IMPORTS).json()["count"], 0);
    assert!(lines > 50, "{lines} lines");
    let (_, workspace) = server.stop();
    let check = workspace.run(&["check"]);
    assert!(check.status.success(), "{check:?}");
}

/// Whether a text or number of a JSON value, or of JSON in one of its texts, is `sought`.
fn has_value(value: &Value, sought: &str) -> bool {
    match value {
        Value::String(text) if text.starts_with(['{', '[']) => {
            serde_json::from_str(text).is_ok_and(|inner| has_value(&inner, sought))
        }
        Value::String(text) => text == sought,
        Value::Number(number) => number.to_string() == sought,
        Value::Array(elements) => elements.iter().any(|element| has_value(element, sought)),
        Value::Object(members) => members.values().any(|member| has_value(member, sought)),
        Value::Null | Value::Bool(_) => false,
    }
}

#[test]
fn a_file_has_no_secrets() {
    let server = Server::sandbox();
    let (created, world) = create_world(&server, json!({}));
    world.post_once(AUTHORIZATION, "a-key-of-mine", first_body("0198c0de-0006-7000-8000-000000000001", "1"));
    let pin = "/v2/cards/0198c0de-0006-7000-8000-000000000001/pin";
    assert_eq!(world.put(pin, json!({"pin": "2580"}).to_string()).status, 204);
    let file = export(&world, &snapshot(&world));
    for secret in [text(&created, "/apiKey"), "a-key-of-mine", "totp_enrolments", "outbox_events", "webhooks"] {
        assert!(!file.contains(secret), "{secret}");
    }
    // Random ids sometimes contain the four digits of a PIN, so only whole values are compared.
    let lines: Vec<Value> = file.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let has = |sought| lines.iter().any(|line| has_value(line, sought));
    assert!(has("0198c0de-0006-7000-8000-000000000001"), "the card is in the file");
    assert!(!has("2580"), "{file}");
    for line in file.lines().filter(|line| line.starts_with("{\"table\":\"cards\"")) {
        let card: Value = serde_json::from_str(line).unwrap();
        assert_eq!(card["row"]["pin_digest"], Value::Null, "{line}");
    }
}

#[test]
fn files_and_imports_belong_to_their_client() {
    let server = Server::sandbox();
    let (world, _, file) = exported(&server);
    let saved = snapshot(&world);
    let (owner, other) = (server.client(), server.other());
    expect_fault(&other.get(&file_path(&world, &saved)), 404, "path.accountId", "not_found");
    let unknown = below_world(&world.account, &format!("snapshots/{ABSENT}/file"));
    expect_fault(&world.get(&unknown), 404, "path.snapshotId", "not_found");
    let id = imported(&owner, &file);
    assert_eq!(other.get(IMPORTS).json()["count"], 0);
    let path = format!("/v2/sandbox/snapshots/{id}?");
    expect_fault(&other.call("DELETE", &path).send(), 404, "path.snapshotId", "not_found");
    let from = json!({"snapshotId": id}).to_string();
    expect_fault(&other.post(WORLDS, &from), 404, "body.snapshotId", "not_found");
    assert_ne!(imported(&other, &file), id, "ids of another client cannot be guessed from a file");
    // Keys for some accounts, such as those of worlds, have no access.
    for refused in [
        import(&world, &file),
        world.get(IMPORTS),
        world.call("DELETE", &path).send(),
        import(&server.limited(), &file),
    ] {
        expect_fault(&refused, 403, "header.Authorization", "insufficient_scope");
    }
    let anonymous = owner.with_authorization(None);
    assert_eq!(expect_error(&import(&anonymous, &file), 401).len(), 1);
    expect_fault(&shared().client().get(&unknown), 404, "path.accountId", "not_found");
}
