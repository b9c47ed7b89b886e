//! `GET /v2/events`: every kind of event, its body against the document, sequences, filters, and who may read them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::openapi::{assert_documented, document};
use crate::support::assert::{members, text, time, uuid};
use crate::support::described::assert_described;
use crate::support::management::{budget, card, funded, transfer, transition_card};
use crate::support::payments::{below, confirmed, filled, fresh_sandbox, listed, pounds, rows, upload};
use crate::support::receiver::Receiver;
use crate::support::server::MAX_WAIT;
use crate::support::shop::{PAYMENTS, SESSIONS, act_as_payer, bank, new_session};
use crate::support::wallet::{credit_body, first_body, follow_body};
use crate::support::worlds::{create_world, restore, set_clock, snapshot};
use crate::support::{
    AUTHORIZATION, Answer, CLEARING, CREDIT, Client, INCREMENT, Server, Wallet, Workspace, demo, expect_error,
    expect_fault, expect_json, shared,
};

pub(crate) const EVENTS: &str = "/v2/events";

/// The page of the documentation that shows the bodies of events. With `FLORIN_UPDATE_EXAMPLES` set, a test records
/// them there.
const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/EVENTS.md");

/// Returns the bodies of an account's events, oldest first.
pub(crate) fn events(client: &Client, query: &str) -> Vec<Value> {
    let answer = client.get(&format!("{EVENTS}?accountId={}&limit=1000&{query}", client.account));
    assert_documented("get", EVENTS, &answer);
    let mut page = expect_json(&answer, 200);
    let mut rows: Vec<Value> = serde_json::from_value(page["rows"].take()).unwrap();
    assert_eq!(page["count"], rows.len());
    rows.reverse();
    rows.into_iter().map(|mut row| row["body"].take()).collect()
}

/// Returns the type of an event.
pub(crate) fn name(body: &Value) -> String {
    text(body, "/webhookEventTypeName").to_owned()
}

/// Checks that the events of each object are numbered from 1 without gaps.
pub(crate) fn assert_no_gaps(bodies: &[Value]) {
    let mut last: BTreeMap<String, u64> = BTreeMap::new();
    for body in bodies {
        let last = last.entry(uuid(&body["objectId"])).or_default();
        assert_eq!(body["sequence"], *last + 1, "{body:#}");
        *last += 1;
    }
}

/// Waits until there are `count` events of these types, and returns them.
pub(crate) fn wait_for(client: &Client, kinds: &str, count: usize) -> Vec<Value> {
    let began = Instant::now();
    loop {
        let found = events(client, &format!("types={kinds}"));
        if found.len() >= count {
            return found;
        }
        assert!(began.elapsed() < MAX_WAIT, "{} of {count} {kinds}", found.len());
        thread::sleep(Duration::from_millis(50));
    }
}

/// Causes an event of every kind, except the Merchant kinds.
fn cause_account_events(client: &Client) {
    let (one, two) = (funded(client, "One", "100.00"), budget(client, "Two"));
    expect_json(&transfer(client, &one, &two, "5.00"), 200);
    let id = card(client, &one);
    expect_json(&transition_card(client, &id, "SUSPENDED"), 200);
    expect_json(&transition_card(client, &id, "ACTIVE"), 200);
    let bought = expect_json(&client.post(AUTHORIZATION, first_body(&id, "10")), 201);
    let token = text(&bought, "/transaction/token");
    expect_json(&client.post(CLEARING, follow_body(token, "4")), 201);
    expect_json(&client.post(AUTHORIZATION, first_body(&id, "9999")), 201);
    let batch = filled(client, &[pounds("1.00", "one"), pounds("2.00", "SBX-RETURN")]);
    confirmed(client, &batch);
    wait_for(client, "PaymentBatchCompleted", 1);
    // Confirmed batches of the demo data are never started.
    let cancelled = demo().batch("confirmed");
    assert_eq!(client.call("DELETE", &format!("/v2/payment-batches/{cancelled}")).send().status / 100, 2);
}

