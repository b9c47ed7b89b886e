//! The audit log: acts of operators and refused authentications.

use std::fs;

use serde_json::{Value, json};

use crate::support::assert::text;
use crate::support::batches::{confirm, open_session};
use crate::support::store::is_sqlite;
use crate::support::{BANKS, Server, Workspace, demo};

/// Returns the rows of an action, as `florin audit list` shows them.
fn rows(workspace: &Workspace, action: &str) -> Vec<Value> {
    let list = workspace.json(&["audit", "list", "--action", action, "--json"]);
    list["rows"].as_array().unwrap().clone()
}

fn verified(workspace: &Workspace) -> Value {
    let output = workspace.run(&["audit", "verify", "--json"]);
    let verified: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"));
    assert_eq!(output.status.success(), verified["ok"] == true, "{verified}");
    verified
}

#[test]
fn acts_of_operators_are_recorded_with_their_outcome() {
    let workspace = Workspace::empty();
    assert!(workspace.run(&["init"]).status.success());
    let init = rows(&workspace, "init");
    assert_eq!((init.len(), text(&init[0], "/outcome")), (1, "done"));
    let client = workspace.json(&["clients", "create", "--name", "Ada & Co", "--json"]);
    let key = workspace.json(&["keys", "issue", "--client", "Ada & Co", "--all-scopes", "--json"]);
    workspace.refused(&["keys", "issue", "--client", "Nobody", "--all-scopes"]);

    let created = &rows(&workspace, "clients create")[0];
    assert_eq!(text(created, "/details"), "--name \"Ada & Co\"");
    assert!(text(created, "/result").contains(text(&client, "/id")), "{created}");
    assert!(text(created, "/actor").contains("uid ") && !text(created, "/source").is_empty(), "{created}");
    let issued = rows(&workspace, "keys issue");
    assert_eq!(issued.len(), 2, "an act is one row: {issued:?}");
    assert_eq!((text(&issued[0], "/outcome"), text(&issued[1], "/outcome")), ("done", "failed"));
    assert!(text(&issued[0], "/result").contains(text(&key, "/id")), "{issued:?}");
    assert!(text(&issued[1], "/result").contains("Nobody"), "{issued:?}");
    let failed = workspace.json(&["audit", "list", "--outcome", "failed", "--json"]);
    assert_eq!(failed["rows"], json!([issued[1]]));
    let last = workspace.json(&["audit", "list", "--last", "2", "--json"]);
    assert_eq!(last["rows"].as_array().unwrap().len(), 2);
    assert!(workspace.refused_as_invalid(&["audit", "list", "--outcome", "lost"]).contains("--outcome must be"));
}

/// Runs many commands that change something. No secret that they receive, create or print reaches the log.
#[test]
fn acts_are_recorded_without_secrets() {
    let workspace = Workspace::demo();
    let file = workspace.path().join("export").display().to_string();
    let addresses = workspace.write("addresses.csv", "addressLine1,addressLine2,addressLine3,city,postcode,county\n");
    let banks = workspace.write("banks.json", "[]");
    let (account, missing) = (demo().other_account.as_str(), "99999999-0000-7000-8000-000000000000");
    let acts: &[(&str, &[&str])] = &[
        ("clients create", &["clients", "create", "--name", "Eve"]),
        ("accounts create", &["accounts", "create", "F1", "--client", "Eve"]),
        ("keys issue", &["keys", "issue", "--client", "Eve", "--scope", "cards:read:any", "--account", "F1"]),
        ("keys revoke", &["keys", "revoke", missing]),
        ("keys rotate", &["keys", "rotate", missing]),
        ("clients change", &["clients", "change", "Eve", "--any-network"]),
        ("clients disable", &["clients", "disable", "Eve"]),
        ("clients enable", &["clients", "enable", "Eve"]),
        ("accounts change", &["accounts", "change", "F1", "--name", "Eva"]),
        ("features enable", &["features", "enable", "addresses-lookup", "--client", "Eve"]),
        ("features disable", &["features", "disable", "addresses-lookup", "--client", "Eve"]),
        ("mfa enrol", &["mfa", "enrol", account]),
        ("mfa unlock", &["mfa", "unlock", account]),
        ("mfa remove", &["mfa", "remove", account]),
        ("mfa waive", &["mfa", "waive", account]),
        ("mfa require", &["mfa", "require", account]),
        ("webhooks disable", &["webhooks", "disable", missing]),
        ("webhooks enable", &["webhooks", "enable", missing]),
        ("secrets rotate", &["secrets", "rotate"]),
        ("banks import", &["banks", "import", &banks]),
        ("addresses import", &["addresses", "import", &addresses]),
        ("export", &["export", &file]),
        ("import", &["import", &file]),
    ];
    workspace.json(&["demo", "--json"]);
    assert_eq!(rows(&workspace, "demo").len(), 1, "the second `florin demo` changed nothing");
    let mut secrets = Vec::new();
    for (action, arguments) in acts {
        let before = rows(&workspace, action).len();
        let output = workspace.run(&[*arguments, &["--json"]].concat());
        let row = rows(&workspace, action).pop().unwrap_or_else(|| panic!("{action} was not recorded"));
        assert_eq!(rows(&workspace, action).len(), before + 1, "{action} must have one row per act");
        let expected = if output.status.success() { "done" } else { "failed" };
        assert_eq!(text(&row, "/outcome"), expected, "{row} {output:?}");
        let printed: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        secrets.extend(["key", "secret"].iter().filter_map(|name| printed[*name].as_str().map(str::to_owned)));
    }
    assert!(secrets.len() >= 2, "the commands print at least a key and a TOTP secret: {secrets:?}");
    secrets.push(demo().api_key.clone());
    let all = workspace.json(&["audit", "list", "--json"]).to_string();
    for secret in &secrets {
        assert!(!all.contains(secret.as_str()), "a secret is in the audit log");
    }
    // Commands that only read are not recorded.
    let before = verified(&workspace);
    for arguments in [
        &["keys", "list"][..],
        &["clients", "list"],
        &["mfa", "show", account],
        &["webhooks", "list"],
        &["migrate", "--check"],
    ] {
        assert!(workspace.run(arguments).status.success(), "{arguments:?}");
    }
    assert_eq!(verified(&workspace), before);
}

