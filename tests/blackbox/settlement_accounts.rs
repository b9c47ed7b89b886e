//! `/v2/merchant/settlement-accounts`, `/v2/merchant/payees`, and their approval.

use serde_json::{Value, json};

use crate::openapi::assert_documented;
use crate::support::assert::{members, text, time, uuid};
use crate::support::management::with;
use crate::support::payments::fresh_sandbox;
use crate::support::shop::open_shop;
use crate::support::table::{Table, bad};
use crate::support::worlds::create_world;
use crate::support::{
    ABSENT, Answer, BANKS, CHECKOUTS, Client, PAYEES, SETTLEMENT_ACCOUNTS, Server, Workspace, demo, expect_fault,
    expect_faults, expect_json,
};

const SINGLE: &str = "/v2/merchant/settlement-accounts/{settlementAccountId}";
const PAYEE: &str = "/v2/merchant/payees/{payeeId}";

/// Returns bank details in pounds. The demo data does not contain them.
fn pounds(number: &str) -> Value {
    // The built-in modulus table has no rule for this sort code, so every account number passes.
    let details = json!({"type": "SORT_CODE", "sortCode": "204000", "accountNumber": number});
    json!({"currencyCode": "GBP", "bankDetails": details})
}

fn euros(iban: &str) -> Value {
    json!({"currencyCode": "EUR", "bankDetails": {"type": "IBAN", "iban": iban}})
}

fn payee(new: &Value) -> Value {
    with(new.clone(), &json!({"name": "Zoë Çelik"}))
}

fn post(client: &Client, path: &str, body: &Value) -> Answer {
    let answer = client.post(path, body.to_string());
    assert_documented("post", path, &answer);
    answer
}

fn path_of(object: &Value) -> String {
    format!("{SETTLEMENT_ACCOUNTS}/{}", text(object, "/id"))
}

fn find(client: &Client, object: &Value) -> Value {
    let answer = client.get(&path_of(object));
    assert_documented("get", SINGLE, &answer);
    expect_json(&answer, 200)
}

fn patch(client: &Client, object: &Value, body: &Value) -> Answer {
    let answer = client.call("PATCH", &path_of(object)).json(body.to_string()).send();
    assert_documented("patch", SINGLE, &answer);
    answer
}

fn delete(client: &Client, object: &Value) -> Answer {
    client.call("DELETE", &path_of(object)).send()
}

fn approval(client: &Client, kind: &str, object: &Value, status: &str) -> Answer {
    let path = format!("/v2/sandbox/merchant/{kind}/{}/approval", text(object, "/id"));
    client.post(&path, json!({"approvalStatus": status}).to_string())
}

/// Starts a server, and creates a world whose merchant has no settlement accounts, and whose new bank details wait for
/// approval.
fn pending() -> (Server, Client) {
    let server = Server::sandbox();
    let (_, world) = create_world(&server, json!({"template": "empty"}));
    (server, world)
}

#[test]
fn a_new_settlement_account_is_masked() {
    let (_server, client) = pending();
    let new = with(pounds("55779903"), &json!({"name": "Główne"}));
    let created = expect_json(&post(&client, SETTLEMENT_ACCOUNTS, &new), 201);
    let names = [
        "approvalStatus",
        "bankDetails",
        "bankId",
        "bankName",
        "checkoutIds",
        "createdAt",
        "currencyCode",
        "id",
        "isDefault",
        "name",
        "updatedAt",
    ];
    assert_eq!(members(&created), names);
    uuid(&created["id"]);
    time(&created["createdAt"]);
    let masked = json!({"type": "SORT_CODE", "sortCode": "****00", "accountNumber": "****9903"});
    assert_eq!((&created["bankDetails"], &created["name"]), (&masked, &json!("Główne")));
    assert_eq!([&created["bankId"], &created["bankName"]], [&Value::Null; 2]);
    assert_eq!((&created["approvalStatus"], &created["isDefault"]), (&json!("PENDING"), &json!(false)));
    assert_eq!(find(&client, &created), created);
    let euro = expect_json(&post(&client, SETTLEMENT_ACCOUNTS, &euros("nl91 abna 0417 1643 00")), 201);
    assert_eq!(euro["bankDetails"], json!({"type": "IBAN", "iban": "NL************4300"}));
    assert_eq!(euro["name"], Value::Null);
}

