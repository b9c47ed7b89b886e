//! Creation, changes, reads and lists of budgets.

use serde_json::{Value, json};

use crate::openapi::assert_documented;
use crate::support::assert::{ids, members, text, time, uuid};
use crate::support::management::{
    BUDGETS, authorize, budget, budget_of, card, format_number, funded, new_budget, transfer, with,
};
use crate::support::payments::fresh_sandbox;
use crate::support::table::{Table, bad};
use crate::support::worlds::{create_world, restore, snapshot};
use crate::support::{
    ABSENT, Answer, Client, Server, Workspace, demo, expect_fault, expect_faults, expect_json, shared,
};

/// The members of a budget without its balances, in order.
const MEMBERS: [&str; 12] = [
    "accountId",
    "allowCurrencyAlignment",
    "boxId",
    "createdAt",
    "currency",
    "feature",
    "id",
    "name",
    "parentId",
    "status",
    "type",
    "updatedAt",
];

fn list(client: &Client, query: &str) -> Value {
    let answer = client.get(&format!("{BUDGETS}?accountId={}&{query}", client.account));
    assert_documented("get", BUDGETS, &answer);
    expect_json(&answer, 200)
}

fn find(client: &Client, id: &str, query: &str) -> Value {
    let answer = client.get(&format!("{BUDGETS}/{id}?accountId={}&{query}", client.account));
    assert_documented("get", "/v2/budgets/{budgetId}", &answer);
    expect_json(&answer, 200)
}

/// Returns the parent budget of the account.
fn parent_budget(client: &Client) -> Value {
    let page = list(client, "limit=1000&include=balance,totalBalance");
    let mut parents = page["rows"].as_array().unwrap().iter().filter(|row| row["type"] == "accountBalance");
    let parent = parents.next().unwrap().clone();
    assert!(parents.next().is_none() && parent["parentId"].is_null(), "{page}");
    parent
}

#[test]
fn a_new_budget_has_every_member_and_shows_no_balance() {
    let (_server, client) = fresh_sandbox();
    let body =
        with(new_budget("Reisen ✈", &["JPY", "EUR"]), &json!({"status": "hidden", "boxId": "box-7", "features": []}));
    let answer = client.post(BUDGETS, body.to_string());
    assert_documented("post", BUDGETS, &answer);
    let created = expect_json(&answer, 201);
    assert_eq!(members(&created), MEMBERS);
    uuid(&created["id"]);
    time(&created["createdAt"]);
    assert_eq!(created["accountId"], demo().account);
    assert_eq!(created["parentId"], parent_budget(&client)["id"]);
    assert_eq!((&created["name"], &created["boxId"]), (&json!("Reisen ✈"), &json!("box-7")));
    assert_eq!((&created["type"], &created["status"]), (&json!("shared"), &json!("hidden")));
    let codes: Vec<_> = created["currency"].as_array().unwrap().iter().map(|row| text(row, "/currencyCode")).collect();
    assert_eq!(codes, ["EUR", "JPY"]);
    let feature = &created["feature"][0];
    assert_eq!([&feature["payments"], &feature["budgetCards"], &feature["peopleCards"]], [&json!(false); 3]);
    let complete = find(&client, &text(&created, "/id").to_uppercase(), "include=balance");
    assert_eq!(complete["balance"].as_array().unwrap().len(), 2);
    assert_eq!(format_number(&complete["balance"][0]["ledgerAndAllocatedBalance"], "EUR"), "0.00");
    assert_eq!(find(&client, text(&created, "/id"), ""), created);
}