/// Causes an event of every Merchant kind, and advances the clock.
fn cause_merchant_events(client: &Client) {
    let checkout = "0198c0de-0003-7000-8000-000000000001";
    let open = |key: &str| expect_json(&client.post(SESSIONS, new_session(checkout, key).to_string()), 201);
    let at_bank = |session: &Value, name: &str| {
        let body = json!({"bankId": bank(client), "outcome": name});
        expect_json(&act_as_payer(client, session, &body), 200)
    };
    let paid = at_bank(&open("paid"), "approve");
    let amount = json!({"amount": {"amount": "1.00", "currencyCode": "GBP"}, "reason": "Returned"});
    let refunds = format!("{PAYMENTS}/{}/refunds", text(&paid, "/paymentId"));
    let refund = expect_json(&client.post(&refunds, amount.to_string()), 201);
    let authorise = format!("/v2/sandbox/refunds/{}/authorise", text(&refund, "/id"));
    expect_json(&client.post(&authorise, r#"{"outcome": "approve"}"#), 200);
    at_bank(&open("rejected"), "reject");
    open("unseen");
    let cancel = format!("{SESSIONS}/{}/cancel", text(&open("cancelled"), "/id"));
    expect_json(&client.post(&cancel, ""), 200);
    set_clock(client, json!({"advanceBy": "PT30M"}));
}

#[test]
fn every_kind_of_event_is_described() {
    let (_server, client) = fresh_sandbox();
    cause_account_events(&client);
    wait_for(&client, "PaymentReturned", 1);
    cause_merchant_events(&client);
    let all = events(&client, "");
    all.iter().for_each(assert_described);
    assert_no_gaps(&all);
    let names: BTreeSet<_> = all.iter().map(name).collect();
    // Events have the names that Florin gives; the names that begin with Roqqett are for subscriptions only. A question
    // to a decision endpoint is not an event.
    let described = document()["webhooks"].as_object().unwrap().keys().cloned();
    let is_event = |name: &String| !name.starts_with("Roqqett") && name != "CardDecision";
    let known = described.filter(is_event).collect::<BTreeSet<_>>();
    assert_eq!(names, known);
    let ids: BTreeSet<_> = all.iter().map(|body| uuid(&body["messageId"])).collect();
    assert_eq!(ids.len(), all.len());
    record(&all);
}

/// Writes one event of each kind to the documentation, or checks that the documentation shows every kind.
fn record(all: &[Value]) {
    let page = std::fs::read_to_string(PAGE).unwrap();
    let mark = "<!-- Recorded by tests/blackbox/events.rs: FLORIN_UPDATE_EXAMPLES=1 -->";
    let (head, recorded) = page.split_once(mark).expect("the page has a mark");
    if std::env::var_os("FLORIN_UPDATE_EXAMPLES").is_some() {
        let mut text = format!("{head}{mark}\n");
        let mut seen = BTreeSet::new();
        for body in all.iter().filter(|body| seen.insert(name(body))) {
            write!(text, "\n### {}\n\n```json\n{:#}\n```\n", name(body), json!({"body": body})).unwrap();
        }
        std::fs::write(PAGE, text).unwrap();
        return;
    }
    for body in all {
        let title = format!("### {}\n", name(body));
        let (_, shown) = recorded.split_once(&title).unwrap_or_else(|| panic!("{title} is not in {PAGE}"));
        let json = shown.split("```").nth(1).unwrap().trim_start_matches("json");
        let shown: Value = serde_json::from_str(json).unwrap();
        assert_eq!(members(&shown["body"]), members(body), "{title}");
    }
}

#[test]
fn a_card_event_contains_the_answer_as_it_was_sent() {
    let (server, _) = fresh_sandbox();
    let wallet = Wallet::with(&server, "GBP", 50_000);
    let sent = wallet.client.post(AUTHORIZATION, first_body(&wallet.card.id, "10.10"));
    let answer = sent.text();
    let transaction = answer.strip_prefix("{\"transaction\":").and_then(|rest| rest.strip_suffix('}')).unwrap();
    let token = text(&sent.json(), "/transaction/token").to_owned();
    let list = wallet.client.get(&format!("{EVENTS}?accountId={}&objectId={token}", wallet.client.account)).text();
    assert!(list.contains(&format!("\"transaction\":{transaction},")), "{transaction} in {list}");
}

#[test]
fn an_expiry_is_an_event_of_its_chain() {
    let server = Server::sandbox();
    let (_, client) = create_world(&server, json!({"startsAt": "2026-09-01T12:00:00Z"}));
    let held = expect_json(&client.post(AUTHORIZATION, first_body(&demo().active_card("GBP").id, "10")), 201);
    set_clock(&client, json!({"advanceBy": "P8D"}));
    let found = events(&client, &format!("objectId={}", text(&held, "/transaction/token")));
    found.iter().for_each(assert_described);
    assert_no_gaps(&found);
    assert_eq!((found.len(), &found[0]["transaction"]), (2, &held["transaction"]));
    assert_eq!(text(&found[1], "/transaction/type"), "authorization.reversal.issuerexpiration");
    assert_eq!(text(&found[1], "/occurredAt"), "2026-09-08T12:00:00Z");
}

#[test]
fn repeats_dry_runs_and_refusals_cause_no_events() {
    let (server, _) = fresh_sandbox();
    let wallet = Wallet::with(&server, "GBP", 50_000);
    let client = &wallet.client;
    let before = events(client, "").len();
    let body = first_body(&wallet.card.id, "1");
    let first = client.post_once(AUTHORIZATION, "once", &body);
    let token = text(&first.json(), "/transaction/token").to_owned();
    assert!(client.post_once(AUTHORIZATION, "once", &body).replayed());
    let dry = format!("{AUTHORIZATION}?accountId={}&dryRun=true", client.account);
    expect_json(&client.post(&dry, &body), 201);
    expect_error(&client.post(CLEARING, follow_body(&token, "1.001")), 400);
    expect_json(&client.post(CLEARING, follow_body(&token, "1")), 201);
    expect_error(&client.post(INCREMENT, follow_body(&token, "1")), 409);
    expect_error(&client.post(CREDIT, credit_body(&wallet.card.budget, "1", "XAU")), 400);
    let after = events(client, "");
    assert_eq!(after.len(), before + 2);
    assert_eq!(events(client, &format!("objectId={token}")).len(), 2);
}

#[test]
fn concurrent_messages_are_numbered_without_gaps() {
    let (server, _) = fresh_sandbox();
    let wallet = Wallet::with(&server, "GBP", 10_000_000);
    let chains: Vec<_> = (0..4).map(|_| wallet.token(AUTHORIZATION, "100")).collect();
    thread::scope(|scope| {
        for number in 0..8 {
            let (wallet, chain) = (&wallet, &chains[number % 4]);
            scope.spawn(move || {
                for round in 0..15 {
                    wallet.token(AUTHORIZATION, "1");
                    wallet.follow_ok(INCREMENT, chain, "1");
                    if round % 3 == 0 {
                        wallet.credit("1");
                    }
                }
            });
        }
    });
    let all = events(&wallet.client, "");
    assert_no_gaps(&all);
    for chain in chains {
        let of_chain = events(&wallet.client, &format!("objectId={chain}"));
        assert_eq!(of_chain.len(), 31);
    }
}

#[test]
fn the_list_is_filtered_and_paged() {
    let (server, client) = fresh_sandbox();
    let (one, two) = (funded(&client, "One", "100.00"), budget(&client, "Two"));
    expect_json(&transfer(&client, &one, &two, "5.00"), 200);
    let all = events(&client, "");
    let names: Vec<_> = all.iter().map(name).collect();
    assert_eq!(names, ["BoxCredited", "BoxDebited", "BoxCredited"]);
    assert_eq!(events(&client, "types=BoxDebited,CardTransaction").len(), 1);
    assert_eq!(events(&client, &format!("objectId={two}")).len(), 1);
    let at = text(&all[0], "/occurredAt");
    assert_eq!(events(&client, &format!("from={at}")).len(), 3);
    assert_eq!(events(&client, &format!("to={at}&types=BoxCredited"))[0], all[0]);
    assert_eq!(events(&client, "from=2099-01-01T00:00:00Z").len(), 0);
    let one = events(&client, "")[1].clone();
    let by_id = format!("messageId={}", text(&one, "/messageId"));
    assert_eq!(events(&client, &by_id), [one]);
    assert_eq!(events(&client, &format!("{by_id}&to=2000-01-01T00:00:00Z")).len(), 0);
    let of_other = expect_json(&server.other().get(&format!("{EVENTS}?{by_id}")), 200);
    assert_eq!(of_other["count"], 0, "{of_other}");
    let (rows, count) = listed(&client, EVENTS, "limit=1&offset=1");
    assert_eq!((rows.len(), count), (1, 3));
    assert_eq!(rows[0]["body"], all[1]);
    let read = |query: &str| client.get(&format!("{EVENTS}?accountId={}&{query}", client.account));
    expect_fault(&read("types=BoxCredit"), 400, "query.types", "invalid_value");
    expect_fault(&read("objectId=1"), 400, "query.objectId", "invalid_format");
    expect_fault(&read("from=today"), 400, "query.from", "invalid_format");
    let debit = &all[1];
    assert_eq!((&debit["settlementPriceAmount"], text(debit, "/ledgerBalance")), (&json!(500), "95.00"));
    assert_eq!(debit["sequentialId"], debit["boxTransactionId"].to_string());
    assert_eq!(time(&debit["valueDateTime"]), time(&debit["occurredAt"]));
}

#[test]
fn a_key_lists_the_events_of_its_accounts() {
    let server = Server::sandbox();
    let client = server.client();
    funded(&client, "One", "1.00");
    let (world, of_world) = create_world(&server, json!({"template": "demo", "seed": "events"}));
    funded(&of_world, "Two", "1.00");
    let count = |client: &Client, query: &str| {
        expect_json(&client.get(&format!("{EVENTS}?{query}")), 200)["count"].as_i64().unwrap()
    };
    let account = text(&world, "/accountId");
    assert_eq!(count(&client, &format!("accountId={account}")), 1);
    assert_eq!(count(&of_world, "limit=10"), 1);
    assert!(count(&client, "limit=10") >= 2);
    expect_error(&of_world.get(&format!("{EVENTS}?accountId={}", client.account)), 404);
    assert_eq!(count(&server.other(), "limit=10"), 0);
    expect_fault(&server.limited().get(EVENTS), 403, "header.Authorization", "insufficient_scope");
}

#[test]
fn a_restore_reverts_events_and_a_copy_has_none() {
    let server = Server::sandbox();
    let (_, client) = create_world(&server, json!({"template": "demo"}));
    let one = funded(&client, "One", "1.00");
    let receiver = Receiver::start();
    receiver.subscribe(&client, "CardStateUpdated", &json!({}));
    let saved = snapshot(&client);
    receiver.subscribe(&client, "BoxDebited", &json!({}));
    let webhooks = |client: &Client| expect_json(&client.get("/v2/webhooks"), 200)["count"].clone();
    let credit = || expect_json(&client.post(CREDIT, credit_body(&one, "1.00", "GBP")), 200);
    credit();
    credit();
    let undone = events(&client, "");
    restore(&client, &saved);
    assert_eq!(events(&client, ""), undone[..1]);
    assert_eq!(webhooks(&client), 2, "a restore changes no subscriptions");
    credit();
    let again = events(&client, "");
    assert_no_gaps(&again);
    assert_ne!(again[1]["messageId"], undone[1]["messageId"]);
    let body = json!({"snapshotId": saved});
    let (_, copy) = create_world(&server, body);
    assert_eq!((events(&copy, "").len(), webhooks(&copy)), (0, json!(0)));
    expect_json(&copy.post(CREDIT, credit_body(&one, "1.00", "GBP")), 200);
    assert_eq!(events(&copy, "")[0]["sequence"], 2);
}

#[test]
fn ids_of_events_are_random_in_seeded_worlds() {
    let server = Server::sandbox();
    let run = || {
        let (_, client) = create_world(&server, json!({"template": "demo", "seed": "twice", "replace": true}));
        set_clock(&client, json!({"advanceBy": "PT1H"}));
        funded(&client, "One", "1.00");
        let mut body = events(&client, "").remove(0);
        let id = body["messageId"].take();
        (id, body)
    };
    let (one, two) = (run(), run());
    assert_eq!(one.1, two.1);
    assert_ne!(one.0, two.0);
}

#[test]
fn payment_events_show_the_payment_as_the_list_does() {
    let (_server, client) = fresh_sandbox();
    let batch = filled(&client, &[pounds("1.00", "one")]);
    confirmed(&client, &batch);
    let completed = wait_for(&client, "PaymentBatchCompleted", 1).remove(0);
    assert_eq!(
        (&completed["summary"], &completed["status"]),
        (&json!({"succeeded": 1, "failed": 0}), &json!("completed"))
    );
    let created = events(&client, "types=PaymentCreated").remove(0);
    let (mut listed, _) = listed(&client, &below(&batch, "payments"), "");
    for changed in ["status", "updatedAt"] {
        listed[0][changed] = created["payment"][changed].clone();
    }
    assert_eq!(created["payment"], listed[0]);
    assert_eq!(created["payment"]["status"], "started");
    let order = events(&client, "types=PaymentBatchOrderCreated").remove(0)["order"].take();
    let paid = events(&client, "types=BoxDebited").remove(0);
    assert_eq!((&order["numberOfPayments"], &order["amount"]), (&json!(1), &json!("1.00")));
    assert_eq!((&paid["orderId"], &paid["paymentMethod"]), (&order["id"], &json!("UK.OBIE.FPS")));
    assert_eq!((&paid["identification"], &paid["source"]), (&json!("****4958"), &json!("orders")));
    let sequences: Vec<_> = events(&client, &format!("objectId={batch}")).iter().map(name).collect();
    assert_eq!(
        sequences,
        [
            "PaymentBatchCreated",
            "PaymentBatchOrderCreated",
            "PaymentBatchProcessing",
            "PaymentCreated",
            "PaymentBatchCompleted"
        ]
    );
}

#[test]
fn a_batch_has_one_creation_event_however_often_it_is_uploaded() {
    let (_server, client) = fresh_sandbox();
    let batch = filled(&client, &[pounds("1.00", "one")]);
    let bad: Answer = upload(&client, &batch, rows(&[pounds("0", "one")]));
    assert_eq!(bad.status / 100, 2, "{bad:?}");
    upload(&client, &batch, rows(&[pounds("2.00", "two")]));
    assert_eq!(events(&client, &format!("objectId={batch}")).len(), 1);
}

#[test]
fn production_lists_events_of_clients_with_the_feature() {
    let workspace = Workspace::empty().production();
    assert!(workspace.run(&["init"]).status.success());
    let owner = text(&workspace.json(&["clients", "create", "--name", "Live", "--json"]), "/id").to_owned();
    workspace.json(&["accounts", "create", "F70001", "--client", &owner, "--json"]);
    let key =
        text(&workspace.json(&["keys", "issue", "--client", &owner, "--all-scopes", "--json"]), "/key").to_owned();
    let server = Server::on(workspace);
    let client = server.client_of(&key, "F70001");
    let one = budget(&client, "One");
    let first = card(&client, &one);
    expect_fault(&client.get(EVENTS), 403, "", "feature_not_enabled");
    let switch = |action: &str| {
        let output = server.workspace().run(&["features", action, "events", "--client", &owner]);
        assert!(output.status.success(), "{output:?}");
    };
    switch("enable");
    assert_eq!(events(&client, "").len(), 0);
    expect_json(&transition_card(&client, &first, "SUSPENDED"), 200);
    let found = events(&client, "");
    assert_eq!((found.len(), &found[0]["sequence"]), (1, &json!(2)), "{found:#?}");
    assert_eq!((&found[0]["previousState"], &found[0]["state"]), (&json!("ACTIVE"), &json!("SUSPENDED")));
    switch("disable");
    expect_fault(&client.get(EVENTS), 403, "", "feature_not_enabled");
}

#[test]
fn event_types_are_listed_with_times_in_milliseconds() {
    let answer = shared().client().get("/v2/webhooks/event-types?");
    assert_documented("get", "/v2/webhooks/event-types", &answer);
    let types: Vec<Value> = serde_json::from_value(expect_json(&answer, 200)).unwrap();
    let find = |name: &str| types.iter().find(|known| known["name"] == name).unwrap();
    let known = find("CardTransaction");
    assert_eq!(members(known), ["createdAt", "enabled", "id", "name", "updatedAt"]);
    assert_eq!((text(known, "/id"), &known["enabled"]), ("da153b21-9c8d-46d2-8911-83c6da10655a", &json!(true)));
    assert!(text(known, "/createdAt").contains(".000Z"), "{known}");
    assert_eq!(find("MerchantPaymentFailed")["enabled"], true);
    assert_eq!(find("RoqqettPaymentFailed")["enabled"], true);
}