#[test]
fn every_fault_of_bank_details_is_named() {
    let (_server, client) = pending();
    let mut table = Table::default();
    let details = |change: Value| {
        with(pounds("55779903"), &json!({"bankDetails": with(pounds("55779903")["bankDetails"].clone(), &change)}))
    };
    for path in [SETTLEMENT_ACCOUNTS, PAYEES] {
        for (body, fault, code) in [
            (details(json!({"sortCode": "20-00-00"})), "sortCode", "invalid_format"),
            (details(json!({"sortCode": 200_000})), "sortCode", "invalid_type"),
            (details(json!({"accountNumber": "5577991"})), "accountNumber", "invalid_format"),
            (details(json!({"accountNumber": "5577991\u{661}"})), "accountNumber", "invalid_format"),
            (details(json!({"accountNumber": null})), "accountNumber", "required"),
            (details(json!({"sortCode": "089999", "accountNumber": "66374959"})), "accountNumber", "invalid_value"),
            (details(json!({"iban": "DE89370400440532013000"})), "iban", "invalid_value"),
            (details(json!({"type": "BIC"})), "type", "invalid_value"),
            (details(json!({"bic": "X"})), "bic", "unknown_field"),
            (with(details(json!({})), &json!({"currencyCode": "EUR"})), "type", "invalid_value"),
            (euros("DE88370400440532013000"), "iban", "invalid_value"),
            (euros("DE8937040044053201300"), "iban", "invalid_value"),
            (euros(&"1".repeat(65)), "iban", "too_long"),
        ] {
            let fault = format!("body.bankDetails.{fault}");
            let answer = post(&client, path, &payee_for(path, &body));
            table.check(&bad(body.to_string(), &fault, code), &answer);
            assert!(!answer.text().contains("66374959"), "{answer:?}");
        }
        let usd = payee_for(path, &with(pounds("55779903"), &json!({"currencyCode": "USD"})));
        table.check(&bad("USD", "body.currencyCode", "invalid_value"), &post(&client, path, &usd));
    }
    table.assert_passed(28);
    let long = with(pounds("55779903"), &json!({"name": "x".repeat(19)}));
    expect_fault(&post(&client, SETTLEMENT_ACCOUNTS, &long), 400, "body.name", "too_long");
    expect_fault(&post(&client, PAYEES, &pounds("55779903")), 400, "body.name", "required");
}

/// Adds the name that a payee needs.
fn payee_for(path: &str, body: &Value) -> Value {
    if path == PAYEES { payee(body) } else { body.clone() }
}

#[test]
fn the_first_approved_settlement_account_is_the_default() {
    let (_server, client) = pending();
    let add = |number: &str| expect_json(&post(&client, SETTLEMENT_ACCOUNTS, &pounds(number)), 201);
    let (one, two, three) = (add("00000001"), add("00000002"), add("00000003"));
    let decide = |object: &Value, status: &str| approval(&client, "settlement-accounts", object, status);
    let approved = expect_json(&decide(&two, "APPROVED"), 200);
    assert_eq!((&approved["approvalStatus"], &approved["isDefault"]), (&json!("APPROVED"), &json!(true)));
    assert_eq!(expect_json(&decide(&one, "APPROVED"), 200)["isDefault"], false);
    assert_eq!(expect_json(&decide(&three, "REJECTED"), 200)["approvalStatus"], "REJECTED");
    expect_fault(&decide(&three, "APPROVED"), 409, "path.settlementAccountId", "invalid_state");
    expect_fault(&decide(&one, "PENDING"), 400, "body.approvalStatus", "invalid_value");
    let default = json!({"isDefault": true});
    expect_fault(&patch(&client, &three, &default), 409, "path.settlementAccountId", "invalid_state");
    expect_fault(&patch(&client, &one, &json!({"isDefault": false})), 400, "body.isDefault", "invalid_value");
    assert_eq!(expect_json(&patch(&client, &one, &default), 200)["isDefault"], true);
    assert_eq!(find(&client, &two)["isDefault"], false);
    assert_eq!(delete(&client, &one).status, 204);
    assert_eq!(find(&client, &two)["isDefault"], true);
    let listed = expect_json(&client.get(SETTLEMENT_ACCOUNTS), 200);
    assert_documented("get", SETTLEMENT_ACCOUNTS, &client.get(SETTLEMENT_ACCOUNTS));
    let ids: Vec<_> = listed["rows"].as_array().unwrap().iter().map(|row| &row["id"]).collect();
    assert_eq!(ids, [&three["id"], &two["id"]]);
}

