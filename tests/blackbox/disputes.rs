//! Disputes of settled purchases and debits.

use serde_json::{Value, json};

use crate::openapi::assert_documented;
use crate::support::assert::{expect_invariants, members, text, uuid};
use crate::support::table::{Table, bad};
use crate::support::wallet::transaction;
use crate::support::{
    ABSENT, ATM, ATM_CLEARING, AUTHORIZATION, Answer, CLEARING, Client, Server, Wallet, chain_path, expect_fault,
    expect_json,
};

const DISPUTES: &str = "/v2/cards/simulations/disputes";
const SINGLE: &str = "/v2/cards/simulations/disputes/{disputeId}";
const DEBIT: &str = "/v2/cards/simulations/debit";
const DEBIT_REVERSAL: &str = "/v2/cards/simulations/debit/reversal";

fn open(client: &Client, body: &Value) -> Answer {
    let answer = client.post(DISPUTES, body.to_string());
    assert_documented("post", DISPUTES, &answer);
    answer
}

/// Disputes an amount of a message, and returns the id.
fn dispute(client: &Client, token: &str, amount: f64) -> String {
    let body = json!({"transactionToken": token, "amount": amount, "reason": "FRAUD"});
    text(&expect_json(&open(client, &body), 201), "/id").to_owned()
}

fn post_action(client: &Client, id: &str, action: &str, body: &Value) -> Answer {
    let answer = client.post(&format!("{DISPUTES}/{id}/{action}"), body.to_string());
    assert_documented("post", &format!("{SINGLE}/{action}"), &answer);
    answer
}

fn credit(client: &Client, id: &str) -> Value {
    expect_json(&post_action(client, id, "provisional-credit", &json!({})), 201)
}

fn resolve(client: &Client, id: &str, outcome: &str) -> Value {
    expect_json(&post_action(client, id, "resolve", &json!({"outcome": outcome})), 201)
}

fn find(client: &Client, id: &str) -> Value {
    let answer = client.get(&format!("{DISPUTES}/{id}"));
    assert_documented("get", SINGLE, &answer);
    expect_json(&answer, 200)
}

fn list(client: &Client, query: &str) -> Vec<String> {
    let answer = client.get(&format!("{DISPUTES}?accountId={}&{query}", client.account));
    assert_documented("get", DISPUTES, &answer);
    let page = expect_json(&answer, 200);
    let rows = page["rows"].as_array().unwrap();
    assert!(page["count"].as_u64().unwrap() >= rows.len() as u64);
    rows.iter().map(|row| text(row, "/id").to_owned()).collect()
}

/// Authorizes and clears a purchase of 10.00. Returns both tokens.
fn bought(wallet: &Wallet) -> [String; 2] {
    let first = wallet.token(AUTHORIZATION, "10");
    let cleared = wallet.follow_ok(CLEARING, &first, "10");
    [first, text(&cleared, "/token").to_owned()]
}

fn chargebacks(client: &Client, query: &str) -> Vec<Value> {
    let target = format!("/v2/activity/{}?type=chargeback&{query}", client.account);
    let page = expect_json(&client.get(&target), 200);
    let rows = page["rows"].as_array().unwrap().clone();
    assert_eq!(page["count"], rows.len(), "{query}");
    rows
}

