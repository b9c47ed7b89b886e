//! `GET` and `PATCH /v2/merchant`, `PATCH /v2/sandbox/merchant` and `florin merchants set`.

use serde_json::{Value, json};

use crate::merchant_access;
use crate::openapi::assert_documented;
use crate::support::assert::{members, text};
use crate::support::payments::fresh_sandbox;
use crate::support::table::{Table, bad};
use crate::support::worlds::{create_world, restore, snapshot};
use crate::support::{
    Answer, BANKS, CHECKOUTS, Client, Server, Workspace, demo, expect_fault, expect_faults, expect_json, shared,
};

const MERCHANT: &str = "/v2/merchant";
const SANDBOX_MERCHANT: &str = "/v2/sandbox/merchant";

fn get(client: &Client) -> Value {
    let answer = client.get(MERCHANT);
    assert_documented("get", MERCHANT, &answer);
    expect_json(&answer, 200)
}

fn patch(client: &Client, path: &str, body: &Value) -> Answer {
    let answer = client.call("PATCH", path).json(body.to_string()).send();
    assert_documented("patch", path, &answer);
    answer
}

/// Withdraws every permission.
fn withdraw_permissions(client: &Client) {
    let none = json!({
        "brandingPermissions": {"canCustomiseColours": false, "canHideServiceLogo": false},
        "canCreateTopUpCheckouts": false, "reconciliation": {"enabled": false},
    });
    expect_json(&patch(client, SANDBOX_MERCHANT, &none), 200);
}

#[test]
fn the_profile_has_every_member() {
    let merchant = get(&shared().client());
    let names = [
        "accountId",
        "branding",
        "brandingPermissions",
        "canCreateTopUpCheckouts",
        "logoUrl",
        "name",
        "reconciliation",
        "returnPolicyUrl",
        "status",
    ];
    assert_eq!(members(&merchant), names);
    assert_eq!((&merchant["accountId"], &merchant["status"]), (&json!("F50091"), &json!("ACTIVE")));
    let branding = json!({"primaryColour": "#1d70b8", "backgroundColour": "#ffffff", "hideServiceLogo": false});
    assert_eq!(merchant["branding"], branding);
    let summary = shared().client().get(&format!("{MERCHANT}?accountId=F50091&include=paymentsSummary"));
    assert_documented("get", MERCHANT, &summary);
    let demo = json!([{"currencyCode": "GBP", "paidAmount": "28.50", "refundedAmount": "5.00", "count": 2}]);
    assert_eq!(expect_json(&summary, 200)["paymentsSummary"], demo);
    let wrong = shared().client().get(&format!("{MERCHANT}?accountId=F50091&include=everything"));
    expect_fault(&wrong, 400, "query.include", "invalid_value");
}

#[test]
fn other_merchants_have_no_permissions() {
    let server = Server::sandbox();
    let (_, world) = create_world(&server, json!({"template": "empty"}));
    for client in [server.other(), world] {
        let merchant = get(&client);
        let none = json!({"canCustomiseColours": false, "canHideServiceLogo": false});
        assert_eq!(merchant["brandingPermissions"], none);
        assert_eq!([&merchant["canCreateTopUpCheckouts"], &merchant["reconciliation"]["enabled"]], [&json!(false); 2]);
        assert_eq!(merchant["accountId"], client.account.as_str());
    }
}

#[test]
fn a_change_is_visible_immediately_and_is_merged() {
    let (_server, client) = fresh_sandbox();
    let before = get(&client);
    let change = json!({
        "name": "  Łódź\u{202e} Shop ", "returnPolicyUrl": null,
        "branding": {"primaryColour": "#AA0000", "backgroundColour": "#fefefe", "hideServiceLogo": true},
        "brandingPermissions": {"canCustomiseColours": true}, "reconciliation": {"enabled": true},
    });
    let changed = expect_json(&patch(&client, MERCHANT, &change), 200);
    assert_eq!(get(&client), changed);
    assert_eq!((&changed["name"], &changed["returnPolicyUrl"]), (&change["name"], &Value::Null));
    let branding = json!({"primaryColour": "#aa0000", "backgroundColour": "#fefefe", "hideServiceLogo": true});
    assert_eq!(changed["branding"], branding);
    let restored = json!({"branding": {"primaryColour": null, "hideServiceLogo": null}});
    let changed = expect_json(&patch(&client, MERCHANT, &restored), 200);
    let branding = json!({"primaryColour": "#1d70b8", "backgroundColour": "#fefefe", "hideServiceLogo": false});
    assert_eq!((&changed["branding"], &changed["brandingPermissions"]), (&branding, &before["brandingPermissions"]));
    assert_eq!(expect_json(&patch(&client, MERCHANT, &json!({})), 200), changed);
    expect_json(&patch(&client, MERCHANT, &json!({"branding": {"hideServiceLogo": true}})), 200);
    let changed = expect_json(&patch(&client, MERCHANT, &json!({"branding": null})), 200);
    assert_eq!(changed["branding"], before["branding"]);
}