#[test]
fn the_bank_of_a_settlement_account_can_be_changed() {
    let (_server, client) = fresh_sandbox();
    let created = expect_json(&post(&client, SETTLEMENT_ACCOUNTS, &pounds("00000001")), 201);
    let bank = expect_json(&client.get(BANKS), 200)["rows"][3].clone();
    let changed = expect_json(&patch(&client, &created, &json!({"bankId": bank["id"], "name": "Zwei"})), 200);
    assert_eq!((&changed["bankId"], &changed["bankName"]), (&bank["id"], &bank["name"]));
    assert_eq!(find(&client, &created), changed);
    let unknown = json!({"bankId": "f".repeat(32)});
    expect_fault(&patch(&client, &created, &unknown), 400, "body.bankId", "invalid_value");
    expect_fault(&patch(&client, &created, &json!({"bankId": "x"})), 400, "body.bankId", "invalid_format");
    let cleared = expect_json(&patch(&client, &created, &json!({"bankId": null, "name": null})), 200);
    assert_eq!([&cleared["bankId"], &cleared["bankName"], &cleared["name"]], [&Value::Null; 3]);
    let details = json!({"bankDetails": {}});
    expect_fault(&patch(&client, &created, &details), 400, "body.bankDetails", "unknown_field");
}

#[test]
fn bank_details_are_unique_until_they_are_deleted() {
    let (_server, client) = fresh_sandbox();
    let new = euros("NL91 ABNA 0417 1643 00");
    let created = expect_json(&post(&client, SETTLEMENT_ACCOUNTS, &new), 201);
    assert_eq!(created["approvalStatus"], "APPROVED", "a merchant that may create TOP_UP checkouts needs no approval");
    let same = euros("NL91ABNA0417164300");
    expect_fault(&post(&client, SETTLEMENT_ACCOUNTS, &same), 409, "body.bankDetails", "invalid_state");
    assert_eq!(delete(&client, &created).status, 204);
    expect_fault(&delete(&client, &created), 404, "path.settlementAccountId", "not_found");
    expect_fault(&client.get(&path_of(&created)), 404, "path.settlementAccountId", "not_found");
    expect_json(&post(&client, SETTLEMENT_ACCOUNTS, &same), 201);
}