#[test]
fn a_dispute_is_opened_credited_and_won() {
    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "GBP", 25_000);
    let client = &wallet.client;
    let [first, clearing] = bought(&wallet);
    let opened = expect_json(&open(client, &json!({"transactionToken": clearing, "reason": "NOT_RECEIVED"})), 201);
    let id = uuid(&opened["id"]);
    assert_eq!(
        members(&opened),
        [
            "accountId",
            "amount",
            "cardId",
            "createdAt",
            "currencyCode",
            "evidence",
            "firstTransactionToken",
            "id",
            "provisionalCreditToken",
            "reason",
            "resolutionToken",
            "resolvedAt",
            "status",
            "transactionToken",
            "updatedAt"
        ]
    );
    assert_eq!(
        (&opened["amount"], &opened["status"], &opened["reason"]),
        (&json!("10.00"), &json!("OPEN"), &json!("NOT_RECEIVED"))
    );
    assert_eq!((text(&opened, "/transactionToken"), text(&opened, "/firstTransactionToken")), (&*clearing, &*first));
    assert_eq!(find(client, &id), opened);
    assert_eq!(wallet.balance().available, 24_000, "nothing moved");

    for text in ["The parcel never arrived.", "žádný balík"] {
        expect_json(&post_action(client, &id, "evidence", &json!({"text": text})), 201);
    }
    let credited = credit(client, &id);
    let message = &credited["transaction"];
    assert_eq!(text(message, "/precedingRelatedTransactionToken"), clearing);
    assert_eq!(message["dispute"], json!({"id": id, "transactionToken": clearing}));
    assert_eq!((&message["response"]["code"], &message["network"]), (&json!("0000"), &json!("VISA")));
    assert_eq!(credited["dispute"]["provisionalCreditToken"], message["token"]);
    let pending = chargebacks(client, "status=pending");
    assert_eq!((pending.len(), &pending[0]["id"], &pending[0]["amount"]), (1, &message["token"], &json!(10.0)));
    assert!(chargebacks(client, "status=complete,reverted").is_empty());

    let won = resolve(client, &id, "WON");
    let end = &won["transaction"];
    assert_eq!(end["type"], "authorization.clearing.chargeback.completed");
    assert_eq!(end["precedingRelatedTransactionToken"], message["token"]);
    let found = find(client, &id);
    assert_eq!(won["dispute"], found);
    assert_eq!((&found["status"], &found["resolutionToken"]), (&json!("WON"), &end["token"]));
    assert_eq!(found["evidence"][1]["text"], "žádný balík");
    let complete = chargebacks(client, "status=complete");
    assert_eq!((complete.len(), &complete[0]["status"]), (1, &json!("complete")));
    assert!(chargebacks(client, "status=pending").is_empty());
    let chain = expect_json(&client.get(&chain_path(text(end, "/token"))), 200);
    assert_eq!(chain["messages"].as_array().unwrap().len(), 2);
    assert_eq!(chain["hold"]["endedBy"], "cleared");
    let events = expect_json(&client.get("/v2/events?types=CardTransaction"), 200);
    let shown = events["rows"].to_string();
    for token in [&message["token"], &end["token"]] {
        assert!(shown.contains(token.as_str().unwrap()), "{token}: {shown}");
    }
    assert_eq!(wallet.balance().available, 25_000);
    expect_invariants(client);
}

#[test]
fn a_lost_dispute_takes_the_credit_back_and_may_overdraw() {
    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "GBP", 1_000);
    let client = &wallet.client;
    let [_, clearing] = bought(&wallet);
    let id = dispute(client, &clearing, 10.0);
    credit(client, &id);
    bought(&wallet);
    let lost = resolve(client, &id, "LOST");
    assert_eq!(lost["transaction"]["gpa"]["availableBalance"], "-10.00");
    let reverted = chargebacks(client, "status=reverted");
    assert_eq!((reverted.len(), &reverted[0]["impactedAmount"]), (1, &json!(0.0)));
    let refused = open(client, &json!({"transactionToken": clearing, "reason": "FRAUD"}));
    expect_fault(&refused, 409, "body.amount", "amount_exceeds_authorization");
    expect_invariants(client);
}

#[test]
fn a_dispute_lost_without_a_credit_causes_no_message() {
    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "GBP", 25_000);
    let [_, clearing] = bought(&wallet);
    let id = dispute(&wallet.client, &clearing, 10.0);
    let lost = resolve(&wallet.client, &id, "LOST");
    assert_eq!((&lost["transaction"], &lost["dispute"]["resolutionToken"]), (&Value::Null, &Value::Null));
    assert_eq!(lost["dispute"]["status"], "LOST");
    assert!(chargebacks(&wallet.client, "").is_empty());
    assert_eq!(wallet.balance().available, 24_000);
}

#[test]
fn only_settled_purchases_and_debits_can_be_disputed() {
    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "GBP", 25_000);
    let client = &wallet.client;
    let held = wallet.token(AUTHORIZATION, "10");
    let check = text(&wallet.authorize("0"), "/token").to_owned();
    let cash = wallet.token(ATM, "10");
    let withdrawn = text(&wallet.follow_ok(ATM_CLEARING, &cash, "10"), "/token").to_owned();
    let refund = wallet.token("/v2/cards/simulations/refund", "10");
    for token in [held, check, cash, withdrawn, refund] {
        let refused = open(client, &json!({"transactionToken": token, "reason": "FRAUD"}));
        expect_fault(&refused, 409, "body.transactionToken", "wrong_transaction_kind");
    }
    let unknown = open(client, &json!({"transactionToken": ABSENT, "reason": "FRAUD"}));
    expect_fault(&unknown, 404, "body.transactionToken", "not_found");
    let [first, clearing] = bought(&wallet);
    let above = open(client, &json!({"transactionToken": clearing, "amount": 10.01, "reason": "FRAUD"}));
    expect_fault(&above, 409, "body.amount", "amount_exceeds_authorization");
    let decimals = open(client, &json!({"transactionToken": clearing, "amount": 1.001, "reason": "FRAUD"}));
    expect_fault(&decimals, 400, "body.amount", "too_many_decimals");
    dispute(client, &clearing, 6.0);
    let above = open(client, &json!({"transactionToken": first, "amount": 4.01, "reason": "FRAUD"}));
    let fault = expect_fault(&above, 409, "body.amount", "amount_exceeds_authorization");
    assert!(fault.message.contains("4.00 GBP"), "{fault:?}");
    dispute(client, &first, 4.0);
}

