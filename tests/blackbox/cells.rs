//! Clients in several cells: each client works as if its cell were the only store.

use serde_json::json;

use crate::events::EVENTS;
use crate::support::assert::text;
use crate::support::cells::{Tenant, add_cells, cells_setting, listed_cell};
use crate::support::management::{BUDGETS, authorize, balance, card, funded};
use crate::support::payer::Payer;
use crate::support::receiver::{Receiver, wait_for_delivery};
use crate::support::shop::{SESSIONS, new_session, open_shop};
use crate::support::store::is_sqlite;
use crate::support::worlds::{create_world_as, restore, set_clock, snapshot, world_path};
use crate::support::{Client, Server, Workspace, expect_error, expect_fault, expect_json};

/// Credits a budget and spends a part of it. Returns the budget.
fn spend(caller: &Client) -> String {
    let budget = funded(caller, "Travel", "10.00");
    let card = card(caller, &budget);
    assert_eq!(authorize(caller, &card, "2.50"), "0000");
    assert_eq!(balance(caller, &budget), ["10.00", "7.50", "2.50"]);
    budget
}

#[test]
fn clients_in_two_cells_work_side_by_side() {
    let (workspace, _databases) = add_cells(Workspace::demo());
    let [ada, bob] = [("Ada", "F70001", "a"), ("Bob", "F70002", "b")]
        .map(|(name, account, cell)| Tenant::create(&workspace, name, account, cell));
    let server = Server::on(workspace);
    let callers = [&ada, &bob].map(|tenant| tenant.caller(&server));
    let budgets = callers.each_ref().map(spend);
    for ([mine, other], account) in [([0, 1], "F70002"), ([1, 0], "F70001")] {
        let caller = &callers[mine];
        assert_eq!(expect_json(&caller.get(BUDGETS), 200)["count"], 2, "the parent budget and the new one");
        assert_ne!(expect_json(&caller.get(EVENTS), 200)["rows"], json!([]));
        let stranger = caller.with_account(account);
        for path in [BUDGETS.to_owned(), format!("{BUDGETS}/{}", budgets[other])] {
            expect_fault(&stranger.get(&path), 404, "query.accountId", "not_found");
        }
        expect_error(&caller.get(&format!("{BUDGETS}/{}", budgets[other])), 404);
    }
    expect_json(&server.client().get(BUDGETS), 200);

    let workspace = server.workspace();
    let names = |list: &str| {
        let rows = workspace.json(&[list, "list", "--json"])["rows"].clone();
        rows.as_array().unwrap().iter().map(|row| row["name"].to_string()).collect::<Vec<_>>().join(" ")
    };
    assert!(names("clients").contains("Ada") && names("clients").contains("Bob"), "{}", names("clients"));
    let accounts = workspace.json(&["accounts", "list", "--json"]).to_string();
    assert!(accounts.contains("F70001") && accounts.contains("F70002"), "{accounts}");
    assert_eq!(
        (&listed_cell(workspace, "a")["clients"], &listed_cell(workspace, "b")["clients"]),
        (&json!(1), &json!(1))
    );
    // An account exists in one cell only.
    assert!(workspace.refused(&["accounts", "create", "F70001", "--client", &bob.id]).contains("F70001"));

    let (_, workspace) = server.stop_successfully();
    assert_eq!(workspace.json(&["check", "--json"])["ok"], true);
    let server = Server::on(workspace);
    for (tenant, budget) in [&ada, &bob].into_iter().zip(&budgets) {
        assert_eq!(balance(&tenant.caller(&server), budget), ["10.00", "7.50", "2.50"]);
    }
    server.workspace().json(&["clients", "disable", "Bob", "--json"]);
    expect_error(&bob.caller(&server).get(BUDGETS), 403);
    expect_json(&ada.caller(&server).get(BUDGETS), 200);
}

