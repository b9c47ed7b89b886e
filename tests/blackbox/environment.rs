//! A store is bound to one environment, and no command creates a store by mistake.

use std::fs;

use crate::support::assert::text;
use crate::support::server::SECRET_KEY;
use crate::support::store::is_sqlite;
use crate::support::{BANKS, Server, Workspace, expect_json};

/// Returns a workspace with an initialized production store.
fn production() -> Workspace {
    let workspace = Workspace::empty().production();
    let initialized = workspace.json(&["init", "--json"]);
    assert_eq!(initialized["environment"], "production");
    workspace
}

#[test]
fn a_production_server_requires_an_initialized_store() {
    let workspace = Workspace::empty().production();
    for command in ["serve", "migrate"] {
        let stderr = workspace.refused_as_invalid(&[command]);
        assert!(stderr.contains("florin init"), "{stderr}");
    }
    assert_eq!(fs::read_dir(workspace.path()).unwrap().filter(is_database).count(), 0);
    workspace.json(&["init", "--json"]);
    let workspace = workspace.unset("FLORIN_PUBLIC_URL");
    let stderr = workspace.refused_as_invalid(&["serve"]);
    assert!(stderr.contains("FLORIN_PUBLIC_URL"), "{stderr}");
    let workspace = workspace.set("FLORIN_PUBLIC_URL", "https://pay.example");
    assert_eq!(Server::on(workspace).banner["environment"], "production");
}

fn is_database(file: &std::io::Result<fs::DirEntry>) -> bool {
    file.as_ref().unwrap().file_name().to_string_lossy().starts_with("florin.db")
}

#[test]
fn a_store_of_another_environment_is_refused() {
    let production = production();
    let before = production.stored();
    let sandbox = production.set("FLORIN_ENVIRONMENT", "sandbox");
    for arguments in [&["serve"][..], &["init"], &["migrate"], &["demo"], &["keys", "list"], &["export", "x.jsonl"]] {
        let stderr = sandbox.refused_as_invalid(arguments);
        assert!(stderr.contains("FLORIN_ENVIRONMENT=production"), "{arguments:?}: {stderr}");
        assert_eq!(stderr.trim().lines().count(), 1, "{arguments:?}: {stderr}");
    }
    // The default of a server is the sandbox.
    let unset = sandbox.unset("FLORIN_ENVIRONMENT");
    assert!(unset.refused_as_invalid(&["serve"]).contains("FLORIN_ENVIRONMENT=production"));
    assert_eq!(unset.stored(), before);

    let demo = Workspace::demo().production();
    let stderr = demo.refused_as_invalid(&["serve"]);
    assert!(stderr.contains("this is a sandbox database"), "{stderr}");
}

/// An earlier version could put demo data into a store that is a production store after the upgrade.
#[test]
fn a_production_store_with_demo_data_is_not_served() {
    let workspace = Workspace::empty().set("FLORIN_SECRET_KEY", SECRET_KEY);
    workspace.json(&["demo", "--json"]);
    workspace.sql("UPDATE __florin_store SET environment = 'production'").unwrap();
    let stderr = workspace.production().refused_as_invalid(&["serve"]);
    assert!(stderr.contains("demo data of a sandbox"), "{stderr}");
    assert_eq!(stderr.trim().lines().count(), 1, "{stderr}");
}

#[test]
fn other_commands_use_the_environment_of_the_store() {
    let workspace = production().unset("FLORIN_ENVIRONMENT");
    workspace.json(&["clients", "create", "--name", "Live", "--json"]);
    let key = workspace.json(&["keys", "issue", "--client", "Live", "--all-scopes", "--json"]);
    assert_eq!(key["environment"], "production");
    assert!(text(&key, "/key").starts_with("florin_production_"), "{key}");
    assert!(workspace.run(&["migrate"]).status.success());
}

#[test]
fn a_second_init_changes_nothing() {
    let workspace = production();
    let before = workspace.stored();
    assert!(workspace.run(&["init"]).status.success());
    assert_eq!(workspace.stored(), before);
}

#[test]
fn commands_do_not_create_a_store_at_a_mistyped_path() {
    let workspace = Workspace::empty();
    for arguments in [
        &["keys", "list"][..],
        &["clients", "create", "--name", "Ada"],
        &["check"],
        &["export", "out.jsonl"],
        &["import", "in.jsonl"],
        &["migrate", "--check"],
    ] {
        let path = workspace.path().join("florin.bd");
        let line = [arguments, &["--database-url", path.to_str().unwrap()]].concat();
        let stderr = workspace.refused_as_invalid(&line);
        assert!(stderr.contains("florin init") && !path.exists(), "{arguments:?}: {stderr}");
    }
}

#[test]
fn the_files_of_a_database_are_private() {
    use std::os::unix::fs::PermissionsExt;

    let server = Server::on(Workspace::empty());
    if !is_sqlite() {
        return;
    }
    expect_json(&server.client().get(BANKS), 200);
    let files: Vec<_> = fs::read_dir(server.workspace().path()).unwrap().filter(is_database).collect();
    assert_eq!(files.len(), 4, "the database, its WAL, the index of the WAL, and the secret key");
    for file in files {
        let mode = file.as_ref().unwrap().metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o600, "{file:?}");
    }
}
