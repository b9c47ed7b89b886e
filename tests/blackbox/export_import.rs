//! `florin export` and `florin import`: all data moves or none does, and the new store continues where the old one
//! stopped.
//!
//! The exported store is always a SQLite file. The import goes into the store under test.

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use diesel::connection::SimpleConnection;
use diesel::{Connection, SqliteConnection};
use serde_json::{Value, json};

use crate::events::events;
use crate::support::assert::text;
use crate::support::batches::{confirm, confirm_totp, open_session, open_session_with, token_at};
use crate::support::decisions::{APPROVE, DECISIONS, buy, start_endpoint};
use crate::support::load::{Sent, check_journal, message, repeat_and_check};
use crate::support::logo::{png, set_logo};
use crate::support::management::{budget, card, funded, transfer, transition_card};
use crate::support::payments::{confirmed, filled, find, pounds};
use crate::support::protected::ProtectedCard;
use crate::support::receiver::{Receiver, wait_for_delivery, webhook_path};
use crate::support::server::MAX_WAIT;
use crate::support::wallet::{credit_body, first_body};
use crate::support::worlds::{below_world, clock, create_world, restore, snapshot};
use crate::support::{
    AUTHORIZATION, BANKS, CLEARING, CREDIT, LOOKUP, Server, Wallet, Workspace, demo, expect_fault, expect_json,
};

const ADDRESSES: &str = "addressLine1,addressLine2,addressLine3,city,postcode,county\n1 Ünï Rd,,,Köln,ZZ1 1ZZ,\n";

/// The file name of the exported SQLite database.
const SOURCE: &str = "source.db";

/// Creates an empty SQLite store.
pub(crate) fn on_sqlite() -> Workspace {
    let workspace = Workspace::empty();
    let url = format!("sqlite://{}", workspace.path().join(SOURCE).display());
    workspace.set("FLORIN_DATABASE_URL", &url)
}

/// Adds a cell and an entry to the directory of the exported database.
fn enter_cell(workspace: &Workspace) {
    let mut conn = SqliteConnection::establish(&workspace.path().join(SOURCE).display().to_string()).unwrap();
    let entry = "INSERT INTO cell_entries (entry, cell, world, revision) VALUES ('account:F80001', 'a', NULL, 1); \
        INSERT INTO cells (name, accepts_clients) VALUES ('a', TRUE)";
    conn.batch_execute("PRAGMA busy_timeout = 5000").unwrap();
    conn.batch_execute(entry).unwrap();
}

/// Creates a workspace whose store has the current schema and no data.
pub(crate) fn migrated_workspace() -> Workspace {
    let workspace = Workspace::empty();
    assert!(workspace.run(&["migrate"]).status.success());
    workspace
}

/// Exports the store of a workspace to a file next to its database.
pub(crate) fn export(workspace: &Workspace) -> String {
    let path = workspace.path().join("florin.jsonl").display().to_string();
    workspace.json(&["export", &path, "--json"]);
    path
}

/// Creates demo data on SQLite and exports it.
fn demo_export() -> (Workspace, String) {
    let workspace = on_sqlite();
    workspace.json(&["demo", "--json"]);
    let path = export(&workspace);
    (workspace, path)
}