#[test]
fn every_fault_of_a_change_is_named() {
    let (_server, client) = fresh_sandbox();
    let before = get(&client);
    let mut table = Table::default();
    for (body, path, code) in [
        (json!({"name": ""}), "body.name", "invalid_format"),
        (json!({"name": " \u{2003}"}), "body.name", "invalid_format"),
        (json!({"name": "x".repeat(65)}), "body.name", "too_long"),
        (json!({"name": null}), "body.name", "required"),
        (json!({"name": 7}), "body.name", "invalid_type"),
        (json!({"returnPolicyUrl": "http://shop.example"}), "body.returnPolicyUrl", "invalid_format"),
        (json!({"returnPolicyUrl": "https://ada:pw@shop.example"}), "body.returnPolicyUrl", "invalid_format"),
        (json!({"returnPolicyUrl": "https://shop.example/\u{202e}"}), "body.returnPolicyUrl", "invalid_format"),
        (json!({"branding": {"primaryColour": "blue"}}), "body.branding.primaryColour", "invalid_format"),
        (json!({"branding": {"primaryColour": "#ffff00"}}), "body.branding.primaryColour", "invalid_value"),
        (json!({"branding": {"backgroundColour": "#111111"}}), "body.branding.backgroundColour", "invalid_value"),
        (json!({"branding": {"colour": "#111111"}}), "body.branding.colour", "unknown_field"),
        (json!({"status": "ACTIVE"}), "body.status", "invalid_value"),
        (json!({"status": 5}), "body.status", "invalid_value"),
        (json!({"status": null}), "body.status", "invalid_value"),
        (json!({"reconciliation": {"enabled": 1}}), "body.reconciliation.enabled", "invalid_type"),
        (json!({"logoUrl": "https://shop.example/logo.png"}), "body.logoUrl", "unknown_field"),
    ] {
        table.check(&bad(body.to_string(), path, code), &patch(&client, MERCHANT, &body));
    }
    table.assert_passed(17);
    assert_eq!(get(&client), before);
}

#[test]
fn only_the_operator_changes_permissions() {
    let (_server, client) = fresh_sandbox();
    withdraw_permissions(&client);
    let before = get(&client);
    for body in [
        json!({"name": "New", "canCreateTopUpCheckouts": true}),
        json!({"name": "New", "brandingPermissions": {"canHideServiceLogo": true}}),
        json!({"reconciliation": {"enabled": true}}),
    ] {
        expect_fault(&patch(&client, MERCHANT, &body), 403, "", "feature_not_enabled");
    }
    let faults = [
        ("body.branding.primaryColour", "invalid_value"),
        ("body.branding.backgroundColour", "invalid_value"),
        ("body.branding.hideServiceLogo", "invalid_value"),
    ];
    let branding = json!({"primaryColour": "#000000", "backgroundColour": "#ffffff", "hideServiceLogo": true});
    expect_faults(&patch(&client, MERCHANT, &json!({"branding": branding})), 400, &faults);
    assert_eq!(get(&client), before);
    let same = json!({"name": "New", "canCreateTopUpCheckouts": false, "branding": {"hideServiceLogo": false}});
    assert_eq!(expect_json(&patch(&client, MERCHANT, &same), 200)["name"], "New");
}

