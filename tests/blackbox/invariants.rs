//! `GET /v2/sandbox/invariants`: the books of an account, checked on demand.

use serde_json::{Value, json};

use crate::openapi::assert_documented;
use crate::support::payments::{confirmed, filled, fresh_sandbox, pounds};
use crate::support::{AUTHORIZATION, CLEARING, Client, Server, Wallet, Workspace, expect_fault, expect_json, shared};

const PATH: &str = "/v2/sandbox/invariants";

fn checked(client: &Client) -> Value {
    let answer = client.get(PATH);
    assert_documented("get", PATH, &answer);
    expect_json(&answer, 200)
}

/// Expects that all invariants hold. Returns the name of each check, and its number of checked objects.
fn expect_sound(client: &Client) -> Vec<(String, i64)> {
    let report = checked(client);
    assert_eq!(report["verdict"], "holds", "{report}");
    let check = |check: &Value| {
        assert_eq!(check, &json!({"name": check["name"], "verdict": "holds", "checked": check["checked"]}));
        (check["name"].as_str().unwrap().to_owned(), check["checked"].as_i64().unwrap())
    };
    report["checks"].as_array().unwrap().iter().map(check).collect()
}

#[test]
fn the_demo_data_fulfils_all_invariants() {
    for client in [shared().client(), shared().other()] {
        let names: Vec<_> = expect_sound(&client).into_iter().map(|(name, _)| name).collect();
        let expected = [
            "conservation",
            "balances",
            "holds",
            "reservations",
            "spending_limits",
            "disputes",
            "merchant_settlements",
            "merchant_refunds",
            "merchant_sessions",
            "hash_chains",
        ];
        assert_eq!(names, expected);
    }
}

#[test]
fn counts_of_checked_objects_grow_with_activity() {
    let (server, client) = fresh_sandbox();
    let wallet = Wallet::with(&server, "GBP", 50_000);
    let before = expect_sound(&client);
    let others = expect_sound(&server.other());
    let bought = wallet.token(AUTHORIZATION, "10");
    wallet.follow_ok(CLEARING, &bought, "8");
    wallet.token(AUTHORIZATION, "30");
    let after = expect_sound(&client);
    assert_eq!(after[0].1, before[0].1 + 3, "two holds and a clearing");
    assert_eq!((after[1].1, after[2].1), (before[1].1, before[2].1 + 1));
    assert_eq!(after[9].1, before[9].1 + 4, "two holds, and a clearing with two legs");
    assert_eq!(expect_sound(&server.other()), others);
}

/// A change of the journal that breaks no sum.
const CHANGE: &str = "UPDATE journal_legs SET cause_id = (SELECT id FROM clients LIMIT 1) WHERE kind = 'credit'";

#[test]
fn a_leg_that_was_changed_is_named() {
    let workspace = Workspace::demo();
    workspace.sql(CHANGE).unwrap();
    let server = Server::on(workspace);
    let report = checked(&server.client());
    assert_eq!(report["verdict"], "broken");
    let broken = report["checks"].as_array().unwrap().iter().filter(|check| check["verdict"] == "broken");
    let broken: Vec<_> = broken.collect();
    assert_eq!((broken.len(), &broken[0]["name"]), (1, &json!("hash_chains")), "{report}");
    let example = &broken[0]["counterExample"];
    assert_eq!((&example["reason"], &example["leg"]["line"]), (&json!("changed"), &json!(0)), "{report}");
    let (_, workspace) = server.stop();
    let output = workspace.run(&["check", "--json"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((output.status.success(), &report["ok"]), (false, &json!(false)));
    let found = report["discrepancies"].as_array().unwrap();
    assert!(found.iter().all(|line| line["kind"] == "hashChain" && line["reason"] == "changed"), "{report}");
    let journal = example["leg"]["journalId"].as_str().unwrap();
    assert!(found.iter().any(|line| line["journalId"] == journal), "{report}");
    let text = workspace.run(&["check"]);
    let text = String::from_utf8(text.stdout).unwrap();
    assert!(text.contains(&format!("line 0 of journal transaction {journal}")), "{text}");
}

#[test]
fn all_invariants_hold_while_payments_are_processed() {
    let (server, client) = fresh_sandbox();
    let wallet = Wallet::with(&server, "GBP", 50_000);
    let rows: Vec<_> = (0..40).map(|number| pounds("1", if number % 3 == 0 { "SBX-FAIL-NAME" } else { "x" })).collect();
    let batch = filled(&client, &rows);
    confirmed(&client, &batch);
    for _ in 0..20 {
        expect_sound(&client);
        wallet.token(AUTHORIZATION, "0.01");
    }
    drop(server);
}

#[test]
fn accounts_of_other_clients_are_absent() {
    let stranger = shared().other().with_account(&shared().client().account);
    let answer = stranger.get(PATH);
    assert_documented("get", PATH, &answer);
    expect_fault(&answer, 404, "query.accountId", "not_found");
    expect_fault(&shared().client().get(&format!("{PATH}?x=1")), 400, "query.accountId", "required");
    expect_fault(&shared().limited().get(PATH), 403, "header.Authorization", "insufficient_scope");
}