#[test]
fn balances_are_exact_numbers_and_include_sub_budgets() {
    let (_server, client) = fresh_sandbox();
    let top = funded(&client, "Top", "100.10");
    let below = with(new_budget("Below", &["GBP"]), &json!({"parentId": top}));
    let below = budget_of(&client, &below);
    expect_json(&transfer(&client, &top, &below, "30.05"), 200);
    assert_eq!(authorize(&client, &card(&client, &top), "20"), "0000");
    let target = format!("{BUDGETS}/{top}?accountId={}&include=balances,totalBalance", client.account);
    let answer = client.get(&target);
    // Amounts have the currency's number of decimals. A double would have lost the last zero.
    for exact in ["\"availableBalance\":50.05", "\"pendingBalance\":20.00", "\"ledgerBalance\":100.10"] {
        assert!(answer.text().contains(exact), "{exact}: {}", answer.text());
    }
    let complete = expect_json(&answer, 200);
    let amounts = |row: &Value| {
        ["availableBalance", "pendingBalance", "ledgerBalance", "allocatedBalance", "ledgerAndAllocatedBalance"]
            .map(|name| format_number(&row[name], "GBP"))
    };
    assert_eq!(amounts(&complete["balance"][0]), ["50.05", "20.00", "70.05", "30.05", "100.10"]);
    assert_eq!(amounts(&complete["totalBalance"][0]), ["80.10", "20.00", "100.10", "30.05", "100.10"]);
    assert_eq!(complete["balance"][0]["lastUpdatedSequentialId"], 2);
    let parent = parent_budget(&client);
    let pounds = |name: &str| {
        let row = parent[name].as_array().unwrap().iter().find(|row| row["currencyCode"] == "GBP").unwrap();
        amounts(row)
    };
    // The demo data has 9800.00, 200.00 of it reserved.
    assert_eq!(pounds("balance"), ["0.00", "0.00", "0.00", "9900.10", "9900.10"]);
    assert_eq!(pounds("totalBalance"), ["9680.10", "220.00", "9900.10", "9900.10", "9900.10"]);
}

#[test]
fn lists_are_sorted_by_name_filtered_and_counted() {
    let (_server, client) = fresh_sandbox();
    let seeded = list(&client, "")["count"].as_i64().unwrap();
    let parent = budget_of(&client, &new_budget("a parent", &["GBP", "CHF"]));
    let sub = |name: &str, code: &str| {
        budget_of(&client, &with(new_budget(name, &[code]), &json!({"parentId": parent, "features": []})))
    };
    // An upper-case letter comes before a lower-case one, and two budgets with the same name are in the order of their
    // ids.
    let (first, second, third) = (sub("b", "CHF"), sub("Z", "CHF"), sub("b", "CHF"));
    let all = list(&client, "limit=4&offset=1");
    assert_eq!((&all["count"], &all["limit"], &all["offset"]), (&json!(seeded + 4), &json!(4), &json!(1)));
    let names: Vec<_> =
        list(&client, "")["rows"].as_array().unwrap().iter().map(|row| text(row, "/name").to_owned()).collect();
    assert!(names.is_sorted(), "{names:?}");
    assert!(all["rows"][0].get("balance").is_none(), "{all}");
    let of_parent = list(&client, &format!("parentId={parent}&offset=1"));
    assert_eq!((&of_parent["count"], ids(&of_parent)), (&json!(3), vec![first.clone(), third.clone()]));
    let root = text(&parent_budget(&client), "/id").to_owned();
    assert_eq!(ids(&list(&client, "currencyCode=CHF&include=balance")), [root, second, parent.clone(), first, third]);
    let past = list(&client, "offset=1000000");
    assert_eq!((&past["count"], ids(&past)), (&json!(seeded + 4), vec![]));
}

#[test]
fn the_parent_budget_of_the_demo_holds_its_currencies() {
    let client = shared().client();
    let parent = parent_budget(&client);
    let codes: Vec<_> = parent["currency"].as_array().unwrap().iter().map(|row| text(row, "/currencyCode")).collect();
    assert_eq!(codes, ["BHD", "CHF", "EUR", "GBP", "JPY", "USD"]);
    time(&parent["createdAt"]);
    let page = list(&client, "limit=1000");
    let known = page["rows"].as_array().unwrap().iter().find(|row| row["id"] == demo().budget("GBP")).unwrap();
    assert_eq!(known["parentId"], parent["id"]);
}

