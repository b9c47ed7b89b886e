//! Behaviour of the command line for people and scripts: names, suggestions, JSON errors, progress, and one server per
//! database file.

use std::fs;
use std::net::TcpListener;

use serde_json::{Value, json};

use crate::support::assert::text;
use crate::support::{BANKS, Server, Workspace, expect_json};

/// Returns the error that a command prints on stderr under `--json`.
fn failure(workspace: &Workspace, arguments: &[&str]) -> Value {
    let output = workspace.run(arguments);
    let stderr = String::from_utf8(output.stderr).unwrap();
    let error: Value = serde_json::from_str(&stderr).unwrap_or_else(|error| panic!("{error} in {stderr}"));
    assert_eq!(error["exitCode"], json!(output.status.code()), "{stderr}");
    assert!(output.stdout.is_empty(), "{arguments:?} printed a result");
    error
}

#[test]
fn errors_are_json_if_results_are() {
    let workspace = Workspace::demo();
    for (arguments, code, part) in [
        (&["keys", "revoke", "x", "--json"][..], 2, "KEY_ID"),
        (&["keys", "list", "--client", "Nobody", "--json"], 1, "client Nobody does not exist"),
        (&["serve", "--json", "--workers", "many"], 2, "--workers must be"),
        (&["keys", "issue", "--json"], 2, "--client"),
        (&["dance", "--json"], 2, "dance"),
        (
            &["features", "enable", "adresses-lookup", "--client", "demo", "--json"],
            2,
            "did you mean `addresses-lookup`?",
        ),
    ] {
        let error = failure(&workspace, arguments);
        assert_eq!(error["exitCode"], code, "{error}");
        assert!(text(&error, "/error").contains(part), "{error}");
    }
    assert!(workspace.refused(&["keys", "revoke", "x"]).starts_with("florin: KEY_ID"));
}

#[test]
fn clients_and_accounts_can_be_given_by_name() {
    let workspace = Workspace::demo();
    let ada = workspace.json(&["clients", "create", "--name", "Ada", "--json"]);
    let id = text(&ada, "/id");
    let account = ["accounts", "create", "F70001", "--client", "Ada", "--name", "Travel", "--json"];
    assert_eq!(workspace.json(&account)["clientId"], id);
    let key = workspace.json(&["keys", "issue", "--client", "Ada", "--account", "Travel", "--json"]);
    assert_eq!((&key["clientId"], &key["accounts"]), (&json!(id), &json!(["F70001"])));
    assert_eq!(workspace.json(&["keys", "list", "--client", "Ada", "--json"])["rows"].as_array().unwrap().len(), 1);
    assert_eq!(workspace.json(&["mfa", "show", "Travel", "--json"])["accountId"], "F70001");
    let enabled = workspace.json(&["features", "enable", "addresses-lookup", "--client", "Ada", "--json"]);
    assert_eq!(enabled["clientId"], id);

    let twin = workspace.json(&["clients", "create", "--name", "Ada", "--json"]);
    let error = failure(&workspace, &["keys", "list", "--client", "Ada", "--json"]);
    assert_eq!(error["exitCode"], 2);
    for candidate in [id, text(&twin, "/id")] {
        assert!(text(&error, "/error").contains(candidate), "{error}");
    }
    assert_eq!(workspace.json(&["keys", "list", "--client", id, "--json"])["rows"].as_array().unwrap().len(), 1);
}

#[test]
fn an_invalid_database_names_its_setting() {
    let workspace = Workspace::empty().set("FLORIN_DATABASE_URL", "mongodb://nowhere/florin");
    assert!(workspace.refused(&["keys", "list"]).starts_with("florin: FLORIN_DATABASE_URL: "));
    assert!(workspace.refused(&["keys", "list", "--database-url", "mysql:x"]).starts_with("florin: --database-url: "));
    let stderr = workspace.refused(&["keys", "list", "--databse-url", "x"]);
    assert!(stderr.contains("--database-url"), "{stderr}");
}

#[test]
fn the_server_listens_on_a_host_name() {
    let server = Server::on(Workspace::demo().set("FLORIN_LISTEN", "localhost:0"));
    expect_json(&server.client().get(BANKS), 200);
    let stderr = Workspace::empty().set("FLORIN_LISTEN", "nowhere.invalid:8080").refused(&["serve"]);
    assert!(stderr.contains("nowhere.invalid:8080") && stderr.contains("--listen"), "{stderr}");
}

