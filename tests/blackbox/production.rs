//! The production environment: no simulations, no demo data, no sandbox keys.

use std::sync::OnceLock;

use serde_json::{Value, json};

use crate::support::assert::text;
use crate::support::management::{CARDS, balance, budget, card, limits, transfer, transition_card};
use crate::support::receiver::{WEBHOOKS, status, wait_for_delivery, webhook_path};
use crate::support::wallet::{credit_body, first_body, follow_body};
use crate::support::{
    ABSENT, AUTHORIZATION, BANKS, CHECKOUTS, CREDIT, Client, LOOKUP, MFA_SESSIONS, SIMULATIONS, Server, Workspace,
    confirm_path, demo, expect_fault, expect_faults, expect_json,
};

const ACCOUNT: &str = "P10001";

/// Returns the operations for an operator's decisions about merchants and for payers' actions, which exist in the
/// sandbox only.
fn decisions() -> [(&'static str, String, &'static str); 5] {
    [
        ("PATCH", "/v2/sandbox/merchant".to_owned(), "{}"),
        (
            "POST",
            format!("/v2/sandbox/merchant/settlement-accounts/{ABSENT}/approval"),
            r#"{"approvalStatus": "APPROVED"}"#,
        ),
        ("POST", format!("/v2/sandbox/merchant/payees/{ABSENT}/approval"), r#"{"approvalStatus": "APPROVED"}"#),
        (
            "POST",
            format!("/v2/sandbox/checkout-sessions/{ABSENT}/pay"),
            r#"{"bankId": "9e3779b97f4a7c15a6eaf652ba3f2e1d", "outcome": "approve"}"#,
        ),
        ("POST", format!("/v2/sandbox/refunds/{ABSENT}/authorise"), r#"{"outcome": "approve"}"#),
    ]
}

/// A production server with one account, and its keys.
struct Production {
    server: Server,
    /// A key with all scopes, even those of simulations, as older versions issued it.
    key: String,
    /// A key with all scopes that production grants.
    granted: String,
    /// A key that may only read banks.
    limited: String,
}

fn production() -> &'static Production {
    static PRODUCTION: OnceLock<Production> = OnceLock::new();
    PRODUCTION.get_or_init(|| {
        let workspace = Workspace::empty().production();
        assert!(workspace.run(&["init"]).status.success());
        let client = workspace.json(&["clients", "create", "--name", "Live", "--json"]);
        let client = text(&client, "/id").to_owned();
        workspace.json(&["accounts", "create", ACCOUNT, "--client", &client, "--merchant", "Live shop", "--json"]);
        let issue = |workspace: &Workspace, scope: &[&str]| {
            let mut arguments = vec!["keys", "issue", "--client", &client, "--json"];
            arguments.extend(scope);
            text(&workspace.json(&arguments), "/key").to_owned()
        };
        let key = issue(&workspace, &["--all-scopes"]);
        workspace.grant_simulations();
        let granted = issue(&workspace, &["--all-scopes"]);
        let limited = issue(&workspace, &["--scope", "merchant:banks:read:any"]);
        Production { server: Server::on(workspace), key, granted, limited }
    })
}

fn client() -> Client {
    production().server.client_of(&production().key, ACCOUNT)
}

#[test]
fn the_environment_is_reported() {
    assert_eq!(production().server.banner["environment"], "production");
    assert_eq!(client().with_authorization(None).get("/readyz?").status, 200);
}

#[test]
fn budgets_and_cards_are_managed_as_in_the_sandbox() {
    let client = client();
    let (one, two) = (budget(&client, "One"), budget(&client, "Two"));
    assert_eq!(balance(&client, &one), ["0.00"; 3]);
    expect_fault(&transfer(&client, &one, &two, "0.01"), 409, "body.amount", "insufficient_funds");
    let card = card(&client, &one);
    expect_json(&transition_card(&client, &card, "SUSPENDED"), 200);
    let path = format!("{CARDS}/{card}/spending-limits");
    expect_json(&client.post(&path, r#"{"limitWindow": "DAY", "amount": 1}"#), 200);
    assert_eq!(limits(&client, &card).len(), 1);
    expect_fault(&client.get(&format!("{CARDS}/{card}/details")), 403, "", "sandbox_only");
}

/// The client has no feature `events`, so it cannot list events. Its subscription still gets them.
#[test]
fn an_event_is_queued_for_a_subscription_without_the_feature() {
    let client = client();
    expect_fault(&client.get("/v2/events"), 403, "", "feature_not_enabled");
    let before = card(&client, &budget(&client, "Unseen"));
    let subscription = json!({
        "enabled": true, "url": "https://localhost:9000/", "webhookEventTypeName": "CardStateUpdated",
        "accountId": ACCOUNT,
    });
    let webhook = expect_json(&client.post(WEBHOOKS, subscription.to_string()), 201);
    expect_json(&transition_card(&client, &before, "SUSPENDED"), 200);
    let queued = wait_for_delivery(&client, &webhook, status("failed"));
    assert_eq!(queued["attempts"][0]["error"], "target_not_allowed", "{queued}");
    let path = webhook_path(&webhook, "");
    assert_eq!(client.call("DELETE", &path).send().status, 204);
}

#[test]
fn every_simulation_is_refused() {
    for path in SIMULATIONS {
        let good = match path {
            CREDIT => credit_body(ABSENT, "1.00", "GBP"),
            _ if path.ends_with("authorization") => first_body(ABSENT, "1.00"),
            _ => follow_body(ABSENT, "1.00"),
        };
        for body in [good.as_str(), "{}", "{", "[]"] {
            expect_fault(&client().post(path, body), 403, "", "sandbox_only");
        }
        let bare = client().call("POST", &format!("{path}?")).header("Content-Type", "text/plain").bytes("x").send();
        expect_fault(&bare, 403, "", "sandbox_only");
    }
}

#[test]
fn scopes_of_simulations_are_not_granted() {
    let workspace = production().server.workspace();
    for scope in ["budgets:simulate:any", "cards:simulate:any", "merchant:simulate:any"] {
        let arguments = ["keys", "issue", "--client", "Live", "--scope", "cards:read:any", "--scope", scope];
        let stderr = workspace.refused_as_invalid(&arguments);
        assert!(stderr.contains(scope) && stderr.contains("production"), "{stderr}");
    }
    let listed = workspace.json(&["keys", "list", "--json"]);
    let scopes = |row: &Value| row["scopes"].as_array().unwrap().len();
    let mut counts: Vec<_> = listed["rows"].as_array().unwrap().iter().map(scopes).collect();
    counts.sort_unstable();
    assert!(counts[0] == 1 && counts[1] > 30 && counts[2..] == [counts[1] + 3], "{listed}");
    let granted = production().server.client_of(&production().granted, ACCOUNT);
    expect_json(&granted.get(BANKS), 200);
    for path in SIMULATIONS {
        expect_fault(&granted.post(path, "{}"), 403, "header.Authorization", "insufficient_scope");
    }
}

#[test]
fn the_scope_is_checked_before_the_environment() {
    let limited = production().server.client_of(&production().limited, ACCOUNT);
    for path in SIMULATIONS {
        let answer = limited.post(path, "{}");
        expect_fault(&answer, 403, "header.Authorization", "insufficient_scope");
    }
}

#[test]
fn explanations_and_invariants_are_refused() {
    for path in [format!("/v2/budgets/{ABSENT}/explanation"), "/v2/sandbox/invariants".to_owned()] {
        expect_fault(&client().get(&path), 403, "", "sandbox_only");
        let limited = production().server.client_of(&production().limited, ACCOUNT);
        expect_fault(&limited.get(&path), 403, "header.Authorization", "insufficient_scope");
    }
}

#[test]
fn settings_of_card_messages_are_refused() {
    for path in ["/v2/sandbox/hold-life", "/v2/sandbox/over-clearing"] {
        expect_fault(&client().get(path), 403, "", "sandbox_only");
        expect_fault(&client().put(path, "{}"), 403, "", "sandbox_only");
    }
    expect_fault(&client().post("/v2/sandbox/scenarios", "{}"), 403, "", "sandbox_only");
}

#[test]
fn only_the_operator_decides_about_merchants() {
    let limited = production().server.client_of(&production().limited, ACCOUNT);
    for (method, path, body) in decisions() {
        for body in [body, "{"] {
            expect_fault(&client().call(method, &path).json(body).send(), 403, "", "sandbox_only");
        }
        let answer = limited.call(method, &path).json(body).send();
        let fault = expect_fault(&answer, 403, "header.Authorization", "insufficient_scope");
        assert!(fault.message.contains("merchant:simulate:any"), "{fault:?}");
    }
    // Production has no banks of payers, so these requests are refused whatever they contain.
    for path in ["checkout-sessions".to_owned(), "top-ups".to_owned(), format!("payments/{ABSENT}/refunds")] {
        expect_fault(&client().post(&format!("/v2/merchant/{path}"), "{"), 403, "", "feature_not_enabled");
    }
    // A new settlement account waits for the operator's approval.
    let details = json!({"type": "SORT_CODE", "sortCode": "200000", "accountNumber": "55779911"});
    let new = json!({"currencyCode": "GBP", "bankDetails": details}).to_string();
    let created = expect_json(&client().post("/v2/merchant/settlement-accounts", new), 201);
    assert_eq!(created["approvalStatus"], "PENDING");
    let workspace = production().server.workspace();
    let approved = workspace.json(&["merchants", "approve", ACCOUNT, text(&created, "/id"), "--json"]);
    assert_eq!(approved["approvalStatus"], "APPROVED");
    let found = expect_json(&client().get(&format!("/v2/merchant/settlement-accounts/{}", text(&created, "/id"))), 200);
    assert_eq!((&found["approvalStatus"], &found["isDefault"]), (&json!("APPROVED"), &json!(true)));
}

#[test]
fn dry_runs_are_refused() {
    let mfa = json!({"provider": "totp", "sessionId": ABSENT, "token": "000000"});
    let transfer_body = json!({"destinationBudgetId": ABSENT, "currency": "GBP", "amount": "1"});
    for (path, body, named) in [
        (confirm_path(ABSENT), json!({"mfa": mfa}), "path.paymentBatchId"),
        (format!("/v2/budgets/{}/transfer", ABSENT.replace("dead", "beef")), transfer_body, "path.budgetId"),
    ] {
        let path_with = |value: &str| format!("{path}?accountId={ACCOUNT}&dryRun={value}");
        for body in [body.to_string().as_str(), "{"] {
            expect_fault(&client().post(&path_with("true"), body), 403, "", "sandbox_only");
        }
        expect_fault(&client().post(&path_with("false"), body.to_string()), 404, named, "not_found");
        expect_fault(&client().post(&path_with("1"), body.to_string()), 400, "query.dryRun", "invalid_value");
        let limited = production().server.client_of(&production().limited, ACCOUNT);
        expect_fault(&limited.post(&path_with("true"), "{}"), 403, "header.Authorization", "insufficient_scope");
    }
}

#[test]
fn demo_keys_are_refused() {
    for key in [&demo().api_key, &demo().other_key, &demo().limited_key] {
        let answer = production().server.client_of(key, &demo().account).get(BANKS);
        expect_fault(&answer, 403, "header.Authorization", "invalid_credentials");
    }
}

#[test]
fn lists_of_the_account_work() {
    let page = expect_json(&client().get(CHECKOUTS), 200);
    assert_eq!(page, json!({"limit": 100, "offset": 0, "count": 0, "rows": []}));
    expect_json(&client().get(BANKS), 200);
    let activity = expect_json(&client().get(&format!("/v2/activity/{ACCOUNT}?limit=7")), 200);
    assert_eq!(activity, json!({"limit": 7, "offset": 0, "count": 0, "rows": []}));
    expect_fault(&client().get(&format!("{LOOKUP}?postcode=SW1A1AA")), 403, "", "feature_not_enabled");
}

#[test]
fn the_sandbox_mfa_provider_is_unknown() {
    let body = json!({"paymentBatchId": ABSENT, "provider": "sandbox"}).to_string();
    expect_fault(&client().post(MFA_SESSIONS, body), 400, "body.provider", "invalid_value");
    let mfa = json!({"provider": "sandbox", "sessionId": ABSENT, "token": "000000"});
    let answer = client().post(&confirm_path(ABSENT), json!({"mfa": mfa}).to_string());
    expect_faults(&answer, 400, &[("body.mfa.provider", "invalid_value")]);
    let mfa = json!({"provider": "fx-mfa-service", "sessionId": ABSENT, "token": "000000"});
    let answer = client().post(&confirm_path(ABSENT), json!({"mfa": mfa}).to_string());
    expect_fault(&answer, 404, "path.paymentBatchId", "not_found");
}

#[test]
fn demo_data_is_refused() {
    let workspace = Workspace::empty().production();
    assert!(workspace.run(&["init"]).status.success());
    workspace.refused(&["demo"]);
    workspace.refused(&["demo", "--json"]);
    workspace.refused(&["demo", "--environment", "production"]);
    let clients = workspace.json(&["clients", "list", "--json"]);
    assert_eq!(clients, json!({"rows": []}));
}

#[test]
fn the_sandbox_serves_what_production_refuses() {
    let server = Server::sandbox();
    let answer = server.client().post(AUTHORIZATION, first_body(&demo().active_card("GBP").id, "0"));
    expect_json(&answer, 201);
}