#[test]
fn worlds_pages_and_webhooks_work_in_a_second_cell() {
    let (workspace, _databases) = add_cells(Workspace::demo());
    let bob = Tenant::create(&workspace, "Bob", "F70002", "b");
    let server = Server::on(workspace);
    let caller = bob.caller(&server);

    let receiver = Receiver::start();
    let webhook = receiver.subscribe(&caller, "BoxCredited", &json!({}));
    let budget = funded(&caller, "Travel", "10.00");
    receiver.wait_for(1);
    wait_for_delivery(&caller, &webhook, |delivery| delivery["status"] == "delivered");

    let (_, world) =
        create_world_as(&server, &caller, &json!({"template": "empty", "startsAt": "2026-09-01T12:00:00Z"}));
    set_clock(&world, json!({"advanceBy": "PT1H"}));
    let saved = snapshot(&world);
    let in_world = funded(&world, "Travel", "5.00");
    restore(&world, &saved);
    expect_error(&world.get(&format!("{BUDGETS}/{in_world}")), 404);
    assert_eq!(balance(&caller, &budget)[0], "10.00");

    // Only the token of the page says in which cell the session is.
    let checkout = open_shop(&world);
    let session = expect_json(&world.post(SESSIONS, new_session(&checkout, "1").to_string()), 201);
    let page = Payer::at(&world, text(&session, "/checkoutUrl")).page();
    assert!(page.contains("12.50"), "{page}");

    assert_eq!(caller.call("DELETE", &world_path(&world.account)).send().status, 204);
    expect_error(&world.get(BUDGETS), 403);
    expect_json(&caller.get(BUDGETS), 200);
}

/// Starts a server whose cell `b` cannot be used, and checks that only Bob, the client in this cell, is affected. The
/// log of the server must contain `reason`.
fn only_bob_is_affected(workspace: Workspace, [ada, bob]: [&Tenant; 2], reason: &str) -> Workspace {
    let server = Server::on(workspace);
    let refused = bob.caller(&server).get(BUDGETS);
    expect_error(&refused, 503);
    assert!(refused.header("retry-after").is_some(), "{refused:?}");
    let caller = ada.caller(&server);
    funded(&caller, "Meals", "1.00");
    assert_eq!(server.readiness(), 200);
    let log = server.workspace().log();
    assert!(log.contains(reason), "{reason}: {log}");
    server.stop_successfully().1
}

#[test]
fn a_missing_cell_affects_only_its_clients() {
    let (workspace, databases) = add_cells(Workspace::demo());
    let ada = Tenant::create(&workspace, "Ada", "F70001", "a");
    let bob = Tenant::create(&workspace, "Bob", "F70002", "b");
    let complete = cells_setting(&databases);
    let [a, b] = databases;

    let workspace = workspace.set("FLORIN_CELLS", &format!("a={}", a.url));
    let workspace = only_bob_is_affected(workspace, [&ada, &bob], "a cell is not configured");
    let workspace = workspace.set("FLORIN_CELLS", &complete);
    assert_eq!(listed_cell(&workspace, "b")["ready"], true);

    // The database is removed while it is in use.
    let server = Server::on(workspace);
    expect_json(&bob.caller(&server).get(BUDGETS), 200);
    b.remove();
    expect_error(&bob.caller(&server).get(BUDGETS), 503);
    expect_json(&ada.caller(&server).get(BUDGETS), 200);
    assert_eq!(server.readiness(), 200);
    let (_, workspace) = server.stop();

    let workspace = only_bob_is_affected(workspace, [&ada, &bob], "a cell can't be used");
    assert_eq!(listed_cell(&workspace, "b")["ready"], false);
    assert!(workspace.refused(&["clients", "list"]).contains("cell b can't be used"));
    let workspace = workspace.set("FLORIN_CELLS", &format!("a={}", a.url));
    assert_eq!(workspace.json(&["clients", "disable", &ada.id, "--json"])["name"], "Ada");
    assert!(workspace.refused(&["clients", "disable", &bob.id]).contains("cell b"));
}

#[test]
fn a_cell_with_broken_secrets_affects_only_its_clients() {
    let (workspace, [_a, b]) = add_cells(Workspace::demo());
    let ada = Tenant::create(&workspace, "Ada", "F70001", "a");
    let bob = Tenant::create(&workspace, "Bob", "F70002", "b");
    b.sql("ALTER TABLE __florin_secret_key RENAME TO moved_secret_key");
    only_bob_is_affected(workspace, [&ada, &bob], "cannot prepare the secrets");
}

#[test]
fn a_cell_with_a_wrong_secret_key_prevents_the_start() {
    let (workspace, [_a, b]) = add_cells(Workspace::demo());
    let digits = "00".repeat(8);
    let bytes = if is_sqlite() { format!("X'{digits}'") } else { format!("'\\x{digits}'") };
    b.sql(&format!("UPDATE __florin_secret_key SET key_id = {bytes}"));
    let stderr = workspace.refused_as_invalid(&["serve"]);
    assert!(stderr.contains("cell b") && stderr.contains("give the right key"), "{stderr}");
}