#[test]
fn a_record_that_was_changed_or_removed_by_hand_is_named() {
    let workspace = Workspace::empty();
    workspace.run(&["init"]);
    for name in ["Ada", "Eve"] {
        workspace.json(&["clients", "create", "--name", name, "--json"]);
    }
    let sound = verified(&workspace);
    assert_eq!((&sound["ok"], &sound["records"]), (&json!(true), &json!(5)));
    // The database refuses changes, as long as its triggers exist.
    let columns = "at, actor, source, action, outcome, begun, details";
    let inserted = |number: &str, previous: &str, hash: &str| {
        let values = format!("SELECT {number}, {columns}, {previous}, {hash} FROM __florin_audit WHERE number = 5");
        format!("INSERT INTO __florin_audit (number, {columns}, previous, hash) {values}")
    };
    let hash = format!("'{}'", "ab".repeat(32));
    let mut statements = vec![
        "UPDATE __florin_audit SET actor = 'eve'".to_owned(),
        "DELETE FROM __florin_audit WHERE number = 5".to_owned(),
        inserted("9223372036854775807", "hash", &hash),
        inserted("6", &hash, &hash),
        inserted("5", "previous", &hash),
    ];
    if is_sqlite() {
        let replaces = |statement: String| statement.replace("INSERT INTO", "INSERT OR REPLACE INTO");
        statements.extend([inserted("5", "previous", &hash), inserted("6", "hash", "hash")].map(replaces));
    } else {
        statements.push("TRUNCATE __florin_audit".to_owned());
    }
    for statement in &statements {
        assert!(workspace.sql(statement).unwrap_err().contains("append-only"), "{statement}");
    }
    assert_eq!(verified(&workspace), sound);

    let drop_triggers = if is_sqlite() {
        "DROP TRIGGER __florin_audit_update; DROP TRIGGER __florin_audit_delete; DROP TRIGGER __florin_audit_append"
    } else {
        "DROP TRIGGER __florin_audit_change ON __florin_audit; DROP TRIGGER __florin_audit_append ON __florin_audit"
    };
    workspace.sql(drop_triggers).unwrap();
    for (change, changed_row, reason) in [
        ("actor = 'eve'", "number = 3", "it was changed"),
        ("hash = substr(hash, 2) || '0'", "number = 3", "it was changed"),
        ("at = 1", "number = 3", "it was changed"),
        ("number = 100", "number = 100", "it is missing"),
    ] {
        let saved = "CREATE TABLE saved AS SELECT * FROM __florin_audit WHERE number = 3";
        workspace.sql(&format!("{saved}; UPDATE __florin_audit SET {change} WHERE number = 3")).unwrap();
        let found = verified(&workspace);
        assert_eq!((&found["ok"], &found["broken"], &found["reason"]), (&json!(false), &json!(3), &json!(reason)));
        let delete = format!("DELETE FROM __florin_audit WHERE {changed_row}");
        workspace.sql(&format!("{delete}; INSERT INTO __florin_audit SELECT * FROM saved; DROP TABLE saved")).unwrap();
        assert_eq!(verified(&workspace), sound, "{change}");
    }
    workspace.sql("UPDATE __florin_audit SET at = 9223372036854775807 WHERE number = 2").unwrap();
    assert!(workspace.refused(&["audit", "verify"]).contains("record 2 of the audit log"));
    workspace.sql("DELETE FROM __florin_audit WHERE number = 2").unwrap();
    assert_eq!(verified(&workspace)["broken"], 2);
}

