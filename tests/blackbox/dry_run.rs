//! `dryRun=true`: the answer of the real call, without its effect.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::openapi::{assert_documented, operation};
use crate::support::assert::text;
use crate::support::batches::{
    confirm_totp, expect_mfa_refusal, funded_server, mfa_body, open_session, open_session_with, token_at,
};
use crate::support::management::{BUDGETS, budget, format_number, funded};
use crate::support::money::parse_amount;
use crate::support::payments::{filled, pounds};
use crate::support::wallet::{credit_body, first_body, follow_body};
use crate::support::worlds::{create_world, set_clock};
use crate::support::{
    ABSENT, ADVICE, ATM, ATM_CLEARING, AUTHORIZATION, Answer, CLEARING, CREDIT, Client, INCREMENT, MFA_SESSIONS,
    REFUND, REFUND_CLEARING, REFUND_REVERSAL, REVERSAL, SIMULATIONS, Server, confirm_path, demo, expect_fault,
    expect_faults, expect_json, shared,
};

const TRANSFER: &str = "/v2/budgets/{budgetId}/transfer";
const CONFIRM: &str = "/v2/payment-batches/{paymentBatchId}/confirm";

fn dry_path(client: &Client, path: &str) -> String {
    format!("{path}?accountId={}&dryRun=true", client.account)
}

fn dry(client: &Client, path: &str, body: impl AsRef<[u8]>) -> Answer {
    client.post(&dry_path(client, path), body)
}

/// Returns the visible state of an account.
fn visible_state(client: &Client) -> Vec<String> {
    let account = &client.account;
    let lists = [
        format!("/v2/activity/{account}?limit=1000"),
        format!("{BUDGETS}?accountId={account}&include=balance&limit=1000"),
        format!("/v2/payment-batches?accountId={account}&limit=1000"),
        format!("/v2/sandbox/invariants?accountId={account}"),
    ];
    lists.iter().map(|path| expect_json(&client.get(path), 200).to_string()).collect()
}

/// Expects that the previewed postings add up to zero, and that the previewed balances equal the current ones.
fn assert_came_true(client: &Client, preview: &Value) {
    let mut sums: BTreeMap<&str, i64> = BTreeMap::new();
    for posting in preview["postings"].as_array().unwrap() {
        let currency = text(posting, "/currencyCode");
        *sums.entry(currency).or_default() += parse_amount(text(posting, "/amount"), currency);
    }
    assert!(sums.values().all(|sum| *sum == 0), "{preview}");
    let balances = preview["balances"].as_array().unwrap();
    assert!(!balances.is_empty(), "{preview}");
    for balance in balances {
        let path = format!("{BUDGETS}/{}?accountId={}&include=balance", text(balance, "/budgetId"), client.account);
        let found = expect_json(&client.get(&path), 200);
        let of_currency = |held: &&Value| held["currencyCode"] == balance["currencyCode"];
        let now = found["balance"].as_array().unwrap().iter().find(of_currency).unwrap();
        let currency = text(balance, "/currencyCode");
        let pending =
            parse_amount(text(balance, "/held"), currency) + parse_amount(text(balance, "/reserved"), currency);
        assert_eq!(format_number(&now["availableBalance"], currency), text(balance, "/available"));
        assert_eq!(format_number(&now["ledgerBalance"], currency), text(balance, "/ledger"));
        assert_eq!(parse_amount(&format_number(&now["pendingBalance"], currency), currency), pending);
    }
}

/// Sends a dry run, then the real call, and expects the same answer. Returns the member `dryRun` and the real answer.
fn dry_run_and_call(client: &Client, documented_path: &str, path: &str, body: &str) -> (Value, Value) {
    let before = visible_state(client);
    let dry_answer = dry(client, path, body);
    assert_eq!(visible_state(client), before, "{path}");
    let real = client.post(path, body);
    for answer in [&dry_answer, &real] {
        assert_documented("post", documented_path, answer);
    }
    assert_eq!(dry_answer.status, real.status, "{dry_answer:?} {real:?}");
    let (mut dry_answer, real) = (dry_answer.json(), real.json());
    let preview = dry_answer["dryRun"].take();
    let without_ids = |mut answer: Value| {
        answer.as_object_mut().unwrap().remove("dryRun");
        for id in ["/transaction/token", "/transfer/id", "/id"] {
            if let Some(id) = answer.pointer_mut(id) {
                *id = Value::Null;
            }
        }
        answer
    };
    assert_eq!(without_ids(dry_answer), without_ids(real.clone()), "{path}");
    assert_came_true(client, &preview);
    (preview, real)
}

/// Simulates a message, in a dry run and then for real. Returns the preview and the token of the message.
fn simulated(client: &Client, path: &str, body: &str) -> (Value, String) {
    let (preview, real) = dry_run_and_call(client, path, path, body);
    let token = real["transaction"]["token"].as_str().unwrap_or_default();
    (preview, token.to_owned())
}

