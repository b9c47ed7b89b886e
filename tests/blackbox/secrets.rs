//! Secrets are encrypted at rest, under the operator's secret key.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::{Value, json};

use crate::support::assert::text;
use crate::support::management::budget;
use crate::support::server::{SECRET_KEY, Server, Workspace};
use crate::support::shop::{PAYMENTS, SESSIONS, TOP_UPS, bank, new_session, shop};
use crate::support::store::is_sqlite;
use crate::support::{Client, expect_json};

const OTHER_KEY: &str = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";

/// Returns a workspace with an initialized production store and one account.
fn production() -> Workspace {
    let workspace = Workspace::empty().production();
    assert!(workspace.run(&["init"]).status.success());
    assert!(workspace.run(&["clients", "create", "--name", "Ada"]).status.success());
    assert!(workspace.run(&["accounts", "create", "F1", "--client", "Ada"]).status.success());
    workspace
}

#[test]
fn production_requires_a_secret_key() {
    let workspace = Workspace::empty().production().unset("FLORIN_SECRET_KEY");
    for command in ["init", "serve"] {
        let stderr = workspace.refused_as_invalid(&[command]);
        assert!(stderr.contains("FLORIN_SECRET_KEY_FILE") && stderr.contains("openssl rand -hex 32"), "{stderr}");
    }
    let workspace = workspace.set("FLORIN_SECRET_KEY", "hunter2");
    let stderr = workspace.refused_as_invalid(&["init"]);
    assert!(stderr.contains("FLORIN_SECRET_KEY must be a key of 64 hexadecimal digits") && !stderr.contains("hunter2"));
    let workspace = production().unset("FLORIN_SECRET_KEY");
    assert!(workspace.refused_as_invalid(&["mfa", "enrol", "F1"]).contains("FLORIN_SECRET_KEY_FILE"));
    assert!(workspace.refused_as_invalid(&["migrate"]).contains("FLORIN_SECRET_KEY_FILE"));
}

#[test]
fn a_wrong_secret_key_is_refused_at_the_start() {
    let workspace = production().set("FLORIN_SECRET_KEY", OTHER_KEY);
    for command in [&["serve"][..], &["init"], &["mfa", "enrol", "F1"], &["secrets", "rotate"], &["export", "x"]] {
        let stderr = workspace.refused_as_invalid(command);
        assert!(stderr.contains("encrypted under key") && !stderr.contains(OTHER_KEY), "{stderr}");
    }
    let server = Server::on(workspace.set("FLORIN_SECRET_KEY", SECRET_KEY));
    assert_eq!(server.banner["environment"], "production");
}

#[test]
fn a_stored_secret_is_not_in_clear() {
    let workspace = Workspace::demo();
    let bytes: Vec<u8> = workspace.stored().into_iter().flat_map(|(_, bytes)| bytes).collect();
    let hex = b"666c6f72696e2d64656d6f2d746f74702d6b6579";
    for clear in [&b"florin-demo-totp-key"[..], hex] {
        assert!(!bytes.windows(clear.len()).any(|part| part.eq_ignore_ascii_case(clear)), "a secret in clear");
    }
}

/// Returns a workspace with a database of the first version, which stored secrets in clear. It has an account with an
/// enrolment.
fn first_version(secret: &[u8]) -> Workspace {
    let (workspace, kind) = (Workspace::empty(), if is_sqlite() { "sqlite" } else { "postgres" });
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../migrations").join(kind);
    let mut migrations: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    migrations.sort();
    let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
    migrations.retain(|path| name(path).as_str() < "2026-11-21-000007");
    assert_eq!(migrations.len(), 6);
    let table = "__diesel_schema_migrations (version VARCHAR(50) PRIMARY KEY NOT NULL, \
                 run_on TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP)";
    workspace.sql(&format!("CREATE TABLE {table}")).unwrap();
    for migration in migrations {
        workspace.sql(&fs::read_to_string(migration.join("up.sql")).unwrap()).unwrap();
        let version = name(&migration).split('_').next().unwrap().replace('-', "");
        workspace.sql(&format!("INSERT INTO __diesel_schema_migrations (version) VALUES ('{version}')")).unwrap();
    }
    let hex = hex(secret);
    let (bytes, truth) = if is_sqlite() { (format!("X'{hex}'"), "1") } else { (format!("'\\x{hex}'"), "TRUE") };
    let client = "00000000-0000-0000-0000-0000000000c1";
    workspace
        .sql(&format!(
            "INSERT INTO clients VALUES ('{client}', 'Ada', ''); \
         INSERT INTO accounts VALUES ('F1', '{client}', 'Account', {truth}, {truth}); \
         INSERT INTO totp_enrolments VALUES ('F1', {bytes}, '', '', NULL)"
        ))
        .unwrap();
    workspace
}

