//! The command line: commands, output for scripts, and errors for wrong arguments and settings.

use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::assert::{members, text, time, uuid};
use crate::support::money::parse_amount;
use crate::support::server::MAX_WAIT;
use crate::support::{BANKS, Server, Wallet, Workspace, demo, expect_json};

/// Creates a client, and returns its id.
fn create(workspace: &Workspace, name: &str) -> String {
    text(&workspace.json(&["clients", "create", "--name", name, "--json"]), "/id").to_owned()
}

fn rows(workspace: &Workspace, arguments: &[&str]) -> Vec<Value> {
    let list = workspace.json(arguments);
    assert_eq!(members(&list), ["rows"]);
    list["rows"].as_array().unwrap().clone()
}

fn expect_success(workspace: &Workspace, arguments: &[&str]) {
    let output = workspace.run(arguments);
    assert!(output.status.success(), "florin {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn the_demo_data_is_complete() {
    let json = &demo().json;
    let expected = [
        "accountId",
        "apiKey",
        "baseUrl",
        "budgets",
        "cards",
        "checkoutSessions",
        "checkouts",
        "limitedApiKey",
        "mfa",
        "orders",
        "other",
        "payees",
        "paymentBatches",
        "payments",
        "postcodes",
        "refunds",
        "settlementAccounts",
    ];
    assert_eq!(members(json), expected);
    assert_eq!(json["accountId"], "F50091");
    assert_eq!(members(&json["other"]), ["accountId", "apiKey"]);
    assert_eq!(members(&json["mfa"]), ["provider", "secret"]);
    assert_eq!(json["mfa"]["provider"], "totp");
    assert!(text(json, "/baseUrl").ends_with("/v2"));
    let keys = [text(json, "/apiKey"), text(json, "/other/apiKey"), text(json, "/limitedApiKey")];
    assert!(keys[0] != keys[1] && keys[1] != keys[2] && keys[0] != keys[2]);

    let currencies: Vec<_> = array("budgets").iter().map(|budget| text(budget, "/currencyCode")).collect();
    assert!(["GBP", "EUR", "JPY"].iter().all(|currency| currencies.contains(currency)), "{currencies:?}");
    for budget in array("budgets") {
        assert_eq!(members(budget), ["availableBalance", "currencyCode", "id", "ledgerBalance"]);
        uuid(&budget["id"]);
    }
    for state in ["UNACTIVATED", "ACTIVE", "SUSPENDED", "REPLACED", "TERMINATED"] {
        demo().card_in(state);
    }
    assert!(demo().active_cards("GBP").count() >= 2);
    assert!(demo().active_cards("JPY").count() >= 2);
    demo().expired_card();
    for card in array("cards") {
        uuid(&card["id"]);
        assert!(array("budgets").iter().any(|budget| budget["id"] == card["budgetId"]), "{card}");
    }
    for status in ["draft", "validated", "confirmed", "started", "completed", "failed", "cancelled"] {
        demo().batch(status);
    }
    assert!(demo().batches("validated").len() >= 8);
    for status in ["OPEN", "PROCESSING", "COMPLETED", "CANCELLED", "ABANDONED", "EXPIRED"] {
        let mut sessions = array("checkoutSessions").iter();
        let session =
            sessions.find(|session| session["status"] == status).unwrap_or_else(|| panic!("no {status} session"));
        assert_eq!(session.get("checkoutUrl").is_some(), status == "OPEN", "{session}");
    }
    assert!(array("payments").iter().any(|payment| payment["type"] == "REFUND" && payment["status"] == "COMPLETED"));
    assert!(!array("refunds").is_empty() && !array("orders").is_empty());
    assert!(array("checkouts").len() >= 120);
    assert!(!demo().postcodes().is_empty());
}

fn array(name: &str) -> &'static Vec<Value> {
    demo().json[name].as_array().unwrap()
}

