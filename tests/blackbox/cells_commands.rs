//! Commands on cells, and their refusals of wrong databases.

use serde_json::json;

use crate::export_import::{export, migrated_workspace};
use crate::support::cells::{CellDatabase, Tenant, add_cells, cells_setting, listed_cell};
use crate::support::management::{BUDGETS, balance, funded};
use crate::support::store::is_sqlite;
use crate::support::{Server, Workspace, expect_json};

#[test]
fn clients_are_placed_in_cells_that_accept_them() {
    let (workspace, _databases) = add_cells(migrated_workspace());
    let create = |name: &str| workspace.json(&["clients", "create", "--name", name, "--json"])["cell"].clone();
    assert_eq!(["1", "2", "3", "4"].map(create), ["home", "a", "b", "home"]);
    for cell in ["a", "home"] {
        assert_eq!(workspace.json(&["cells", "close", cell, "--json"]), json!({"name": cell, "acceptsClients": false}));
    }
    assert_eq!(["5", "6"].map(create), ["b", "b"]);
    let stderr = workspace.refused_as_invalid(&["clients", "create", "--name", "7", "--cell", "a"]);
    assert!(stderr.contains("cell a accepts no new clients"), "{stderr}");
    workspace.json(&["cells", "add", "home", "--json"]);
    assert_eq!(create("7"), "home");
    workspace.json(&["cells", "close", "b", "--json"]);
    workspace.json(&["cells", "close", "home", "--json"]);
    assert!(workspace.refused(&["clients", "create", "--name", "8"]).contains("no cell accepts clients"));
    assert_eq!(workspace.json(&["cells", "add", "a", "--closed", "--json"])["acceptsClients"], false);

    let expected = json!({"name": "b", "clients": 3, "acceptsClients": false, "ready": true});
    let mut row = listed_cell(&workspace, "b");
    let database = row.as_object_mut().unwrap().remove("database").unwrap().to_string();
    assert_eq!(row, expected);
    assert!(!database.contains('@'), "{database}");
    let table = String::from_utf8(workspace.run(&["cells", "list"]).stdout).unwrap();
    assert_eq!(table.lines().count(), 4, "{table}");
    let stderr = workspace.refused_as_invalid(&["cells", "close", "aa"]);
    assert!(stderr.contains("did you mean `a`?"), "{stderr}");
    let acts = workspace.json(&["audit", "list", "--action", "cells", "--outcome", "done", "--json"]);
    assert_eq!(acts["rows"].as_array().unwrap().len(), 8);
}

#[test]
fn the_wrong_database_is_refused() {
    let (workspace, databases) = add_cells(migrated_workspace());
    let [a, b] = databases.each_ref().map(|database| database.url.clone());
    let right = cells_setting(&databases);
    let home_url = workspace.setting("FLORIN_DATABASE_URL");

    let workspace = workspace.set("FLORIN_CELLS", &format!("a={b} b={a}"));
    for command in [&["clients", "list"][..], &["serve"], &["migrate"], &["check"]] {
        let stderr = workspace.refused(command);
        assert!(stderr.contains("this is the database of cell b; are two URLs swapped?"), "{command:?}: {stderr}");
    }
    let workspace = workspace.unset("FLORIN_CELLS").set("FLORIN_DATABASE_URL", &a);
    for command in ["serve", "migrate", "init", "demo", "check"] {
        let stderr = workspace.refused_as_invalid(&[command]);
        assert!(stderr.contains("this is the database of cell a"), "{command}: {stderr}");
    }
    let workspace = workspace.set("FLORIN_DATABASE_URL", &home_url).set("FLORIN_CELLS", &format!("c={a}"));
    assert!(workspace.refused_as_invalid(&["cells", "add", "c"]).contains("this is the database of cell a"));
    let workspace = workspace.set("FLORIN_CELLS", &format!("c={home_url}"));
    assert!(workspace.refused_as_invalid(&["cells", "add", "c"]).contains("that of the home"));
    let same = match home_url.strip_prefix("sqlite://") {
        Some(path) => format!("sqlite://{}", path.replace("/florin.db", "/./florin.db")),
        None => format!("{home_url}{}application_name=c", if home_url.contains('?') { '&' } else { '?' }),
    };
    let workspace = workspace.set("FLORIN_CELLS", &format!("c={same}"));
    assert!(workspace.refused_as_invalid(&["cells", "add", "c"]).contains("this is the database of cell home"));
    let workspace = workspace.set("FLORIN_CELLS", &right);
    workspace.json(&["clients", "list", "--json"]);

    // An existing production database does not become a cell of a sandbox.
    let other = CellDatabase::new(&workspace, "c.db");
    let production = Workspace::empty().production().set("FLORIN_DATABASE_URL", &other.url);
    production.json(&["init", "--json"]);
    let workspace = workspace.set("FLORIN_CELLS", &format!("{right} c={}", other.url));
    assert!(workspace.refused_as_invalid(&["cells", "add", "c"]).contains("this is a production database"));

    // A database that has clients does not become a cell either. It is not changed.
    let other = CellDatabase::new(&workspace, "d.db");
    let own = Workspace::empty().set("FLORIN_DATABASE_URL", &other.url);
    own.json(&["migrate", "--json"]);
    own.json(&["clients", "create", "--name", "Eve", "--json"]);
    let workspace = workspace.set("FLORIN_CELLS", &format!("{right} d={}", other.url));
    for command in [&["cells", "add", "d"][..], &["cells", "add", "d", "--for-import"]] {
        assert!(workspace.refused_as_invalid(command).contains("clients of its own"), "{command:?}");
    }
    assert!(own.json(&["clients", "list", "--json"]).to_string().contains("Eve"));
}