#[test]
fn the_first_start_of_a_new_version_encrypts_secrets() {
    let secret = b"an-earlier-totp-secret";
    let hex = hex(secret);
    let is_in_clear = |workspace: &Workspace| {
        let bytes: Vec<u8> = workspace.stored().into_iter().flat_map(|(_, bytes)| bytes).collect();
        [&secret[..], hex.as_bytes()].iter().any(|clear| bytes.windows(clear.len()).any(|part| part == *clear))
    };
    let workspace = first_version(secret).set("FLORIN_SECRET_KEY", SECRET_KEY);
    assert!(is_in_clear(&workspace));
    let (status, workspace) = Server::on(workspace).stop();
    assert_eq!(status.code(), Some(0));
    assert!(workspace.log().contains("encrypted secrets that were stored in clear"), "{}", workspace.log());
    assert!(!is_in_clear(&workspace), "the secret is still stored in clear");
    // A rotation decrypts it, and the secret of the payment pages.
    let both = workspace.set("FLORIN_SECRET_KEY", OTHER_KEY).set("FLORIN_SECRET_KEY_PREVIOUS", SECRET_KEY);
    assert_eq!(both.json(&["secrets", "rotate", "--json"])["rotated"], 2);
    assert_eq!(both.json(&["secrets", "show", "--json"])["complete"], true);
}

/// Sends a request twice with one idempotency key, expects the same answer, and returns it.
fn twice(client: &Client, (path, key): (&str, &str), body: &Value) -> Value {
    let [first, second] = [(); 2].map(|()| client.post_once(path, key, body.to_string()));
    assert!(!first.replayed() && second.replayed(), "{path}");
    assert_eq!(first.body, second.body, "{path}");
    expect_json(&first, first.status)
}

/// The token of a page is in every answer with the page's URL, including replays, but nowhere in the store.
#[test]
fn tokens_of_pages_are_not_stored_in_clear() {
    let (server, client, checkout) = shop();
    let token = |answer: &Value, member: &str| text(answer, member).rsplit_once('/').unwrap().1.to_owned();
    let sold = twice(&client, (SESSIONS, "create"), &new_session(&checkout, "sold"));
    let visit = json!({"bankId": bank(&client), "outcome": "approve"});
    let paid = twice(&client, (&format!("/v2/sandbox/checkout-sessions/{}/pay", text(&sold, "/id")), "pay"), &visit);
    let refunds = format!("{PAYMENTS}/{}/refunds", text(&paid, "/paymentId"));
    let refund = twice(&client, (&refunds, "refund"), &json!({"amount": {"amount": "1.00", "currencyCode": "GBP"}}));
    let left = twice(&client, (SESSIONS, "create-2"), &new_session(&checkout, "left"));
    twice(&client, (&format!("{SESSIONS}/{}/cancel", text(&left, "/id")), "cancel"), &json!({}));
    let top_up = json!({"budgetId": budget(&client, "Float"), "idempotencyKey": "top-up",
        "amount": {"amount": "5.00", "currencyCode": "GBP"}});
    let top_up = twice(&client, (TOP_UPS, "top-up"), &top_up);
    twice(&client, (&format!("{TOP_UPS}/{}/cancel", text(&top_up, "/id")), "cancel-2"), &json!({}));

    let bytes: Vec<u8> = server.workspace().stored().into_iter().flat_map(|(_, bytes)| bytes).collect();
    let sessions = [&sold, &left, &top_up].map(|session| token(session, "/checkoutUrl"));
    for token in sessions.into_iter().chain([token(&refund, "/authorisationUrl")]) {
        assert_eq!(token.len(), 32);
        assert!(!bytes.windows(token.len()).any(|part| part == token.as_bytes()), "a token in clear");
    }
}