#[test]
fn a_settlement_account_that_a_checkout_pays_into_cannot_be_deleted() {
    let (_server, client) = pending();
    let approve = |number: &str| {
        let created = expect_json(&post(&client, SETTLEMENT_ACCOUNTS, &pounds(number)), 201);
        expect_json(&approval(&client, "settlement-accounts", &created, "APPROVED"), 200)
    };
    let (one, two) = (approve("00000001"), approve("00000002"));
    let shop = json!({"type": "SHOPPING", "name": "x", "currencyCode": "GBP", "returnUrl": "https://shop.example"});
    let named = with(shop.clone(), &json!({"settlementAccountId": two["id"]}));
    let named = expect_json(&client.post(CHECKOUTS, named.to_string()), 201);
    let unnamed = expect_json(&client.post(CHECKOUTS, shop.to_string()), 201);
    assert_eq!(find(&client, &one)["checkoutIds"], json!([unnamed["id"]]));
    assert_eq!(find(&client, &two)["checkoutIds"], json!([named["id"]]));
    expect_fault(&delete(&client, &two), 409, "path.settlementAccountId", "invalid_state");
    let path = format!("{CHECKOUTS}/{}", text(&named, "/id"));
    expect_json(&client.call("PATCH", &path).json(r#"{"settlementAccountId": null}"#).send(), 200);
    // The other settlement account becomes the default.
    assert_eq!(delete(&client, &one).status, 204);
    assert_eq!(find(&client, &two)["checkoutIds"], json!([unnamed["id"], named["id"]]));
    expect_fault(&delete(&client, &two), 409, "path.settlementAccountId", "invalid_state");
}

#[test]
fn settings_limit_the_numbers_of_checkouts_and_payees() {
    let server = Server::on(Workspace::demo().set("FLORIN_MAX_CHECKOUTS", "1").set("FLORIN_MAX_PAYEES", "1"));
    let (_, client) = create_world(&server, json!({"template": "empty"}));
    let checkout = open_shop(&client);
    let second = json!({"type": "SHOPPING", "name": "x", "currencyCode": "GBP", "returnUrl": "https://shop.example"});
    let fault = expect_fault(&client.post(CHECKOUTS, second.to_string()), 409, "query.accountId", "invalid_state");
    assert!(fault.message.contains("maximum of 1 checkouts"), "{fault:?}");
    let path = format!("{CHECKOUTS}/{checkout}");
    expect_json(&client.call("PATCH", &path).json(r#"{"status": "DEACTIVATED"}"#).send(), 200);
    expect_fault(&client.post(CHECKOUTS, second.to_string()), 409, "query.accountId", "invalid_state");
    let created = expect_json(&post(&client, PAYEES, &payee(&pounds("00000001"))), 201);
    let other = payee(&pounds("00000002"));
    let fault = expect_fault(&post(&client, PAYEES, &other), 409, "query.accountId", "invalid_state");
    assert!(fault.message.contains("maximum of 1 payees"), "{fault:?}");
    assert_eq!(expect_json(&post(&client, PAYEES, &payee(&pounds("00000001"))), 200)["id"], created["id"]);
}

#[test]
fn one_idempotency_key_has_one_effect() {
    let (_server, client) = pending();
    let body = pounds("00000001").to_string();
    for path in [SETTLEMENT_ACCOUNTS, PAYEES] {
        let body = payee_for(path, &serde_json::from_str(&body).unwrap()).to_string();
        let (first, again) = (client.post_once(path, path, &body), client.post_once(path, path, &body));
        assert!(again.replayed() && !first.replayed(), "{first:?} {again:?}");
        assert_eq!((first.status, first.body), (201, again.body));
        let other = payee_for(path, &pounds("00000002")).to_string();
        expect_fault(&client.post_once(path, path, other), 422, "body", "idempotency_mismatch");
    }
    let created = expect_json(&client.get(SETTLEMENT_ACCOUNTS), 200)["rows"][0].clone();
    let send = || client.call("DELETE", &path_of(&created)).header("Idempotency-Key", "gone").send();
    let (first, again) = (send(), send());
    assert_eq!((first.status, again.status, again.replayed()), (204, 204, true));
}

#[test]
fn the_same_bank_details_are_the_same_payee() {
    let (_server, client) = pending();
    let created = expect_json(&post(&client, PAYEES, &payee(&euros("DE89370400440532013000"))), 201);
    let names = ["approvalStatus", "bankDetails", "createdAt", "currencyCode", "id", "name", "updatedAt"];
    assert_eq!(members(&created), names);
    assert_eq!(created["bankDetails"], json!({"type": "IBAN", "iban": "DE****************3000"}));
    let same = with(payee(&euros("de89 3704 0044 0532 0130 00")), &json!({"name": "Another"}));
    assert_eq!(expect_json(&post(&client, PAYEES, &same), 200), created);
    let found = client.get(&format!("{PAYEES}/{}", text(&created, "/id")));
    assert_documented("get", PAYEE, &found);
    assert_eq!(expect_json(&found, 200), created);
    let approved = expect_json(&approval(&client, "payees", &created, "REJECTED"), 200);
    assert_eq!(approved["approvalStatus"], "REJECTED");
    let again = approval(&client, "payees", &created, "APPROVED");
    expect_fault(&again, 409, "path.payeeId", "invalid_state");
    expect_json(&post(&client, PAYEES, &payee(&pounds("00000001"))), 201);
    let count = |filter: &str| {
        let answer = client.get(&format!("{PAYEES}?accountId={}&{filter}", client.account));
        assert_documented("get", PAYEES, &answer);
        expect_json(&answer, 200)["count"].as_i64().unwrap()
    };
    assert_eq!([count(""), count("currencyCode=EUR"), count("approvalStatus=PENDING")], [2, 1, 1]);
    assert_eq!([count("currencyCode=EUR&approvalStatus=PENDING"), count("limit=1&offset=9")], [0, 2]);
    let wrong = format!("{PAYEES}?accountId={}&currencyCode=USD&approvalStatus=x", client.account);
    expect_faults(
        &client.get(&wrong),
        400,
        &[("query.currencyCode", "invalid_value"), ("query.approvalStatus", "invalid_value")],
    );
}

#[test]
fn settlement_accounts_and_payees_of_other_accounts_are_absent() {
    let (server, client) = fresh_sandbox();
    let other = server.other();
    let theirs = expect_json(&post(&other, SETTLEMENT_ACCOUNTS, &pounds("00000001")), 201);
    let payee = expect_json(&post(&other, PAYEES, &payee(&pounds("00000001"))), 201);
    let absent = client.get(&format!("{SETTLEMENT_ACCOUNTS}/{ABSENT}"));
    expect_fault(&absent, 404, "path.settlementAccountId", "not_found");
    assert_eq!(client.get(&path_of(&theirs)).body, absent.body);
    for answer in [
        patch(&client, &theirs, &json!({"name": "Mine"})),
        delete(&client, &theirs),
        approval(&client, "settlement-accounts", &theirs, "APPROVED"),
    ] {
        expect_fault(&answer, 404, "path.settlementAccountId", "not_found");
    }
    for answer in
        [client.get(&format!("{PAYEES}/{}", text(&payee, "/id"))), approval(&client, "payees", &payee, "APPROVED")]
    {
        expect_fault(&answer, 404, "path.payeeId", "not_found");
    }
    assert_eq!(find(&other, &theirs), theirs);
    let shop = json!({"type": "SHOPPING", "name": "x", "currencyCode": "GBP", "returnUrl": "https://shop.example",
        "settlementAccountId": theirs["id"]});
    expect_fault(&client.post(CHECKOUTS, shop.to_string()), 404, "body.settlementAccountId", "not_found");
    let foreign = client.with_account(&demo().other_account);
    for path in [SETTLEMENT_ACCOUNTS, PAYEES] {
        expect_fault(&foreign.get(path), 404, "query.accountId", "not_found");
    }
}

#[test]
fn the_operator_approves_and_rejects() {
    let server = Server::sandbox();
    let workspace = server.workspace();
    let list = |client: &Client, path: &str| expect_json(&client.get(path), 200)["rows"].as_array().unwrap().clone();
    let pending = |client: &Client, path: &str| {
        let rows = list(client, path);
        text(rows.iter().find(|row| row["approvalStatus"] == "PENDING").unwrap(), "/id").to_owned()
    };
    let client = server.client();
    let (account, payee) = (pending(&client, SETTLEMENT_ACCOUNTS), pending(&client, PAYEES));
    let approved = workspace.json(&["merchants", "approve", "F50091", &account, "--json"]);
    assert_eq!(approved, json!({"id": account, "approvalStatus": "APPROVED"}));
    let rejected = workspace.json(&["merchants", "reject", "F50091", &payee, "--json"]);
    assert_eq!(rejected, json!({"id": payee, "approvalStatus": "REJECTED"}));
    assert!(workspace.refused(&["merchants", "reject", "F50091", &account]).contains("APPROVED is final"));
    assert!(workspace.refused(&["merchants", "approve", "F50091", &payee]).contains("REJECTED is final"));
    assert!(workspace.refused(&["merchants", "approve", "F60017", &payee]).contains("no settlement account or payee"));
    workspace.refused_as_invalid(&["merchants", "approve", "F50091", "x"]);
    assert!(list(&client, PAYEES).iter().any(|row| row["id"] == payee.as_str() && row["approvalStatus"] == "REJECTED"));
    let audit = workspace.json(&["audit", "list", "--json"]).to_string();
    assert!(audit.contains("merchants approve") && audit.contains("merchants reject") && audit.contains(&payee));
}

#[test]
fn bank_details_are_not_logged() {
    let server = Server::on(Workspace::demo().set("FLORIN_LOG", "debug"));
    let client = server.client();
    expect_json(&post(&client, SETTLEMENT_ACCOUNTS, &pounds("87654321")), 201);
    expect_json(&post(&client, PAYEES, &payee(&pounds("12345678"))), 201);
    post(&client, SETTLEMENT_ACCOUNTS, &pounds("87654321"));
    let (_, workspace) = server.stop();
    let log = workspace.log();
    assert!(log.contains(PAYEES) && !log.contains("87654321") && !log.contains("12345678"), "{log}");
    assert!(!log.contains("Çelik"), "{log}");
}