#[test]
fn a_log_that_was_cut_off_lacks_the_expected_record() {
    let workspace = Workspace::demo();
    workspace.json(&["clients", "create", "--name", "Ada", "--json"]);
    let head = text(&verified(&workspace), "/head").to_owned();
    workspace.json(&["clients", "create", "--name", "Eve", "--json"]);
    assert_eq!(workspace.json(&["audit", "verify", "--expect", &head, "--json"])["ok"], true);
    let output = workspace.run(&["audit", "verify", "--expect", &"ab".repeat(32), "--json"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stdout).contains("the expected record is missing"));
    assert!(workspace.refused_as_invalid(&["audit", "verify", "--expect", "ab"]).contains("64 hexadecimal digits"));
}

#[test]
fn an_interrupted_act_is_shown_as_begun() {
    let workspace = Workspace::demo();
    workspace.json(&["clients", "create", "--name", "Ada", "--json"]);
    let records = verified(&workspace)["records"].as_i64().unwrap();
    // This is the state after a process was killed before it recorded the outcome.
    let guard = if is_sqlite() {
        "DROP TRIGGER __florin_audit_delete"
    } else {
        "DROP TRIGGER __florin_audit_change ON __florin_audit"
    };
    workspace.sql(&format!("{guard}; DELETE FROM __florin_audit WHERE number = {records}")).unwrap();
    let begun = workspace.json(&["audit", "list", "--outcome", "begun", "--json"]);
    assert_eq!(begun["rows"].as_array().unwrap().len(), 1);
    assert_eq!(text(&begun, "/rows/0/action"), "clients create");
}

#[test]
fn refused_authentications_are_summarized() {
    let server = Server::sandbox();
    let stranger = server.client().with_authorization(Some("ApiKey not-a-key"));
    for _ in 0..7 {
        assert_eq!(stranger.get(BANKS).status, 403);
    }
    let (client, batch) = (server.client(), demo().batch("validated"));
    let session = open_session(&client, &batch);
    let refused = confirm(&client, &batch, &session, "999999");
    assert_eq!(refused.status, 403, "{refused:?}");
    // The refusals are recorded at the latest when the server stops.
    let (_, workspace) = server.stop();
    let rows = rows(&workspace, "authentication");
    assert_eq!(rows.len(), 2, "{rows:?}");
    for row in &rows {
        assert_eq!((text(row, "/source"), text(row, "/outcome")), ("127.0.0.1", "refused"));
        assert!(!row.to_string().contains("not-a-key") && !row.to_string().contains("999999"), "{row}");
    }
    assert!(text(&rows[0], "/details").starts_with("wrong MFA token"), "{rows:?}");
    assert!(text(&rows[0], "/actor").starts_with("key "), "{rows:?}");
    assert_eq!(text(&rows[1], "/details"), "unknown API key, 7 time(s)");
}

#[test]
fn a_pasted_key_is_not_recorded() {
    let workspace = Workspace::demo();
    let key = demo().api_key.as_str();
    workspace.refused(&["keys", "revoke", key]);
    workspace.refused(&["keys", "issue", "--client", key, "--all-scopes"]);
    let list = workspace.json(&["audit", "list", "--json"]).to_string();
    assert!(list.contains("[hidden: ") && !list.contains(key), "{list}");
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "writes to /dev/full")]
fn an_act_whose_result_could_not_be_printed_is_done() {
    let workspace = Workspace::demo();
    let full = fs::File::options().write(true).open("/dev/full").unwrap();
    let status = workspace.command(&["clients", "create", "--name", "Ada"]).stdout(full).status().unwrap();
    assert_eq!(status.code(), Some(1));
    let row = rows(&workspace, "clients create").pop().unwrap();
    assert_eq!(text(&row, "/outcome"), "done");
    assert!(text(&row, "/result").contains("(Ada); then: cannot write to stdout"), "{row}");
}

#[test]
fn the_start_of_a_server_records_what_it_changed() {
    let server = Server::on(Workspace::empty());
    let (_, workspace) = server.stop();
    let row = rows(&workspace, "serve").pop().unwrap();
    assert!(text(&row, "/result").ends_with("migration(s), demo data") || text(&row, "/details").contains("demo data"));
    let (_, workspace) = Server::on(workspace).stop();
    assert_eq!(rows(&workspace, "serve").len(), 1, "the second start changed nothing");
}