#[test]
fn without_an_active_profile_only_the_bank_list_answers() {
    let (_server, client) = fresh_sandbox();
    let plain = client.with_account("F50092");
    let absent = |client: &Client| {
        merchant_access::expect_no_merchant(client);
        expect_json(&client.get(BANKS), 200);
    };
    absent(&plain);
    let created = expect_json(&patch(&plain, SANDBOX_MERCHANT, &json!({})), 200);
    assert_eq!((&created["name"], &created["status"]), (&json!("Florin Demo Reserves"), &json!("ACTIVE")));
    assert_eq!(get(&plain), created);
    let accounts = expect_json(&plain.get("/v2/accounts/F50092?"), 200).to_string();
    assert!(accounts.contains("\"merchant\":true") || accounts.contains("\"isMerchant\":true"), "{accounts}");
    for client in [&plain, &client] {
        let off = expect_json(&patch(client, SANDBOX_MERCHANT, &json!({"status": "DEACTIVATED"})), 200);
        assert_eq!(off["status"], "DEACTIVATED");
        absent(client);
        expect_json(&patch(client, SANDBOX_MERCHANT, &json!({"status": "ACTIVE"})), 200);
        expect_json(&client.get(CHECKOUTS), 200);
    }
    expect_fault(&patch(&client, SANDBOX_MERCHANT, &json!({"status": "GONE"})), 400, "body.status", "invalid_value");
}

#[test]
fn one_idempotency_key_changes_the_profile_once() {
    let (_server, client) = fresh_sandbox();
    let send =
        |body: &Value| client.call("PATCH", MERCHANT).header("Idempotency-Key", "one").json(body.to_string()).send();
    let first = send(&json!({"name": "One"}));
    assert!(!first.replayed());
    patch(&client, MERCHANT, &json!({"name": "Two"}));
    let again = send(&json!({"name": "One"}));
    assert!(again.replayed());
    assert_eq!((again.status, again.body), (200, first.body));
    assert_eq!(get(&client)["name"], "Two");
    expect_fault(&send(&json!({"name": "Three"})), 422, "body.name", "idempotency_mismatch");
}

#[test]
fn profiles_of_other_accounts_are_absent() {
    let (server, client) = fresh_sandbox();
    let foreign = client.with_account(&demo().other_account);
    for path in [MERCHANT, SANDBOX_MERCHANT] {
        expect_fault(&patch(&foreign, path, &json!({"name": "x"})), if path == MERCHANT { 404 } else { 400 }, "*", "*");
    }
    expect_fault(&patch(&foreign, SANDBOX_MERCHANT, &json!({})), 404, "query.accountId", "not_found");
    expect_fault(&server.limited().get(MERCHANT), 403, "header.Authorization", "insufficient_scope");
    assert_eq!(get(&server.other())["name"], "Other Shop Ltd");
}

#[test]
fn a_restored_world_has_its_profile_again() {
    let server = Server::sandbox();
    let (_, world) = create_world(&server, json!({"template": "demo"}));
    let before = get(&world);
    let id = snapshot(&world);
    expect_json(&patch(&world, MERCHANT, &json!({"name": "Changed"})), 200);
    expect_json(&patch(&world, SANDBOX_MERCHANT, &json!({"status": "DEACTIVATED"})), 200);
    restore(&world, &id);
    assert_eq!(get(&world), before);
}

#[test]
fn the_operator_sets_merchants() {
    let workspace = Workspace::demo();
    let set = workspace.json(&[
        "merchants",
        "set",
        "F50091",
        "--status",
        "DEACTIVATED",
        "--withdraw",
        "reconciliation",
        "--withdraw",
        "customise-colours",
        "--json",
    ]);
    let expected = json!({"accountId": "F50091", "name": "Florin Demo Ltd", "status": "DEACTIVATED",
        "permissions": ["hide-service-logo", "create-top-up-checkouts"]});
    assert_eq!(set, expected);
    let created = workspace.json(&["merchants", "set", "F50092", "--grant", "reconciliation", "--json"]);
    assert_eq!((&created["status"], &created["permissions"]), (&json!("ACTIVE"), &json!(["reconciliation"])));
    workspace.refused(&["merchants", "set", "F79999"]);
    workspace.refused(&["merchants", "set", "F50091", "--status", "GONE"]);
    workspace.refused(&["merchants", "set", "F50091", "--grant", "everything"]);
    let both = ["merchants", "set", "F50091", "--grant", "reconciliation", "--withdraw", "reconciliation"];
    let refused = workspace.refused_as_invalid(&both);
    assert!(refused.contains("cannot both grant and withdraw reconciliation"), "{refused}");
    let audit = workspace.json(&["audit", "list", "--json"]).to_string();
    assert!(audit.contains("merchants set") && audit.contains("merchant F50091: DEACTIVATED"), "{audit}");
    let server = Server::on(workspace);
    expect_fault(&server.client().get(MERCHANT), 404, "query.accountId", "not_found");
    assert_eq!(text(&get(&server.client().with_account("F50092")), "/name"), "Florin Demo Reserves");
}