#[test]
fn the_demo_data_is_created_once() {
    let workspace = Workspace::demo();
    assert_eq!(workspace.json(&["demo", "--json"]), demo().json);
    let server = Server::on(workspace);
    let page = expect_json(&server.client().get(crate::support::CHECKOUTS), 200);
    assert_eq!(page["count"], array("checkouts").len());
}

#[test]
fn the_demo_keys_are_well_known() {
    let fresh = Workspace::empty().json(&["demo", "--json"]);
    for place in ["/apiKey", "/other/apiKey", "/limitedApiKey", "/accountId", "/other/accountId"] {
        assert_eq!(fresh.pointer(place), demo().json.pointer(place), "{place}");
    }
}

#[test]
fn the_printed_balances_match_the_cards() {
    let server = Server::sandbox();
    let mut seen = 0;
    for budget in array("budgets") {
        let currency = text(budget, "/currencyCode");
        for card in demo().active_cards(currency).filter(|card| budget["id"] == card.budget.as_str()) {
            let balance = Wallet { client: server.client(), card: card.clone(), reserved: 0 }.balance();
            assert_eq!(balance.ledger, parse_amount(text(budget, "/ledgerBalance"), currency), "{budget}");
            assert_eq!(balance.available, parse_amount(text(budget, "/availableBalance"), currency), "{budget}");
            seen += 1;
        }
    }
    assert!(seen >= 4, "only {seen} cards");
}

#[test]
fn serve_creates_the_demo_data_in_a_new_sandbox() {
    let server = Server::on(Workspace::empty());
    let page = expect_json(&server.client().get(crate::support::CHECKOUTS), 200);
    assert_eq!(page["count"], array("checkouts").len());
}

#[test]
fn serve_is_the_default_and_prints_a_command_that_works() {
    let server = Server::for_people(Workspace::empty());
    let mut printed = String::new();
    while let Some(line) = server.printed(if printed.contains("curl") { Duration::from_secs(1) } else { MAX_WAIT }) {
        printed.push_str(&line);
        printed.push('\n');
    }
    assert!(printed.contains(&demo().api_key), "no key: {printed}");
    let start = printed.find("curl ").unwrap_or_else(|| panic!("no curl line: {printed}"));
    let mut command = String::new();
    for line in printed[start..].lines() {
        command.push_str(line.trim_end().trim_end_matches('\\'));
        if !line.trim_end().ends_with('\\') {
            break;
        }
    }
    let output = Command::new("sh").args(["-c", &command]).output().unwrap();
    let body = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
    let json = &body[body.find('{').unwrap_or_else(|| panic!("{command}: {body}"))..];
    let json: Value = serde_json::from_str(json.trim()).unwrap_or_else(|error| panic!("{command}: {error} in {body}"));
    assert!(json.get("errors").is_none(), "{command}: {body}");
}

#[test]
fn migrations_are_applied_and_checked() {
    let workspace = Workspace::empty();
    // The file does not exist yet, or the database is empty.
    let before = workspace.run(&["migrate", "--check"]);
    assert!(matches!(before.status.code(), Some(1 | 2)), "{}", String::from_utf8_lossy(&before.stderr));
    expect_success(&workspace, &["migrate"]);
    expect_success(&workspace, &["migrate", "--check"]);
    expect_success(&workspace, &["migrate"]);
    expect_success(&Workspace::demo(), &["migrate", "--check"]);
}

#[test]
fn flags_override_the_environment() {
    let workspace = Workspace::empty();
    let url = workspace.setting("FLORIN_DATABASE_URL");
    let workspace = workspace.set("FLORIN_DATABASE_URL", "mongodb://nowhere/florin");
    expect_success(&workspace, &["migrate", "--database-url", &url]);
    expect_success(&workspace, &["migrate", "--check", "--database-url", &url]);
    let path = workspace.path().join("other.db").display().to_string();
    expect_success(&workspace, &["migrate", "--database-url", &path]);
    assert!(workspace.path().join("other.db").exists());
    expect_success(&workspace, &["migrate", "--check", "--database-url", &format!("sqlite://{path}")]);
}