#[test]
fn without_cells_commands_on_cells_are_refused() {
    let workspace = migrated_workspace();
    for command in ["add", "close"] {
        let stderr = workspace.refused_as_invalid(&["cells", command, "home"]);
        assert!(stderr.contains("there is no cell besides the home"), "{stderr}");
    }
    assert!(workspace.json(&["clients", "create", "--name", "Ada", "--json"])["cell"].is_null());
}

#[test]
fn migrations_apply_to_every_cell() {
    let (workspace, [a, _b]) = add_cells(migrated_workspace());
    assert_eq!(workspace.json(&["migrate", "--check", "--json"]), json!({"current": true, "pending": []}));
    assert_eq!(workspace.json(&["migrate", "--json"]), json!({"applied": 0}));
    a.sql("INSERT INTO __diesel_schema_migrations (version) VALUES ('99999999999999')");
    for command in [&["migrate"][..], &["migrate", "--check"], &["clients", "list"]] {
        let stderr = workspace.refused(command);
        assert!(stderr.contains("cell a") && stderr.contains("newer than this program"), "{command:?}: {stderr}");
    }
    // A server serves the other cells.
    let server = Server::on(workspace);
    assert_eq!(server.readiness(), 200);
    assert!(server.workspace().log().contains("newer than this program"), "{}", server.workspace().log());
}

#[test]
fn an_imported_home_migrates_its_cells() {
    let (workspace, databases) = add_cells(migrated_workspace());
    let file = export(&workspace);
    let new = migrated_workspace().set("FLORIN_CELLS", &cells_setting(&databases));
    new.json(&["import", &file, "--json"]);
    databases[0].sql("INSERT INTO __diesel_schema_migrations (version) VALUES ('99999999999999')");
    let stderr = new.refused(&["migrate", "--check"]);
    assert!(stderr.contains("cell a") && stderr.contains("newer than this program"), "{stderr}");
}

#[test]
fn a_cell_moves_to_another_database_in_a_file() {
    let (workspace, [a, b]) = add_cells(migrated_workspace());
    Tenant::create(&workspace, "Ada", "F70001", "a");
    let bob = Tenant::create(&workspace, "Bob", "F70002", "b");
    let server = Server::on(workspace);
    let budget = funded(&bob.caller(&server), "Travel", "10.00");
    let (_, workspace) = server.stop_successfully();
    let file = workspace.path().join("b.jsonl").display().to_string();
    workspace.json(&["export", &file, "--from-cell", "b", "--json"]);
    assert!(workspace.refused_as_invalid(&["export", &file, "--from-cell", "c"]).contains("unknown cell `c`"));

    let other = workspace.path().join("a.jsonl").display().to_string();
    workspace.json(&["export", &other, "--from-cell", "a", "--json"]);

    let new = CellDatabase::new(&workspace, "new.db");
    let workspace = workspace.set("FLORIN_CELLS", &format!("a={} b={}", a.url, new.url));
    workspace.refused(&["cells", "add", "b"]);
    workspace.json(&["cells", "add", "b", "--for-import", "--json"]);
    let stderr = workspace.refused(&["import", &other, "--to-cell", "b"]);
    assert!(stderr.contains("is in cell a, not in cell b"), "{stderr}");
    assert!(workspace.refused(&["import", &file]).contains("is in cell b, not in cell home"));
    workspace.json(&["import", &file, "--to-cell", "b", "--json"]);
    b.remove();
    let server = Server::on(workspace);
    assert_eq!(balance(&bob.caller(&server), &budget)[0], "10.00");
    expect_json(&bob.caller(&server).get(BUDGETS), 200);
}

