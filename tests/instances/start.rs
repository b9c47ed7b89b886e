//! Start-up: several instances started together on an empty database, and on one with a newer schema.

use std::sync::Mutex;

use crate::pair::{Pair, prevent_restarts};
use crate::support::load::check_journal;
use crate::support::{BANKS, CHECKOUTS, Server, Workspace, demo, expect_error, expect_json, together};

const INSTANCES: usize = 4;

#[test]
fn four_instances_start_together_on_an_empty_database() {
    let _undisturbed = prevent_restarts();
    for _ in 0..3 {
        let workspace = Workspace::empty();
        let mut workspaces: Vec<_> = (1..INSTANCES).map(|_| Mutex::new(Some(workspace.beside()))).collect();
        workspaces.push(Mutex::new(Some(workspace)));
        let servers = together(INSTANCES, |number| Server::on(workspaces[number].lock().unwrap().take().unwrap()));
        let expected = demo().json["checkouts"].as_array().unwrap().len();
        for server in &servers {
            assert_eq!(server.readiness(), 200);
            assert_eq!(
                expect_json(&server.client().get(CHECKOUTS), 200)["count"],
                expected,
                "the demo data was seeded once"
            );
        }
        let workspace = servers[0].workspace();
        assert_eq!(workspace.json(&["demo", "--json"])["budgets"], demo().json["budgets"]);
        let twice = "SELECT count(*) - count(DISTINCT version) FROM __diesel_schema_migrations";
        assert_eq!(workspace.database().count(twice), 0);
        check_journal(workspace);
    }
}

#[test]
fn four_instances_migrate_together() {
    let _undisturbed = prevent_restarts();
    let workspace = Workspace::empty();
    let outputs = together(INSTANCES, |_| workspace.run(&["migrate"]));
    for output in outputs {
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    assert!(workspace.run(&["migrate", "--check"]).status.success());
}

#[test]
fn an_instance_that_starts_later_gives_the_same_answers() {
    let _undisturbed = prevent_restarts();
    let first = Server::sandbox();
    expect_json(&first.client().get(BANKS), 200);
    let second = Server::on(first.workspace().beside());
    assert_eq!(expect_json(&second.client().get(BANKS), 200), expect_json(&first.client().get(BANKS), 200));
}

#[test]
fn a_newer_schema_is_refused() {
    let _undisturbed = prevent_restarts();
    let workspace = Workspace::demo();
    let newer = workspace.database().make_newer();
    for arguments in [&["serve", "--json"][..], &["migrate"], &["demo", "--json"], &["clients", "list", "--json"]] {
        let error = workspace.refused(arguments);
        assert!(error.contains("newer"), "{arguments:?}: {error}");
        assert_eq!(error.trim().lines().count(), 1, "{arguments:?}: {error}");
    }
    assert_ne!(workspace.run(&["migrate", "--check"]).status.code(), Some(0));
    drop(newer);
    let server = Server::on(workspace);
    expect_json(&server.client().get(BANKS), 200);
}

#[test]
fn a_running_instance_is_not_ready_after_the_schema_becomes_newer() {
    let _undisturbed = prevent_restarts();
    let pair = Pair::sandbox();
    let newer = pair.first.database().make_newer();
    for server in [&pair.first, &pair.second] {
        expect_error(&server.client().with_authorization(None).get("/readyz?"), 503);
    }
    drop(newer);
    for server in [&pair.first, &pair.second] {
        assert_eq!(server.readiness(), 200);
    }
}