/// Returns the lines of rows, sorted, because databases may order texts differently.
fn rows(path: &str) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap();
    let rows = text.lines().filter(|line| line.starts_with(r#"{"table":"#));
    let mut rows: Vec<_> = rows.map(without_secret).collect();
    rows.sort_unstable();
    rows
}

/// Returns a row without its secret, which is encrypted anew for each store.
fn without_secret(row: &str) -> String {
    let secret = [r#""secret":""#, r#""secrets":""#].into_iter().find_map(|name| row.split_once(name));
    match secret.and_then(|(start, rest)| Some((start, rest.split_once('"')?.1))) {
        Some((start, end)) => format!("{start}{end}"),
        None => row.to_owned(),
    }
}

/// Expects that an import is refused with one line that contains this text.
fn expect_refused(target: &Workspace, file: &str, reason: &str) {
    let refusal = target.refused(&["import", file, "--json"]);
    assert_eq!(refusal.trim().lines().count(), 1, "{refusal}");
    assert!(refusal.contains(reason), "{reason}: {refusal}");
}

/// Requests that begin in one store and are completed in another.
struct OpenWork {
    log: Vec<Sent>,
    /// The token of an authorization that is not cleared.
    hold: String,
    /// The decision endpoint, and its settings as the API showed them.
    endpoint: (Receiver, Value),
    /// A batch and its MFA session, for each provider.
    by_fixed_token: (String, String),
    by_totp: (String, String),
    protected: ProtectedCard,
}

/// Stores at least one row in every table.
fn fill_every_table(server: &Server, wallet: &Wallet) -> OpenWork {
    let client = server.client();
    let mut log: Vec<_> = (0..10).map(|number| message(wallet, &format!("before-{number}"), number)).collect();
    for sent in &mut log {
        sent.answer = Some(sent.send(&client).unwrap());
    }
    let cards = demo().json["cards"].as_array().unwrap();
    let limited = cards.iter().find(|card| card["limited"] == true).unwrap();
    expect_json(&client.post(AUTHORIZATION, first_body(text(limited, "/id"), "1")), 201);
    for currency in ["GBP", "EUR", "JPY"] {
        expect_json(&client.post(CREDIT, credit_body(&demo().budget(currency), "100000000", currency)), 200);
    }
    let saved = budget(&client, "Savings");
    expect_json(&transfer(&client, &demo().budget("GBP"), &saved, "12.34"), 200);
    expect_json(&transition_card(&client, &card(&client, &saved), "SUSPENDED"), 200);
    let person = &expect_json(&client.get("/v2/people"), 200)["rows"][0]["id"];
    let personal = json!({"cardOwnerType": "PEOPLE", "personId": person, "name": "Ada",
        "budgets": [{"budgetId": saved, "active": true}]});
    expect_json(&client.post("/v2/cards", personal.to_string()), 201);
    expect_json(&client.call("PATCH", "/v2/merchant").json(r#"{"name": "Moved"}"#).send(), 200);
    expect_json(&set_logo(&client, &png()), 200);
    let forced = first_body(text(limited, "/id"), "1")
        .replace("\"network\"", "\"sandbox\": {\"decline\": \"1004\"}, \"network\"");
    expect_json(&client.post(AUTHORIZATION, forced), 201);
    let batches = demo().batches("validated");
    let session = open_session(&client, &batches[0]);
    expect_json(&confirm(&client, &batches[0], &session, "000000"), 200);
    // A duplicate payment has an alert.
    let paid = filled(&client, &[pounds("1", "twice"), pounds("1", "twice")]);
    confirmed(&client, &paid);
    let start = Instant::now();
    while find(&client, &paid)["status"] != "completed" {
        assert!(start.elapsed() < MAX_WAIT, "{}", find(&client, &paid));
        thread::sleep(Duration::from_millis(50));
    }
    let by_fixed_token = (batches[1].clone(), open_session(&client, &batches[1]));
    let by_totp = (batches[2].clone(), open_session_with(&client, &batches[2], "totp"));
    let receiver = Receiver::start();
    let webhook = receiver.subscribe(&client, "BoxDebited", &json!({}));
    expect_json(&client.post_once(&webhook_path(&webhook, "/test"), "test", ""), 202);
    wait_for_delivery(&client, &webhook, |delivery| delivery["status"] == "delivered");
    let recovered = receiver.subscribe(&client, "BoxCredited", &json!({}));
    let since = (chrono::Utc::now() - chrono::TimeDelta::hours(1)).format("%Y-%m-%dT%H:%M:%SZ").to_string();
    let since = json!({ "since": since });
    expect_json(&client.post(&webhook_path(&recovered, "/recover"), since.to_string()), 202);
    wait_for_delivery(&client, &recovered, |delivery| delivery["status"] == "delivered");
    let debit = wallet.token("/v2/cards/simulations/debit", "1");
    let dispute = json!({"transactionToken": debit, "reason": "FRAUD"});
    let dispute = expect_json(&client.post("/v2/cards/simulations/disputes", dispute.to_string()), 201);
    let evidence = format!("/v2/cards/simulations/disputes/{}/evidence", text(&dispute, "/id"));
    expect_json(&client.post(&evidence, r#"{"text": "Not mine"}"#), 201);
    let protected = ProtectedCard::create(&client);
    let hold = wallet.token(AUTHORIZATION, "7.31");
    let endpoint = start_endpoint(&client, APPROVE, &json!({"timeoutMs": 4321, "fallback": "APPROVE"}));
    buy(&client, &wallet.card.id, "0.01");
    OpenWork { log, hold, endpoint, by_fixed_token, by_totp, protected }
}

/// Checks that every table has rows in the export, and that the footer counts every row.
fn assert_all_tables(file: &str) {
    let text = fs::read_to_string(file).unwrap();
    let footer: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    let counts = footer["rows"].as_object().unwrap();
    for (table, count) in counts {
        assert!(count.as_u64().unwrap() > 0, "{table} has no rows");
    }
    let sum: u64 = counts.values().map(|count| count.as_u64().unwrap()).sum();
    assert_eq!(sum, text.lines().count() as u64 - 2);
}

#[test]
fn the_new_store_continues_where_the_old_one_stopped() {
    let source = on_sqlite();
    source.json(&["demo", "--json"]);
    let addresses = source.write("addresses.csv", ADDRESSES);
    source.json(&["addresses", "import", &addresses, "--json"]);
    let client = source.json(&["clients", "create", "--name", "Ünïcode", "--json"]);
    let client = text(&client, "/id");
    source.json(&["accounts", "create", "F70001", "--client", client, "--json"]);
    let scope = "merchant:banks:read:any";
    let issue = ["keys", "issue", "--client", client, "--account", "F70001", "--scope", scope, "--json"];
    let key = source.json(&issue);
    let server = Server::on(source);
    let wallet = Wallet::with(&server, "GBP", 500_000);
    let work = fill_every_table(&server, &wallet);
    let lookup = format!("{LOOKUP}?postcode=ZZ1%201ZZ");
    let address = expect_json(&server.client().get(&lookup), 200);
    let before = wallet.balance();
    let (created, world) = create_world(&server, json!({"seed": "moved"}));
    let protected = ProtectedCard::create(&world);
    let (saved_snapshot, shown) = (snapshot(&world), clock(&world));
    let exported = world.get(&below_world(&world.account, &format!("snapshots/{saved_snapshot}/file"))).body;
    let client = server.client();
    let imported = client
        .call("POST", "/v2/sandbox/snapshots?")
        .header("Content-Type", "application/x-ndjson")
        .bytes(exported)
        .send();
    let imported_snapshot = text(&expect_json(&imported, 201), "/id").to_owned();
    // This comes last, because the cell has no database.
    enter_cell(server.workspace());
    let file = export(server.workspace());
    let source = server.kill();
    assert_all_tables(&file);

    let target = migrated_workspace();
    let imported = target.json(&["import", &file, "--json"]);
    assert!(imported["journalTransactions"].as_i64().unwrap() > 20, "{imported}");
    target.sql("DELETE FROM cells").unwrap();
    check_journal(&target);
    let server = Server::on(target);
    let wallet = Wallet { client: server.client(), ..wallet };
    repeat_and_check(&wallet.client, &work.log);
    work.protected.expect_protected(&wallet.client);
    assert!(work.protected.set_pin(&wallet.client, "0427").replayed(), "the new store knows the request with the PIN");
    // An account check leaves no message in the journal of either store.
    assert_eq!(wallet.balance(), before);
    wallet.follow_ok(CLEARING, &work.hold, "7.31");
    assert_eq!(wallet.balance().ledger, before.ledger - 731);
    let (batch, session) = &work.by_fixed_token;
    expect_json(&confirm(&wallet.client, batch, session, "000000"), 200);
    let (batch, session) = &work.by_totp;
    expect_json(&confirm_totp(&wallet.client, batch, session, &token_at(0)), 200);
    let processed = &demo().batches("validated")[0];
    let again = confirm(&wallet.client, processed, session, "000000");
    expect_fault(&again, 409, "path.paymentBatchId", "invalid_state");
    assert_eq!(expect_json(&wallet.client.get(&lookup), 200), address);
    expect_json(&server.client_of(text(&key, "/key"), "F70001").get(BANKS), 200);
    let world = server.client_of(text(&created, "/apiKey"), &world.account);
    assert_eq!(clock(&world), shown);
    protected.change(&world);
    assert_eq!(restore(&world, &saved_snapshot)["clock"], shown, "the new store has the snapshot");
    protected.expect_protected(&world);
    create_world(&server, json!({"snapshotId": imported_snapshot}));
    let (endpoint, created_endpoint) = &work.endpoint;
    let moved = expect_json(&wallet.client.get(DECISIONS), 200);
    for member in ["url", "enabled", "timeoutMs", "fallback", "createdAt", "updatedAt"] {
        assert_eq!(moved[member], created_endpoint[member], "{member}");
    }
    let asked = endpoint.arrived().len();
    buy(&wallet.client, &wallet.card.id, "0.01");
    endpoint.wait_for(asked + 1)[asked].verify(text(created_endpoint, "/signingSecret")).unwrap();
    check_journal(&server.kill());
    drop(source);
}

/// A snapshot can contain events that the restore of another snapshot has undone. Events after an import must not get
/// the positions of these.
#[test]
fn a_snapshot_is_restored_after_an_import_though_its_events_were_undone() {
    let source = on_sqlite();
    source.json(&["demo", "--json"]);
    let server = Server::on(source);
    let (created, world) = create_world(&server, json!({"template": "demo"}));
    let one = funded(&world, "One", "1.00");
    let earlier = snapshot(&world);
    for _ in 0..3 {
        expect_json(&world.post(CREDIT, credit_body(&one, "1.00", "GBP")), 200);
    }
    let (later, expected_events) = (snapshot(&world), events(&world, ""));
    restore(&world, &earlier);
    let file = export(server.workspace());
    let source = server.kill();

    let target = migrated_workspace();
    target.json(&["import", &file, "--json"]);
    let server = Server::on(target);
    for _ in 0..3 {
        expect_json(&server.client().post(CREDIT, credit_body(&demo().budget("GBP"), "1", "GBP")), 200);
    }
    let world = server.client_of(text(&created, "/apiKey"), &world.account);
    restore(&world, &later);
    assert_eq!(events(&world, ""), expected_events);
    drop(source);
}

#[test]
fn a_round_trip_preserves_everything() {
    let (_source, file) = demo_export();
    let target = migrated_workspace();
    target.json(&["import", &file, "--json"]);
    assert_eq!(rows(&export(&target)), rows(&file));
}

#[test]
fn a_damaged_file_is_refused_and_leaves_nothing() {
    let (source, file) = demo_export();
    let complete = fs::read_to_string(&file).unwrap();
    let target = migrated_workspace();
    let lines: Vec<_> = complete.lines().collect();
    let without_footer = lines[..lines.len() - 1].join("\n") + "\n";
    let without_a_row = [&lines[..40], &lines[41..], &[""]].concat().join("\n");
    for (name, text, reason) in [
        ("half", &complete[..complete.len() / 2], "incomplete"),
        ("almost", complete.trim_end(), "incomplete"),
        ("footless", &without_footer, "incomplete"),
        ("short", &without_a_row, "changed"),
        ("richer", &complete.replacen(r#""total_minor":"#, r#""total_minor":1"#, 1), "changed"),
        ("longer", &format!("{complete}\n"), "changed"),
        ("empty", "", "not a Florin export"),
        ("other", "{}\n", "not a Florin export"),
    ] {
        assert_ne!(text, complete, "{name}");
        expect_refused(&target, &source.write(name, text), reason);
    }
    expect_refused(&target, "/nowhere/at/all", "cannot read");
    target.json(&["import", &file, "--json"]);
    check_journal(&target);
}

#[test]
fn an_import_needs_an_empty_current_store_of_the_same_environment() {
    let (source, file) = demo_export();
    expect_refused(&Workspace::empty(), &file, "florin init");
    expect_refused(&Workspace::demo(), &file, "not empty");
    expect_refused(&source, &file, "not empty");
    let production = migrated_workspace().production();
    expect_refused(&production, &file, "FLORIN_ENVIRONMENT");
    let production = Workspace::empty().production();
    assert!(production.run(&["init"]).status.success());
    expect_refused(&production, &file, "sandbox database");
    let used = migrated_workspace();
    used.json(&["clients", "create", "--name", "first", "--json"]);
    expect_refused(&used, &file, "clients");
    refused_to_export(&Workspace::empty());
}

fn refused_to_export(workspace: &Workspace) {
    let path = workspace.path().join("florin.jsonl");
    let refusal = workspace.refused(&["export", &path.display().to_string()]);
    assert!(refusal.contains("florin init") && !path.exists(), "{refusal}");
}

#[test]
fn the_file_is_private_and_replaced_only_by_force() {
    use std::os::unix::fs::PermissionsExt;
    let (source, file) = demo_export();
    let mode = |path: &str| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&file), 0o600);
    let first = fs::read_to_string(&file).unwrap();
    assert!(source.refused(&["export", &file]).contains("--force"));
    assert_eq!(fs::read_to_string(&file).unwrap(), first);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    source.json(&["export", &file, "--force", "--json"]);
    assert_eq!(mode(&file), 0o600);
    assert_eq!(rows(&file).len(), first.lines().count() - 2);
    let printed = source.run(&["export", "-"]);
    assert!(printed.status.success());
    assert_eq!(String::from_utf8(printed.stdout).unwrap().lines().count(), first.lines().count());
    assert!(source.refused(&["export", "/dev/null", "--force"]).contains("regular"));
}