#[test]
fn progress_is_reported_on_request() {
    let workspace = Workspace::demo();
    for (arguments, counted) in [
        (&["check"][..], " journal transactions\n"),
        (&["migrate"], " s\n"),
        (&["export", "all.jsonl", "--force"], " MiB\n"),
    ] {
        let silent = workspace.run(arguments);
        assert!(silent.status.success() && silent.stderr.is_empty(), "{silent:?}");
        let asked = workspace.run(&[arguments, &["--progress"]].concat());
        let stderr = String::from_utf8(asked.stderr).unwrap();
        assert!(asked.status.success() && stderr.contains(": done in "), "{arguments:?}: {stderr}");
        assert!(stderr.ends_with(counted), "{arguments:?}: {stderr}");
        assert_eq!(silent.stdout, asked.stdout, "{arguments:?}");
    }
    let empty = Workspace::empty();
    let migrated = empty.run(&["migrate", "--progress"]);
    let stderr = String::from_utf8(migrated.stderr).unwrap();
    let ended = stderr.lines().find_map(|line| line.strip_prefix("migrating: done in ")?.strip_suffix(" migrations"));
    let (applied, all) = ended.unwrap().rsplit_once(", ").unwrap().1.split_once(" of ").unwrap();
    assert!(migrated.status.success() && applied == all && applied.parse::<usize>().unwrap() > 20, "{stderr}");
    let path = workspace.path().join("all.jsonl").display().to_string();
    let imported = empty.run(&["import", &path, "--progress"]);
    let stderr = String::from_utf8(imported.stderr).unwrap();
    assert!(imported.status.success() && stderr.contains("importing: done in"), "{stderr}");
}

#[test]
fn only_one_server_serves_a_file() {
    let server = Server::sandbox();
    let url = server.workspace().setting("FLORIN_DATABASE_URL");
    if !url.starts_with("sqlite:") {
        // On PostgreSQL, several servers can share a database.
        return;
    }
    let other = Workspace::empty().set("FLORIN_DATABASE_URL", &url);
    let error = failure(&other, &["serve", "--json"]);
    assert_eq!(error["exitCode"], 2, "{error}");
    let message = text(&error, "/error");
    assert!(message.starts_with("FLORIN_DATABASE_URL: process ") && message.contains("already serving"), "{message}");
    // Other commands work while a server is running.
    assert!(other.run(&["clients", "list"]).status.success());
    let (_, workspace) = server.stop();
    assert!(
        !fs::read_dir(workspace.path()).unwrap().any(|file| file
            .unwrap()
            .path()
            .to_string_lossy()
            .ends_with(".server"))
    );
    // A killed server does not block the next one.
    let workspace = Server::on(workspace).kill();
    expect_json(&Server::on(workspace).client().get(BANKS), 200);
}

#[test]
fn results_are_sentences() {
    let workspace = Workspace::demo();
    let output_of = |arguments: &[&str]| String::from_utf8(workspace.run(arguments).stdout).unwrap();
    let created = output_of(&["clients", "create", "--name", "Ada"]);
    assert!(created.starts_with("Created client Ada ("), "{created}");
    assert_eq!(output_of(&["accounts", "create", "F70001", "--client", "Ada"]), "Created account F70001 (F70001).\n");
    assert!(output_of(&["keys", "issue", "--client", "Ada"]).starts_with("Issued key "));
    let help = output_of(&["keys", "issue", "--help"]);
    assert!(help.contains("--scope") && !help.contains("--max-in-flight") && help.lines().count() < 30, "{help}");
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "reads /proc")]
fn a_password_in_a_flag_is_not_in_the_list_of_processes() {
    // A database that accepts connections and never answers.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("postgres://florin:hunter2@{}/florin", silent.local_addr().unwrap());
    let workspace = Workspace::empty();
    let mut child = workspace.command(&["check", "--database-url", &url, "--json"]).spawn().unwrap();
    silent.accept().unwrap();
    let shown = fs::read_to_string(format!("/proc/{}/cmdline", child.id())).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(shown.ends_with("\0check\0--json\0"), "{shown}");
}