#[test]
fn every_dry_run_predicts_the_real_call() {
    let server = Server::sandbox();
    let (_, client) = create_world(&server, json!({"seed": "dry"}));
    set_clock(&client, json!({"freeze": true}));
    let card = &demo().active_card("GBP").id;
    let (preview, chain) = simulated(&client, AUTHORIZATION, &first_body(card, "10"));
    let posting = |pool: &str, budget: Value, amount: &str| {
        json!({"pool": pool, "budgetId": budget, "amount": amount,
            "currencyCode": "GBP"})
    };
    let paying = json!(demo().active_card("GBP").budget);
    let held = [posting("available", paying.clone(), "-10.00"), posting("held", paying.clone(), "10.00")];
    assert_eq!((&preview["postings"], &preview["explanation"]), (&json!(held), &Value::Null));
    simulated(&client, INCREMENT, &follow_body(&chain, "2.50"));
    simulated(&client, ADVICE, &follow_body(&chain, "12"));
    let (preview, _) = simulated(&client, CLEARING, &follow_body(&chain, "12"));
    let paid = [posting("held", paying, "-12.00"), posting("card_network", Value::Null, "12.00")];
    assert_eq!(preview["postings"], json!(paid));
    let (_, chain) = simulated(&client, AUTHORIZATION, &first_body(card, "5"));
    simulated(&client, REVERSAL, &follow_body(&chain, "2"));
    let (_, chain) = simulated(&client, REFUND, &first_body(card, "3"));
    simulated(&client, REFUND_CLEARING, &follow_body(&chain, "3"));
    let (_, chain) = simulated(&client, REFUND, &first_body(card, "4"));
    let withdrawn = json!({"precedingRelatedTransactionToken": chain}).to_string();
    simulated(&client, REFUND_REVERSAL, &withdrawn);
    let (_, chain) = simulated(&client, ATM, &first_body(card, "40"));
    simulated(&client, ATM_CLEARING, &follow_body(&chain, "40"));
    // A dry run does not use up the number of a credit.
    dry_run_and_call(&client, CREDIT, CREDIT, &credit_body(&demo().budget("GBP"), "200.00", "GBP"));
    let (from, to) = (funded(&client, "From", "30.00"), budget(&client, "To"));
    let body = json!({"destinationBudgetId": to, "currency": "GBP", "amount": "12.34"}).to_string();
    let (preview, _) = dry_run_and_call(&client, TRANSFER, &format!("{BUDGETS}/{from}/transfer"), &body);
    assert_eq!(preview["balances"].as_array().unwrap().len(), 2);
    let batch = filled(&client, &[pounds("1.00", "SBX-PENDING"), pounds("2.00", "SBX-PENDING")]);
    let session =
        text(&expect_json(&client.post(MFA_SESSIONS, json!({"paymentBatchId": batch}).to_string()), 201), "/sessionId")
            .to_owned();
    let (preview, real) =
        dry_run_and_call(&client, CONFIRM, &confirm_path(&batch), &mfa_body("sandbox", &session, "000000"));
    assert_eq!(real, json!({"status": "confirmed"}));
    assert_eq!(preview["postings"].as_array().unwrap().len(), 2);
    let (_, workspace) = server.stop();
    assert!(workspace.run(&["check"]).status.success());
}

#[test]
fn declines_and_refusals_are_those_of_the_real_call() {
    let server = Server::sandbox();
    let (_, client) = create_world(&server, json!({"seed": "declined"}));
    set_clock(&client, json!({"freeze": true}));
    let card = &demo().active_card("GBP").id;
    let (preview, _) = simulated(&client, AUTHORIZATION, &first_body(card, "99999999"));
    assert_eq!(preview["postings"], json!([]));
    assert_eq!(preview["explanation"]["code"], "1016");
    let last = preview["explanation"]["rules"].as_array().unwrap().last().unwrap();
    assert_eq!((&last["rule"], &last["passed"]), (&json!("available_balance"), &json!(false)));
    let before = visible_state(&client);
    let absent = dry(&client, AUTHORIZATION, first_body(ABSENT, "1"));
    expect_fault(&absent, 404, "body.cardId", "not_found");
    assert_eq!(absent.body, client.post(AUTHORIZATION, first_body(ABSENT, "1")).body);
    expect_fault(
        &dry(&client, CLEARING, follow_body(ABSENT, "1")),
        404,
        "body.precedingRelatedTransactionToken",
        "not_found",
    );
    expect_fault(&dry(&client, AUTHORIZATION, first_body(card, "0.001")), 400, "body.amount", "too_many_decimals");
    let body = json!({"destinationBudgetId": demo().budget("EUR"), "currency": "GBP", "amount": "1"}).to_string();
    let path = format!("{BUDGETS}/{ABSENT}/transfer");
    expect_fault(&dry(&client, &path, body), 404, "path.budgetId", "not_found");
    assert_eq!(visible_state(&client), before);
}