#[test]
fn a_plain_path_names_a_database() {
    let workspace = Workspace::empty();
    let path = workspace.path().join("florin.db").display().to_string();
    let server = Server::on(workspace.set("FLORIN_DATABASE_URL", &path));
    expect_json(&server.client().get(BANKS), 200);
    let (_, workspace) = server.stop();
    assert!(workspace.path().join("florin.db").exists());
}

#[test]
fn an_invalid_setting_is_a_one_line_error() {
    for (name, value) in [
        ("FLORIN_ENVIRONMENT", "staging"),
        ("FLORIN_LISTEN", "nonsense"),
        ("FLORIN_LISTEN", "127.0.0.1:99999"),
        ("FLORIN_DATABASE_URL", "mongodb://localhost/florin"),
        ("FLORIN_DATABASE_URL", "/nowhere/at/all/florin.db"),
        ("FLORIN_RATE_LIMIT", "many"),
        ("FLORIN_RATE_LIMIT", "-1"),
        ("FLORIN_METRICS", "perhaps"),
    ] {
        let stderr = Workspace::empty().set(name, value).refused(&["serve", "--json"]);
        assert_eq!(stderr.trim().lines().count(), 1, "{name}={value}: {stderr}");
    }
}

#[test]
fn an_address_in_use_prevents_the_start() {
    let server = Server::sandbox();
    let stderr = Workspace::empty().set("FLORIN_LISTEN", &server.address).refused(&["serve", "--json"]);
    assert!(stderr.contains(server.address.as_str()), "{stderr}");
}

#[test]
fn clients_are_created_and_listed() {
    let workspace = Workspace::demo();
    let id = create(&workspace, "Ünïcode & Co");
    uuid(&json!(id));
    let listed = rows(&workspace, &["clients", "list", "--json"]);
    assert!(listed.len() >= 3, "{listed:?}");
    let ours = listed.iter().find(|client| client["id"] == id.as_str()).unwrap();
    assert_eq!(ours["name"], "Ünïcode & Co");
    assert!(listed.iter().any(|client| client["name"] == "demo"), "{listed:?}");
    workspace.refused(&["clients", "create", "--json"]);
    workspace.refused(&["clients", "create", "--name", "", "--json"]);
    workspace.refused(&["clients", "create", "--name", "x", "--allow-network", "nonsense", "--json"]);
    workspace.refused(&["clients", "create", "--name", "x", "--allow-network", "10.0.0.0/33", "--json"]);
    assert_eq!(rows(&workspace, &["clients", "list", "--json"]), listed);
}

#[test]
fn accounts_are_created_and_listed() {
    let workspace = Workspace::demo();
    let id = create(&workspace, "Accounts");
    workspace.json(&["accounts", "create", "F70001", "--client", &id, "--merchant", "Shop", "--json"]);
    workspace.json(&["accounts", "create", "F70002", "--client", &id, "--mfa-optional", "--json"]);
    let listed = workspace.json(&["accounts", "list", "--json"]).to_string();
    for account in ["F70001", "F70002", "F50091"] {
        assert!(listed.contains(account), "{account}: {listed}");
    }
    workspace.refused(&["accounts", "create", "F70001", "--client", &id, "--json"]);
    workspace.refused(&["accounts", "create", "F50091", "--client", &id, "--json"]);
    workspace.refused(&["accounts", "create", "F70003", "--client", crate::support::ABSENT, "--json"]);
    workspace.refused(&["accounts", "create", "F70003", "--json"]);
    workspace.refused(&["accounts", "create", &"F".repeat(37), "--client", &id, "--json"]);
    workspace.refused(&["accounts", "create", "", "--client", &id, "--json"]);
    workspace.refused(&["accounts", "create", "F70003", "--client", &id, "--name", "A", "--merchant", "B", "--json"]);
    assert_eq!(workspace.json(&["accounts", "list", "--json"]).to_string(), listed);
}