#[test]
fn a_sandbox_generates_a_key_for_its_owner() {
    let workspace = Workspace::demo();
    let file = workspace.path().join("florin.db.key");
    assert_eq!(file.exists(), is_sqlite());
    if !is_sqlite() {
        return;
    }
    let key = fs::read_to_string(&file).unwrap();
    assert_eq!(key.trim().len(), 64);
    let fresh = Workspace::empty();
    assert!(fresh.run(&["init"]).status.success());
    let mode = fs::metadata(fresh.path().join("florin.db.key")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    // A missing key file is not replaced, because the secrets would be lost.
    fs::remove_file(&file).unwrap();
    let stderr = workspace.refused_as_invalid(&["serve"]);
    assert!(stderr.contains("florin.db.key does not exist"), "{stderr}");
    assert!(!file.exists());
    fs::write(&file, key).unwrap();
    Server::on(workspace);
}

#[test]
fn a_rotation_is_resumed_and_the_old_key_is_then_useless() {
    let workspace = production();
    workspace.json(&["mfa", "enrol", "F1", "--json"]);
    let shown = workspace.json(&["secrets", "show", "--json"]);
    assert_eq!((&shown["complete"], &shown["key"]), (&json!(true), &shown["bound"]));

    let both = workspace.set("FLORIN_SECRET_KEY", OTHER_KEY).set("FLORIN_SECRET_KEY_PREVIOUS", SECRET_KEY);
    let before = both.json(&["secrets", "show", "--json"]);
    assert_eq!((&before["complete"], &before["bound"]), (&json!(false), &shown["key"]));
    // During the rotation, servers read secrets under both keys.
    let server = Server::on(both);
    let both = server.workspace();
    let rotated = both.json(&["secrets", "rotate", "--json"]);
    assert_eq!((&rotated["rotated"], &rotated["key"]), (&json!(1), &before["key"]));
    assert_eq!(both.json(&["secrets", "rotate", "--json"])["rotated"], 0);
    assert_eq!(both.json(&["secrets", "show", "--json"])["complete"], true);

    let (_, workspace) = server.stop();
    let new = workspace.unset("FLORIN_SECRET_KEY_PREVIOUS");
    let server = Server::on(new);
    let (_, new) = server.stop();
    let old = new.set("FLORIN_SECRET_KEY", SECRET_KEY);
    assert!(old.refused_as_invalid(&["serve"]).contains("encrypted under key"));
}

#[test]
fn an_export_holds_encrypted_secrets() {
    let workspace = production();
    let secret = text(&workspace.json(&["mfa", "enrol", "F1", "--json"]), "/secret").to_owned();
    assert!(workspace.run(&["export", "out.jsonl"]).status.success());
    let export = fs::read_to_string(workspace.path().join("out.jsonl")).unwrap();
    assert!(!export.contains(SECRET_KEY) && !export.contains(&secret) && !export.contains("sandboxKey"));

    let file = workspace.path().join("out.jsonl").display().to_string();
    let target = Workspace::empty().production().set("FLORIN_SECRET_KEY", OTHER_KEY);
    assert!(target.run(&["init"]).status.success());
    let stderr = target.refused(&["import", &file]);
    assert!(stderr.contains("the secret of") && stderr.contains("FLORIN_SECRET_KEY_PREVIOUS_FILE"), "{stderr}");
    let target = target.set("FLORIN_SECRET_KEY_PREVIOUS", SECRET_KEY);
    assert!(target.run(&["import", &file]).status.success());
    let target = target.unset("FLORIN_SECRET_KEY_PREVIOUS");
    assert_eq!(target.json(&["secrets", "show", "--json"])["complete"], true);
}

/// Returns the hexadecimal digits of bytes.
fn hex(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from_digit(u32::from(value), 16).unwrap();
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}