#[test]
fn dry_runs_count_no_attempt_and_use_up_no_token() {
    let server = funded_server();
    let client = server.client();
    let batch = filled(&client, &[pounds("1.00", "SBX-PENDING")]);
    let session = open_session(&client, &batch);
    // Five wrong tokens would lock the session. 000002 would expire it, and 000003 lock it, immediately.
    for token in ["000001", "000001", "000001", "000001", "000001", "000001", "000002", "000003"] {
        let answer = dry(&client, &confirm_path(&batch), mfa_body("sandbox", &session, token));
        expect_mfa_refusal(
            &answer,
            match token {
                "000002" => "mfa_expired",
                "000003" => "mfa_locked",
                _ => "mfa_failed",
            },
        );
    }
    let totp = open_session_with(&client, &batch, "totp");
    let token = token_at(0);
    for _ in 0..2 {
        let body = mfa_body("totp", &totp, &token);
        expect_json(&dry(&client, &confirm_path(&batch), body), 200);
    }
    let body = mfa_body("sandbox", &session, "000000");
    expect_json(&dry(&client, &confirm_path(&batch), &body), 200);
    assert_eq!(expect_json(&confirm_totp(&client, &batch, &totp, &token), 200), json!({"status": "confirmed"}));
    expect_fault(&dry(&client, &confirm_path(&batch), body), 409, "path.paymentBatchId", "invalid_state");
}

#[test]
fn an_idempotency_key_has_no_effect_on_a_dry_run() {
    let server = Server::sandbox();
    let client = server.client();
    let body = first_body(&demo().active_card("GBP").id, "1");
    let dry_answer = client.post_once(&dry_path(&client, AUTHORIZATION), "key", &body);
    expect_json(&dry_answer, 201);
    let real = client.post_once(AUTHORIZATION, "key", &body);
    assert!(!real.replayed());
    assert!(client.post_once(AUTHORIZATION, "key", &body).replayed());
    let again = client.post_once(&dry_path(&client, AUTHORIZATION), "key", &body);
    assert!(!again.replayed());
    assert!(expect_json(&again, 201)["dryRun"].is_object());
    let bad = client.post_once(&dry_path(&client, AUTHORIZATION), "a key", &body);
    expect_fault(&bad, 400, "header.Idempotency-Key", "invalid_format");
}

#[test]
fn only_true_and_false_are_accepted() {
    let client = shared().client();
    let body = first_body(&demo().active_card("GBP").id, "0");
    let with = |query: &str| client.post(&format!("{AUTHORIZATION}?accountId={}{query}", client.account), &body);
    for query in ["", "&dryRun=false"] {
        assert!(expect_json(&with(query), 201).get("dryRun").is_none());
    }
    for (query, code) in [
        ("&dryRun=1", "invalid_value"),
        ("&dryRun=TRUE", "invalid_value"),
        ("&dryRun=", "required"),
        ("&dryRun=%FF", "invalid_format"),
        ("&dryRun=true&dryRun=true", "duplicate_parameter"),
    ] {
        expect_faults(&with(query), 400, &[("query.dryRun", code)]);
    }
    let paths = SIMULATIONS.map(|path| (path, path));
    let (budget, batch) = (format!("{BUDGETS}/{ABSENT}/transfer"), confirm_path(ABSENT));
    let others = [(TRANSFER, budget.as_str()), (CONFIRM, batch.as_str())];
    for (documented_path, path) in paths.into_iter().chain(others) {
        let target = format!("{path}?accountId={}&dryRun=yes", client.account);
        expect_faults_include(&client.post(&target, "{}"), "query.dryRun");
        let parameters = operation("post", documented_path)["parameters"].as_array().unwrap();
        assert!(parameters.iter().any(|parameter| parameter["name"] == "dryRun"), "{documented_path}");
    }
}

#[test]
fn operations_without_dry_runs_refuse_them() {
    let client = shared().client();
    let mut checked = 0;
    for (path, item) in crate::openapi::document()["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let parameters = operation["parameters"].as_array().map(Vec::as_slice).unwrap_or_default();
            if !path.starts_with("/v2/") || parameters.iter().any(|parameter| parameter["name"] == "dryRun") {
                continue;
            }
            let path = path.replace("{accountId}", &client.account).replace(['{', '}'], "");
            let target = format!("{path}?accountId={}&dryRun=true", client.account);
            let call = client.call(&method.to_uppercase(), &target);
            let is_form = operation["requestBody"]["content"].get("multipart/form-data").is_some();
            let answer = match operation.get("requestBody") {
                Some(_) if is_form => {
                    call.header("Content-Type", "multipart/form-data; boundary=b").bytes("--b--").send()
                }
                Some(body) if body["content"].get("application/x-ndjson").is_some() => {
                    call.header("Content-Type", "application/x-ndjson").bytes("{}").send()
                }
                Some(_) => call.json("{}").send(),
                None => call.send(),
            };
            expect_faults_include(&answer, "query.dryRun");
            checked += 1;
        }
    }
    assert!(checked > 30, "{checked}");
}

fn expect_faults_include(answer: &Answer, path: &str) {
    let faults = crate::support::expect_error(answer, 400);
    assert!(faults.iter().any(|fault| fault.path == path && fault.code == "invalid_value"), "{answer:?}");
}