#[test]
fn keys_are_issued_and_listed() {
    let workspace = Workspace::demo();
    let id = create(&workspace, "Keys");
    workspace.json(&["accounts", "create", "F70001", "--client", &id, "--json"]);
    let issued = workspace.json(&[
        "keys",
        "issue",
        "--client",
        &id,
        "--scope",
        "merchant:banks:read:any",
        "--scope",
        "cards:simulate:any",
        "--account",
        "F70001",
        "--expires-at",
        "2099-01-01T00:00:00Z",
        "--json",
    ]);
    let expected = ["accounts", "clientId", "createdAt", "environment", "expiresAt", "id", "key", "scopes"];
    assert_eq!(members(&issued), expected);
    assert_eq!(issued["clientId"], id.as_str());
    assert_eq!(issued["accounts"], json!(["F70001"]));
    let mut scopes: Vec<_> = issued["scopes"].as_array().unwrap().iter().map(|scope| scope.as_str().unwrap()).collect();
    scopes.sort_unstable();
    assert_eq!(scopes, ["cards:simulate:any", "merchant:banks:read:any"]);
    assert_eq!(time(&issued["expiresAt"]).to_rfc3339(), "2099-01-01T00:00:00+00:00");
    let plain = workspace.json(&["keys", "issue", "--client", &id, "--json"]);
    assert_eq!(plain["scopes"], json!([]));
    assert!(plain["expiresAt"].is_null());
    assert_ne!(plain["key"], issued["key"]);

    let listed = rows(&workspace, &["keys", "list", "--client", &id, "--json"]);
    assert_eq!(listed.len(), 2);
    assert!(rows(&workspace, &["keys", "list", "--json"]).len() >= 5);
    for row in &listed {
        assert!(row.get("key").is_none(), "{row}");
        assert!(members(row).iter().all(|name| !name.to_lowercase().contains("hash")), "{row}");
    }
    let before = listed.len();
    workspace.refused(&["keys", "issue", "--client", crate::support::ABSENT, "--json"]);
    workspace.refused(&["keys", "issue", "--client", &id, "--scope", "everything", "--json"]);
    workspace.refused(&["keys", "issue", "--client", &id, "--account", "F50091", "--json"]);
    workspace.refused(&["keys", "issue", "--client", &id, "--account", "F79999", "--json"]);
    workspace.refused(&["keys", "issue", "--client", &id, "--expires-at", "tomorrow", "--json"]);
    workspace.refused(&["keys", "revoke", crate::support::ABSENT]);
    workspace.refused(&["keys", "revoke", "x"]);
    assert_eq!(rows(&workspace, &["keys", "list", "--client", &id, "--json"]).len(), before);
}

#[test]
fn features_are_enabled_and_disabled() {
    let workspace = Workspace::demo();
    let id = create(&workspace, "Features");
    expect_success(&workspace, &["features", "enable", "addresses-lookup", "--client", &id]);
    expect_success(&workspace, &["features", "enable", "addresses-lookup", "--client", &id]);
    expect_success(&workspace, &["features", "disable", "addresses-lookup", "--client", &id]);
    workspace.refused(&["features", "enable", "teleport", "--client", &id]);
    workspace.refused(&["features", "enable", "addresses-lookup", "--client", crate::support::ABSENT]);
    workspace.refused(&["features", "enable", "addresses-lookup"]);
}

#[test]
fn unknown_commands_and_flags_are_refused() {
    let workspace = Workspace::demo();
    for arguments in [&["dance"][..], &["serve", "--dance"], &["keys"], &["demo", "extra"]] {
        workspace.refused(arguments);
    }
    let help = workspace.run(&["--help"]);
    assert!(help.status.success());
    let help = String::from_utf8(help.stdout).unwrap();
    for word in ["serve", "migrate", "demo", "clients", "accounts", "keys", "features", "banks", "addresses", "check"] {
        assert!(help.contains(word), "{word} is not in the help: {help}");
    }
    assert!(workspace.run(&["--version"]).status.success());
}