#[test]
fn a_merchant_cannot_return_what_is_disputed() {
    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "GBP", 25_000);
    let client = &wallet.client;
    let debit = wallet.token(DEBIT, "10");
    let id = dispute(client, &debit, 4.0);
    credit(client, &id);
    let above = wallet.follow(DEBIT_REVERSAL, &debit, "6.01");
    expect_fault(&above, 409, "body.amount", "amount_exceeds_authorization");
    wallet.follow_ok(DEBIT_REVERSAL, &debit, "6");
    let all = client.post(DEBIT_REVERSAL, json!({"precedingRelatedTransactionToken": debit}).to_string());
    expect_fault(&all, 409, "body.amount", "amount_exceeds_authorization");
    assert_eq!(wallet.balance().available, 25_000);
    resolve(client, &id, "LOST");
    let rest =
        transaction(&client.post(DEBIT_REVERSAL, json!({"precedingRelatedTransactionToken": debit}).to_string()));
    assert_eq!(rest["gpa"]["impactedAmount"], "4.00");
    assert_eq!(wallet.balance().available, 25_000);
    expect_invariants(client);
}

#[test]
fn lists_are_filtered_and_paged() {
    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "GBP", 25_000);
    let client = &wallet.client;
    let [first, clearing] = bought(&wallet);
    let debit = wallet.token(DEBIT, "5");
    let [one, two, three] =
        [(&clearing, 1.0), (&first, 2.0), (&debit, 3.0)].map(|(token, amount)| dispute(client, token, amount));
    resolve(client, &two, "WON");
    let sorted = |mut ids: Vec<String>| {
        ids.sort_unstable();
        ids
    };
    let expected = |ids: &[&String]| sorted(ids.iter().map(|id| (*id).clone()).collect());
    for (query, ids) in [
        ("", &[&one, &two, &three][..]),
        ("status=OPEN", &[&one, &three]),
        ("status=WON,LOST", &[&two]),
        (&format!("transactionToken={first}"), &[&one, &two]),
        (&format!("transactionToken={clearing}"), &[&one]),
        (&format!("transactionToken={ABSENT}"), &[]),
        (&format!("cardId={}", wallet.card.id), &[&one, &two, &three]),
        (&format!("cardId={ABSENT}"), &[]),
    ] {
        assert_eq!(sorted(list(client, query)), expected(ids), "{query}");
    }
    let pages: Vec<_> = (0..3).flat_map(|offset| list(client, &format!("limit=1&offset={offset}"))).collect();
    assert_eq!(sorted(pages), expected(&[&one, &two, &three]));
    let refused = client.get(&format!("{DISPUTES}?accountId={}&status=open", client.account));
    expect_fault(&refused, 400, "query.status", "invalid_value");
    assert!(list(&server.other(), "").is_empty());
}