#[test]
fn commands_on_all_cells_need_every_cell() {
    let (workspace, databases) = add_cells(migrated_workspace());
    let complete = cells_setting(&databases);
    let ada = Tenant::create(&workspace, "Ada", "F70001", "a");
    let bob = Tenant::create(&workspace, "Bob", "F70002", "b");
    let only_a = complete.split(' ').next().unwrap();
    let workspace = workspace.set("FLORIN_CELLS", only_a);
    let person = "0198c0de-0000-7000-8000-000000000001";
    for command in [
        &["clients", "list"][..],
        &["accounts", "list"],
        &["keys", "list"],
        &["webhooks", "list"],
        &["secrets", "show"],
        &["secrets", "rotate"],
        &["people", "erase", person],
        &["banks", "import", "banks.csv"],
        &["check"],
    ] {
        let stderr = workspace.refused_as_invalid(command);
        assert!(stderr.contains("cell b is not configured, so its data would be left out"), "{command:?}: {stderr}");
    }
    workspace.json(&["accounts", "change", "F70001", "--name", "Shop", "--json"]);
    workspace.json(&["keys", "issue", "--client", &ada.id, "--account", "F70001", "--all-scopes", "--json"]);
    workspace.json(&["mfa", "enrol", "F70001", "--json"]);
    assert!(workspace.refused(&["accounts", "change", "F70002", "--name", "Shop"]).contains("cell b"));
    assert!(workspace.refused(&["keys", "issue", "--client", &bob.id, "--all-scopes"]).contains("cell b"));
    for command in [&["migrate"][..], &["migrate", "--check"]] {
        let output = workspace.run(command);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success() && stderr.contains("a cell is not configured"), "{command:?}: {stderr}");
    }
    let workspace = workspace.set("FLORIN_CELLS", &complete);
    assert!(workspace.json(&["accounts", "list", "--json"]).to_string().contains("Shop"));
}

#[test]
fn a_rotation_repairs_a_cell_with_the_previous_key() {
    let [old, new] = ["a", "b"].map(|digit| digit.repeat(64));
    let workspace = Workspace::empty().set("FLORIN_SECRET_KEY", &old);
    workspace.json(&["migrate", "--json"]);
    let (workspace, [_a, b]) = add_cells(workspace);
    Tenant::create(&workspace, "Bob", "F70002", "b");
    workspace.json(&["mfa", "enrol", "F70002", "--json"]);
    let old_id = workspace.json(&["secrets", "show", "--json"])["key"].as_str().unwrap().to_owned();
    let workspace = workspace.set("FLORIN_SECRET_KEY", &new).set("FLORIN_SECRET_KEY_PREVIOUS", &old);
    assert_eq!(workspace.json(&["secrets", "rotate", "--json"])["rotated"], 1);
    let new_id = workspace.json(&["secrets", "show", "--json"])["key"].as_str().unwrap().to_owned();

    // This is the state after a rotation by an earlier version, which left out the cell.
    let bytes = if is_sqlite() { format!("X'{old_id}'") } else { format!("'\\x{old_id}'") };
    b.sql(&format!("UPDATE __florin_secret_key SET key_id = {bytes}"));
    let incomplete = json!({"key": new_id, "bound": old_id, "complete": false});
    assert_eq!(workspace.json(&["secrets", "show", "--json"]), incomplete);
    assert_eq!(workspace.json(&["secrets", "rotate", "--json"])["rotated"], 0);
    let workspace = workspace.unset("FLORIN_SECRET_KEY_PREVIOUS");
    assert_eq!(workspace.json(&["secrets", "show", "--json"])["complete"], true);
}

#[test]
fn demo_data_is_in_the_home() {
    let (workspace, _databases) = add_cells(migrated_workspace());
    assert_eq!(workspace.json(&["demo", "--json"])["accountId"], "F50091");
    assert_eq!(workspace.json(&["clients", "list", "--json"])["rows"][0]["cell"], "home");
    let file = workspace.path().join("b.jsonl").display().to_string();
    let exported = workspace.json(&["export", &file, "--from-cell", "b", "--json"]);
    assert_ne!(exported["rows"]["banks"], 0, "{exported}");

    let (workspace, _databases) = add_cells(migrated_workspace());
    Tenant::create(&workspace, "Ada", "F50091", "a");
    let stderr = workspace.refused(&["demo"]);
    assert!(stderr.contains("cell a has the account F50091"), "{stderr}");
}