#[test]
fn every_fault_of_the_body_is_named() {
    let client = shared().client();
    let mut table = Table::default();
    let body_with = |name: &str, value: Value| with(new_budget("x", &["GBP"]), &json!({name: value})).to_string();
    let cases = [
        ("name", Value::Null, "body.name", "required"),
        ("name", json!(""), "body.name", "invalid_format"),
        ("name", json!(1), "body.name", "invalid_type"),
        ("name", json!("ä".repeat(76)), "body.name", "too_long"),
        ("features", Value::Null, "body.features", "required"),
        ("features", json!(["transfers"]), "body.features[0]", "invalid_value"),
        ("features", json!(["payments", "payments"]), "body.features", "invalid_value"),
        ("currencies", Value::Null, "body.currencies", "required"),
        ("currencies", json!([]), "body.currencies", "out_of_range"),
        ("currencies", json!("GBP"), "body.currencies", "invalid_type"),
        ("currencies", json!(["GBP", "GBP"]), "body.currencies", "invalid_value"),
        ("currencies", json!(["GBP", "gbp"]), "body.currencies[1]", "invalid_format"),
        ("currencies", json!(["XXX"]), "body.currencies[0]", "invalid_value"),
        ("currencies", json!([null]), "body.currencies[0]", "invalid_type"),
        // The parent budget of the demo account does not hold SEK.
        ("currencies", json!(["GBP", "SEK"]), "body.currencies[1]", "invalid_value"),
        ("type", Value::Null, "body.type", "required"),
        ("type", json!("accountBalance"), "body.type", "invalid_value"),
        ("type", json!("individual"), "body.personaId", "required"),
        ("personaId", json!(ABSENT), "body.personaId", "invalid_value"),
        ("status", json!("gone"), "body.status", "invalid_value"),
        ("boxId", json!("x".repeat(65)), "body.boxId", "too_long"),
        ("parentId", json!("x"), "body.parentId", "invalid_format"),
        ("balance", json!("1"), "body.balance", "unknown_field"),
    ];
    for (name, value, path, code) in cases {
        table.check(&bad(format!("{name} {value}"), path, code), &client.post(BUDGETS, body_with(name, value.clone())));
    }
    table.assert_passed(23);
    let nobody = with(new_budget("x", &["GBP"]), &json!({"type": "individual", "personaId": ABSENT})).to_string();
    expect_fault(&client.post(BUDGETS, nobody), 404, "body.personaId", "not_found");
    let all = [
        ("body.currencies[0]", "invalid_format"),
        ("body.name", "required"),
        ("body.features", "required"),
        ("body.type", "required"),
        ("query.accountId", "required"),
    ];
    expect_faults(&client.post(&format!("{BUDGETS}?"), r#"{"currencies": ["x"]}"#), 400, &all);
}

#[test]
fn every_fault_of_the_query_is_named() {
    let client = shared().client();
    let target = format!(
        "{BUDGETS}?accountId={}&limit=0&offset=-1&parentId=1&currencyCode=pounds&include=balance,cards",
        client.account
    );
    let faults = [
        ("query.limit", "out_of_range"),
        ("query.offset", "out_of_range"),
        ("query.parentId", "invalid_format"),
        ("query.currencyCode", "invalid_format"),
        ("query.include", "invalid_value"),
    ];
    expect_faults(&client.get(&target), 400, &faults);
    expect_fault(&client.get(&format!("{BUDGETS}/x")), 400, "path.budgetId", "invalid_format");
    expect_fault(&client.get(&format!("{BUDGETS}/{ABSENT}")), 404, "path.budgetId", "not_found");
}

#[test]
fn the_nesting_depth_is_limited() {
    let (_server, client) = fresh_sandbox();
    let below = |name: &str, parent: &str| with(new_budget(name, &["GBP"]), &json!({"parentId": parent}));
    let second = budget(&client, "Level 2");
    let third = budget_of(&client, &below("Level 3", &second));
    let refused = client.post(BUDGETS, below("Level 4", &third).to_string());
    expect_fault(&refused, 409, "body.parentId", "invalid_state");
    let refused = client.post(BUDGETS, below("Orphan", ABSENT).to_string());
    expect_fault(&refused, 404, "body.parentId", "not_found");
    // A budget can hold only currencies of its parent, even if other budgets of the account hold more.
    let body = with(below("Euros", &second), &json!({"currencies": ["EUR"]})).to_string();
    expect_fault(&client.post(BUDGETS, body), 400, "body.currencies[0]", "invalid_value");
    // The id of the parent budget is accepted as `parentId`, too.
    let parent = parent_budget(&client);
    let named = budget_of(&client, &below("Named", text(&parent, "/id")));
    assert_eq!(find(&client, &named, "")["parentId"], parent["id"]);
}

#[test]
fn a_setting_limits_the_number_of_budgets() {
    let server = Server::on(Workspace::demo().set("FLORIN_MAX_BUDGETS", "5"));
    let client = server.client();
    // The demo account has four budgets.
    budget(&client, "The last one");
    let fault = expect_fault(
        &client.post(BUDGETS, new_budget("Too many", &["GBP"]).to_string()),
        409,
        "query.accountId",
        "invalid_state",
    );
    assert!(fault.message.contains('5'), "{fault:?}");
}

/// Switches the setting of unique names of budgets on or off.
fn set_unique_names(server: &Server, account: &str, value: &str) {
    let changed = server.workspace().json(&["accounts", "change", account, "--unique-budget-names", value, "--json"]);
    assert_eq!(changed["uniqueBudgetNames"], value == "on");
}

fn create_named(client: &Client, name: &str) -> Answer {
    client.post(BUDGETS, new_budget(name, &["GBP"]).to_string())
}

fn rename(client: &Client, id: &str, name: &str) -> Answer {
    client.call("PATCH", &format!("{BUDGETS}/{id}")).json(json!({"name": name}).to_string()).send()
}

#[test]
fn names_are_unique_if_the_account_requires_it() {
    let (server, client) = fresh_sandbox();
    let create = || client.post_once(BUDGETS, "travel", new_budget("Travel", &["GBP"]).to_string());
    let first = expect_json(&create(), 201);
    let (first, second) = (text(&first, "/id").to_owned(), budget(&client, "Food"));
    let third = budget(&client, "Travel");
    set_unique_names(&server, &client.account, "on");
    let taken = create_named(&client, "Travel");
    assert_documented("post", BUDGETS, &taken);
    expect_fault(&taken, 409, "body.name", "invalid_state");
    let taken = rename(&client, &second, "Travel");
    assert_documented("patch", "/v2/budgets/{budgetId}", &taken);
    expect_fault(&taken, 409, "body.name", "invalid_state");
    // Names that were equal before may stay, and a retry gets the first response.
    for id in [&first, &third] {
        expect_json(&rename(&client, id, "Travel"), 200);
    }
    let replay = create();
    assert!(replay.replayed());
    assert_eq!(expect_json(&replay, 201)["id"], json!(first));
    // Names that differ in case, blanks or code points are not equal.
    expect_json(&rename(&client, &second, "travel"), 200);
    for name in ["Travel ", "TRAVEL", "Tra\u{308}vel"] {
        expect_json(&create_named(&client, name), 201);
    }
    let settings = expect_json(&client.get(&format!("/v2/accounts/{}?include=settings", client.account)), 200);
    assert_eq!(settings["settings"]["uniqueBudgetNames"], json!(true));
    set_unique_names(&server, &client.account, "off");
    expect_json(&create_named(&client, "Travel"), 201);
    let missing = server.workspace().refused_as_invalid(&["accounts", "change", &client.account]);
    assert!(missing.contains("--name"), "{missing}");
}

#[test]
fn a_restore_leaves_the_setting_of_unique_names() {
    let server = Server::sandbox();
    let (_, client) = create_world(&server, json!({"template": "empty"}));
    let saved = snapshot(&client);
    set_unique_names(&server, &client.account, "on");
    budget(&client, "Travel");
    restore(&client, &saved);
    budget(&client, "Travel");
    expect_fault(&create_named(&client, "Travel"), 409, "body.name", "invalid_state");
    // A world that is created from the snapshot does not have the setting.
    let (_, copy) = create_world(&server, json!({"snapshotId": saved}));
    for _ in 0..2 {
        budget(&copy, "Travel");
    }
}

#[test]
fn a_change_is_visible_immediately() {
    let (_server, client) = fresh_sandbox();
    let id = budget(&client, "Before");
    let path = format!("{BUDGETS}/{id}");
    let change = |body: Value| {
        let answer = client.call("PATCH", &path).json(body.to_string()).send();
        assert_documented("patch", "/v2/budgets/{budgetId}", &answer);
        answer
    };
    let body = json!({"name": "After", "status": "hidden", "features": ["peopleCards"], "lowBalanceThreshold": 12.50});
    let edited = expect_json(&change(body), 200);
    assert_eq!(members(&edited), MEMBERS);
    assert_eq!((&edited["name"], &edited["status"]), (&json!("After"), &json!("hidden")));
    let feature = &edited["feature"][0];
    assert_eq!(
        [&feature["payments"], &feature["budgetCards"], &feature["peopleCards"]],
        [&json!(false), &json!(false), &json!(true)]
    );
    assert_eq!(
        (format_number(&feature["lowBalanceThreshold"], "GBP"), &feature["lowBalanceCurrencyCode"]),
        ("12.50".into(), &json!("GBP"))
    );
    assert_eq!(find(&client, &id, ""), edited);
    let cleared = expect_json(&change(json!({"lowBalanceThreshold": null})), 200);
    assert_eq!(cleared["feature"][0]["lowBalanceThreshold"], Value::Null);
    assert_eq!(cleared["name"], "After");
    expect_fault(&change(json!({"lowBalanceThreshold": 1.001})), 400, "body.lowBalanceThreshold", "too_many_decimals");
    expect_fault(&change(json!({"lowBalanceThreshold": -1})), 400, "body.lowBalanceThreshold", "out_of_range");
    let euros = json!({"lowBalanceThreshold": 1, "lowBalanceCurrencyCode": "EUR"});
    expect_fault(&change(euros), 400, "body.lowBalanceCurrencyCode", "invalid_value");
    expect_fault(&change(json!({"currencies": ["EUR"]})), 400, "body.currencies", "unknown_field");
    let absent = client.call("PATCH", &format!("{BUDGETS}/{ABSENT}")).json("{}").send();
    expect_fault(&absent, 404, "path.budgetId", "not_found");
    // The parent budget can change, too.
    let parent = format!("{BUDGETS}/{}", text(&parent_budget(&client), "/id"));
    let named = expect_json(&client.call("PATCH", &parent).json(r#"{"name": "Everything"}"#).send(), 200);
    assert_eq!((&named["name"], &named["type"]), (&json!("Everything"), &json!("accountBalance")));
}

#[test]
fn one_idempotency_key_creates_one_budget() {
    let (_server, client) = fresh_sandbox();
    let body = new_budget("Once", &["GBP"]).to_string();
    let first = client.post_once(BUDGETS, "budget", &body);
    let second = client.post_once(BUDGETS, "budget", &body);
    assert!(second.replayed() && !first.replayed());
    assert_eq!(first.body, second.body);
    let other = new_budget("Twice", &["GBP"]).to_string();
    expect_fault(&client.post_once(BUDGETS, "budget", other), 422, "body.name", "idempotency_mismatch");
}

#[test]
fn a_budget_without_the_payments_feature_funds_no_batch() {
    let (_server, client) = fresh_sandbox();
    let body = with(new_budget("Cards only", &["GBP"]), &json!({"features": ["peopleCards", "budgetCards"]}));
    let id = budget_of(&client, &body);
    let row = crate::support::payments::pounds("1", "a");
    let body = json!({"payments": {"defaultFundingBudgetId": id, "rows": [row]}}).to_string();
    let batch = expect_json(&client.post("/v2/payment-batches", body), 202);
    assert_eq!(batch["status"], "draft", "{batch}");
}

#[test]
fn budgets_of_other_accounts_are_absent() {
    let (server, client) = fresh_sandbox();
    let other = server.other();
    let theirs = funded(&other, "Theirs", "5.00");
    let absent = client.get(&format!("{BUDGETS}/{ABSENT}"));
    let foreign = client.get(&format!("{BUDGETS}/{theirs}"));
    assert_eq!(absent.body, foreign.body);
    assert!(!ids(&list(&client, "limit=1000")).contains(&theirs));
    assert_eq!(list(&client, &format!("parentId={theirs}"))["count"], 0);
    let body = with(new_budget("Sub", &["GBP"]), &json!({"parentId": theirs})).to_string();
    expect_fault(&client.post(BUDGETS, body), 404, "body.parentId", "not_found");
    expect_fault(&client.with_account(&other.account).get(BUDGETS), 404, "query.accountId", "not_found");
    let limited = server.limited();
    expect_fault(&limited.get(BUDGETS), 403, "header.Authorization", "insufficient_scope");
    expect_fault(&limited.post(BUDGETS, "{}"), 403, "header.Authorization", "insufficient_scope");
}

#[test]
fn other_methods_are_refused() {
    let client = shared().client();
    let id = demo().budget("GBP");
    for (method, path, allow) in [
        ("DELETE", BUDGETS.to_owned(), "GET, HEAD, POST"),
        ("DELETE", format!("{BUDGETS}/{id}"), "GET, HEAD, PATCH"),
        ("GET", format!("{BUDGETS}/{id}/transfer"), "POST"),
        ("GET", format!("{BUDGETS}/generate-credit"), "POST"),
        ("PUT", "/v2/cards".to_owned(), "GET, HEAD, POST"),
        ("GET", format!("/v2/cards/{ABSENT}/transition"), "POST"),
        ("POST", format!("/v2/cards/{ABSENT}/transitions"), "GET, HEAD"),
        ("GET", format!("/v2/cards/{ABSENT}/spending-limits/{ABSENT}"), "DELETE"),
    ] {
        let answer = client.call(method, &path).send();
        expect_fault(&answer, 405, "", "method_not_allowed");
        assert_eq!(answer.header("allow"), Some(allow), "{method} {path}");
    }
    expect_fault(&client.get("/v2/cards/simulations/nothing"), 404, "", "not_found");
    let head = client.call("HEAD", BUDGETS).send();
    assert_eq!((head.status, head.body.len()), (200, 0), "{head:?}");
}