#[test]
fn invalid_requests_and_actions_on_decided_disputes_are_refused() {
    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "GBP", 25_000);
    let client = &wallet.client;
    let [_, clearing] = bought(&wallet);
    let id = dispute(client, &clearing, 5.0);
    let mut table = Table::default();
    for (body, place, code) in [
        (json!({"reason": "FRAUD"}), "body.transactionToken", "required"),
        (json!({"transactionToken": clearing}), "body.reason", "required"),
        (json!({"transactionToken": clearing, "reason": "OTHER"}), "body.reason", "invalid_value"),
        (json!({"transactionToken": "x", "reason": "FRAUD"}), "body.transactionToken", "invalid_format"),
        (json!({"transactionToken": clearing, "reason": "FRAUD", "amount": 0}), "body.amount", "out_of_range"),
        (json!({"transactionToken": clearing, "reason": "FRAUD", "amount": "1"}), "body.amount", "invalid_type"),
        (json!({"transactionToken": clearing, "reason": "FRAUD", "note": ""}), "body.note", "unknown_field"),
    ] {
        table.check(&bad(body.to_string(), place, code), &client.post(DISPUTES, body.to_string()));
    }
    for (action, body, place, code) in [
        ("evidence", json!({}), "body.text", "required"),
        ("evidence", json!({"text": ""}), "body.text", "invalid_format"),
        ("evidence", json!({"text": "x".repeat(2001)}), "body.text", "too_long"),
        ("evidence", json!({"text": "a\u{0}"}), "body.text", "invalid_format"),
        ("provisional-credit", json!({"amount": 1}), "body.amount", "unknown_field"),
        ("resolve", json!({"outcome": "OPEN"}), "body.outcome", "invalid_value"),
    ] {
        let answer = client.post(&format!("{DISPUTES}/{id}/{action}"), body.to_string());
        table.check(&bad(format!("{action} {body}"), place, code), &answer);
    }
    table.done(13);
    for number in 0..20 {
        expect_json(&post_action(client, &id, "evidence", &json!({"text": format!("{number}")})), 201);
    }
    expect_fault(&post_action(client, &id, "evidence", &json!({"text": "x"})), 409, "path.disputeId", "invalid_state");
    credit(client, &id);
    expect_fault(&post_action(client, &id, "provisional-credit", &json!({})), 409, "path.disputeId", "invalid_state");
    resolve(client, &id, "WON");
    for (action, body) in [
        ("evidence", json!({"text": "late"})),
        ("provisional-credit", json!({})),
        ("resolve", json!({"outcome": "LOST"})),
    ] {
        expect_fault(&post_action(client, &id, action, &body), 409, "path.disputeId", "invalid_state");
        for (other, id) in [(&server.other(), &*id), (client, ABSENT)] {
            expect_fault(&post_action(other, id, action, &body), 404, "path.disputeId", "not_found");
        }
    }
    expect_fault(&server.other().get(&format!("{DISPUTES}/{id}")), 404, "path.disputeId", "not_found");
    let foreign = json!({"transactionToken": clearing, "reason": "FRAUD"});
    expect_fault(&open(&server.other(), &foreign), 404, "body.transactionToken", "not_found");
}

#[test]
fn repeats_are_replayed_and_dry_runs_change_nothing() {
    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "GBP", 25_000);
    let client = &wallet.client;
    let [_, clearing] = bought(&wallet);
    let body = json!({"transactionToken": clearing, "amount": 4, "reason": "DUPLICATE"});
    let dry_run = |path: &str, body: &Value| {
        let target = format!("{path}?accountId={}&dryRun=true", client.account);
        expect_json(&client.post(&target, body.to_string()), 201)
    };
    let dry = dry_run(DISPUTES, &body);
    assert_eq!((&dry["status"], &dry["dryRun"]["postings"]), (&json!("OPEN"), &json!([])));
    assert!(list(client, "").is_empty());
    let [first, again] = [(); 2].map(|()| client.post_once(DISPUTES, "d-1", body.to_string()));
    assert_eq!((first.replayed(), again.replayed(), first.json()), (false, true, again.json()));
    let id = text(&first.json(), "/id").to_owned();
    let path = |action: &str| format!("{DISPUTES}/{id}/{action}");
    let dry = dry_run(&path("provisional-credit"), &json!({}));
    assert_eq!(dry["dryRun"]["postings"].as_array().unwrap().len(), 2, "{dry}");
    assert_eq!(dry_run(&path("evidence"), &json!({"text": "x"}))["evidence"][0]["text"], "x");
    assert_eq!(dry_run(&path("resolve"), &json!({"outcome": "LOST"}))["transaction"], Value::Null);
    assert_eq!(find(client, &id), first.json());
    for (action, body) in
        [("evidence", json!({"text": "x"})), ("provisional-credit", json!({})), ("resolve", json!({"outcome": "LOST"}))]
    {
        let [one, two] = [(); 2].map(|()| client.post_once(&path(action), action, body.to_string()));
        assert_eq!((one.status, one.replayed(), two.replayed()), (201, false, true), "{action}");
        assert_eq!(one.json(), two.json());
    }
    assert_eq!((find(client, &id)["evidence"].as_array().unwrap().len(), wallet.balance().available), (1, 24_000));
    expect_invariants(client);
}
