//! Real-time decisions: an endpoint of the account approves, declines, approves in part, or does not decide.

use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::openapi::{assert_documented, assert_question_documented};
use crate::support::assert::{members, text, uuid};
use crate::support::decisions::{
    APPROVE, DECISIONS, buy, message_in_chain, purchase, put, question, rules, start_endpoint,
};
use crate::support::management::{balance, card, funded, limits, transition_card};
use crate::support::payments::fresh_sandbox;
use crate::support::together::together;
use crate::support::wallet::{follow_body, transaction};
use crate::support::worlds::{create_world, set_clock};
use crate::support::{
    ADVICE, ATM, AUTHORIZATION, CLEARING, Client, INCREMENT, REFUND, REVERSAL, Server, chain_path, expect_json,
};

const DEBIT: &str = "/v2/cards/simulations/debit";
const INQUIRY: &str = "/v2/cards/simulations/balance-inquiry";
const FEE: &str = "/v2/cards/simulations/fee";

/// Creates a card on a budget with 100.00 GBP. Returns the budget and the card.
fn funded_card(client: &Client) -> (String, String) {
    let budget = funded(client, "Decided", "100.00");
    let card = card(client, &budget);
    (budget, card)
}

fn code(record: &Value) -> &str {
    text(record, "/response/code")
}

#[test]
fn an_endpoint_approves_declines_and_approves_in_part() {
    let (_server, client) = fresh_sandbox();
    let (budget, card) = funded_card(&client);
    let (endpoint, _) = start_endpoint(&client, APPROVE, &json!({}));

    let approved = buy(&client, &card, "10");
    assert_eq!((code(&approved), text(&approved, "/gpa/availableBalance")), ("0000", "90.00"));
    assert_eq!(approved["decision"], json!({"by": "ENDPOINT", "decision": "APPROVE"}));
    let message = message_in_chain(&client, &approved);
    assert_eq!((&message["transaction"]["decision"], &message["explanation"]), (&approved["decision"], &Value::Null));

    for (reply, expected) in [
        (r#"{"decision": "DECLINE"}"#, "1885"),
        (r#"{"decision": "DECLINE", "code": "1884"}"#, "1884"),
        (r#"{"decision": "DECLINE", "code": "1886"}"#, "1886"),
        (r#"{"decision": "DECLINE", "code": "1887"}"#, "1887"),
        (r#"{"decision": "DECLINE", "code": "1888"}"#, "1888"),
        (r#"{"decision": "DECLINE", "code": "1889"}"#, "1889"),
    ] {
        endpoint.answer_with(reply);
        let declined = buy(&client, &card, "10");
        assert_eq!((code(&declined), text(&declined, "/state")), (expected, "DECLINED"));
        let message = message_in_chain(&client, &declined);
        let decision = json!({"by": "ENDPOINT", "decision": "DECLINE", "code": expected});
        assert_eq!(message["transaction"]["decision"], decision);
        let (name, rule) = rules(&message).pop().unwrap();
        assert_eq!(
            (name.as_str(), rule),
            ("decision", json!({"rule": "decision", "passed": false, "decision": decision}))
        );
        let chain = client.get(&chain_path(text(&declined, "/token")));
        assert_documented("get", "/v2/cards/simulations/transactions/{token}", &chain);
        assert!(!chain.text().to_lowercase().contains("duration"), "{chain:?}");
    }
    assert_eq!(balance(&client, &budget)[1], "90.00", "a decline moves nothing");

    endpoint.answer_with(r#"{"decision": "PARTIAL", "amount": "4.00"}"#);
    let answer = client.post(AUTHORIZATION, purchase(&card, "10", &json!({"partialApproval": true})));
    assert_documented("post", AUTHORIZATION, &answer);
    let partial = transaction(&answer);
    assert_eq!(
        (code(&partial), text(&partial, "/amount"), text(&partial, "/requestAmount")),
        ("0002", "4.00", "10.00")
    );
    assert_eq!(text(&partial, "/gpa/availableBalance"), "86.00");
    assert_eq!(partial["decision"], json!({"by": "ENDPOINT", "decision": "PARTIAL", "amount": "4.00"}));
    // A message that allows no partial approval is declined, because the endpoint approves only a part of it.
    let declined = buy(&client, &card, "10");
    assert_eq!(code(&declined), "1885");
    let decision = json!({"by": "ENDPOINT", "decision": "PARTIAL", "amount": "4.00", "code": "1885"});
    assert_eq!(declined["decision"], decision);
    assert_eq!(balance(&client, &budget)[1], "86.00");
}

#[test]
fn a_question_contains_what_a_decision_needs_and_is_signed() {
    let (_server, client) = fresh_sandbox();
    let (budget, card) = funded_card(&client);
    let (endpoint, created) = start_endpoint(&client, APPROVE, &json!({}));
    let more = json!({
        "currencyCode": "USD", "partialApproval": true, "pos": {"entryMode": "CHIP"},
        "threeDSecure": {"outcome": "AUTHENTICATED"}
    });
    let record = transaction(&client.post(AUTHORIZATION, purchase(&card, "8", &more)));
    let got = endpoint.wait_for(1).remove(0);
    got.verify(text(&created, "/signingSecret")).unwrap();
    assert!(got.verify("whsec_MDE5OGMwZGUtMDAwMC03MDAwLTgwMDAtMDAwMDAwMDAwMDBi").is_err());
    let asked = question(&got);
    assert_question_documented(&asked);
    let expected = [
        "accountId",
        "amount",
        "balances",
        "budgetId",
        "currencyCode",
        "id",
        "occurredAt",
        "partialApproval",
        "preview",
        "transaction",
    ];
    assert_eq!(members(&asked), expected);
    assert_eq!((text(&asked, "/id"), got.id()), (text(&record, "/token"), text(&record, "/token")));
    assert_eq!((text(&asked, "/accountId"), text(&asked, "/budgetId")), (client.account.as_str(), budget.as_str()));
    assert_eq!((text(&asked, "/amount"), text(&asked, "/currencyCode")), ("8.00", "USD"));
    assert_eq!((&asked["preview"], &asked["partialApproval"]), (&json!(false), &json!(true)));
    assert_eq!(asked["occurredAt"], record["createdTime"]);
    assert_eq!(asked["balances"], json!({"ledgerBalance": "100.00", "availableBalance": "100.00"}));
    let message = &asked["transaction"];
    for member in [
        "token",
        "type",
        "userToken",
        "cardToken",
        "amount",
        "currencyCode",
        "currencyConversion",
        "network",
        "subnetwork",
        "cardAcceptor",
        "pos",
        "threeDSecure",
        "acquirerFeeAmount",
    ] {
        assert_eq!(message[member], record[member], "{member}");
    }
    assert_eq!(message["chainToken"], record["token"]);
    for absent in ["state", "response", "gpa", "decision"] {
        assert!(message.get(absent).is_none(), "{absent} is not decided yet");
    }
    uuid(&message["cardToken"]);
}

#[test]
fn without_a_decision_the_fallback_applies_and_the_chain_shows_the_reason() {
    let (_server, client) = fresh_sandbox();
    let (_, card) = funded_card(&client);
    let (endpoint, _) = start_endpoint(&client, APPROVE, &json!({"timeoutMs": 300}));
    let huge = format!(r#"{{"decision": "APPROVE", "note": "{}"}}"#, "x".repeat(20_000));
    let cases: [(u16, &str, &str, &str); 9] = [
        (200, "", "hello", "bad_answer"),
        (200, "", "", "bad_answer"),
        (200, "", r#"{"decision": "MAYBE"}"#, "bad_answer"),
        (200, "", r#"{"decision": "APPROVE", "amount": "1.00"}"#, "bad_answer"),
        (200, "", r#"{"decision": "PARTIAL", "amount": "10.01"}"#, "bad_answer"),
        (200, "", &huge, "too_large"),
        (500, "", APPROVE, "bad_status"),
        (302, "Location: http://127.0.0.1:9/\r\n", APPROVE, "bad_status"),
        (402, "", r#"{"decision": "DECLINE"}"#, "bad_status"),
    ];
    for fallback in ["DECLINE", "APPROVE"] {
        expect_json(&put(&client, &json!({"url": endpoint.url(), "timeoutMs": 300, "fallback": fallback})), 200);
        let expect = |reason: &str| {
            let record = buy(&client, &card, "1");
            let message = message_in_chain(&client, &record);
            let mut decision = json!({"by": "FALLBACK", "decision": fallback, "fallbackReason": reason});
            if fallback == "DECLINE" {
                decision["code"] = json!("1885");
                assert_eq!(rules(&message).pop().unwrap().1["decision"], decision);
            }
            assert_eq!(message["transaction"]["decision"], decision, "{reason}");
            assert_eq!(code(&record), if fallback == "DECLINE" { "1885" } else { "0000" }, "{reason}");
        };
        for (status, header, body, reason) in cases {
            endpoint.answer(status, header);
            endpoint.answer_with(body);
            expect(reason);
        }
        endpoint.answer(200, "");
        endpoint.answer_with(APPROVE);
        endpoint.hang(true);
        let start = Instant::now();
        expect("timeout");
        assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
        thread::scope(|scope| {
            let asked = endpoint.arrived().len();
            let waiting = scope.spawn(|| {
                expect_json(
                    &put(&client, &json!({"url": endpoint.url(), "timeoutMs": 5000, "fallback": fallback})),
                    200,
                );
                expect("connection_failed");
            });
            endpoint.wait_for(asked + 1);
            endpoint.kill();
            waiting.join().unwrap();
        });
        expect("connection_failed");
        endpoint.hang(false);
        endpoint.revive();
    }
    let missing = json!({"url": "http://florin-nowhere.invalid/", "fallback": "APPROVE"});
    expect_json(&put(&client, &missing), 200);
    let record = buy(&client, &card, "1");
    assert_eq!(record["decision"]["fallbackReason"], "dns_failed");
    // A fallback cannot approve more than the balance.
    let record = buy(&client, &card, "1000");
    assert_eq!(code(&record), "1016");
    let message = message_in_chain(&client, &record);
    let names: Vec<_> = rules(&message).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names[names.len() - 2..], ["decision", "available_balance"]);
}

#[test]
fn the_endpoint_is_not_asked_if_a_rule_declines_or_the_message_takes_no_funds() {
    let (_server, client) = fresh_sandbox();
    let (budget, card_id) = funded_card(&client);
    let (endpoint, _) = start_endpoint(&client, APPROVE, &json!({}));
    let limited = card(&client, &budget);
    let limit = json!({"amount": 5, "limitWindow": "DAY", "currencyCode": "GBP", "active": true, "usageLimit": -1});
    expect_json(&client.post(&format!("/v2/cards/{limited}/spending-limits"), limit.to_string()), 200);
    assert_eq!(code(&buy(&client, &limited, "6")), "1817");
    expect_json(&transition_card(&client, &limited, "SUSPENDED"), 200);
    assert_eq!(code(&buy(&client, &limited, "1")), "1003");
    assert!(!limits(&client, &limited).is_empty());
    let forced = purchase(&card_id, "1", &json!({"sandbox": {"decline": "1005"}}));
    assert_eq!(code(&transaction(&client.post(AUTHORIZATION, forced))), "1005");
    assert_eq!(code(&buy(&client, &card_id, "0")), "1830", "an account check");
    for (path, body) in [
        (REFUND, purchase(&card_id, "1", &json!({}))),
        (INQUIRY, json!({"cardId": card_id, "cardAcceptor": {"mid": "1"}, "network": "VISA"}).to_string()),
        (FEE, json!({"cardId": card_id, "amount": 1, "feeType": "x", "creditDebit": "D"}).to_string()),
        (CLEARING, purchase(&card_id, "1", &json!({"forcePost": true}))),
    ] {
        let record = transaction(&client.post(path, body));
        assert!(record.get("decision").is_none(), "{record}");
    }
    assert_eq!(endpoint.arrived().len(), 0);

    let hold = buy(&client, &card_id, "5");
    for path in [ATM, DEBIT] {
        assert_eq!(code(&transaction(&client.post(path, purchase(&card_id, "1", &json!({}))))), "0000", "{path}");
    }
    let cash = purchase(&card_id, "5", &json!({"cashBackAmount": 2}));
    assert_eq!(code(&transaction(&client.post(AUTHORIZATION, cash))), "0000");
    let more = transaction(&client.post(INCREMENT, follow_body(text(&hold, "/token"), "2")));
    assert_eq!(more["decision"], json!({"by": "ENDPOINT", "decision": "APPROVE"}));
    let asked: Vec<_> = endpoint.arrived().iter().map(question).collect();
    let kinds: Vec<_> = asked.iter().map(|asked| text(asked, "/transaction/type")).collect();
    let expected = [
        "authorization",
        "authorization.atm.withdrawal",
        "pindebit",
        "authorization.cashback",
        "authorization.incremental",
    ];
    assert_eq!(kinds, expected);
    assert_eq!(asked[3]["transaction"]["cashBackAmount"], "2.00");
    let increment = &asked[4]["transaction"];
    assert_eq!(
        (&increment["chainToken"], &increment["precedingRelatedTransactionToken"]),
        (&hold["token"], &hold["token"])
    );
    assert_eq!((text(&asked[4], "/amount"), &asked[4]["partialApproval"]), ("2.00", &json!(false)));
    // The endpoint is not asked about these follow-ups.
    for (path, amount) in [(ADVICE, "6"), (REVERSAL, "1"), (CLEARING, "5")] {
        expect_json(&client.post(path, follow_body(text(&hold, "/token"), amount)), 201);
    }
    assert_eq!(endpoint.arrived().len(), 5);
    let hold = buy(&client, &card_id, "5");
    endpoint.answer_with(r#"{"decision": "DECLINE", "code": "1887"}"#);
    let more = transaction(&client.post(INCREMENT, follow_body(text(&hold, "/token"), "2")));
    assert_eq!(code(&more), "1887");
    let chain = expect_json(&client.get(&chain_path(text(&hold, "/token"))), 200);
    assert_eq!(chain["messages"][1]["explanation"]["rules"].as_array().unwrap().last().unwrap()["rule"], "decision");
    assert_eq!(chain["hold"]["heldAmount"], "5.00");
}

#[test]
fn repeats_ask_no_endpoint_and_dry_runs_ask_for_a_preview() {
    let (_server, client) = fresh_sandbox();
    let (budget, card) = funded_card(&client);
    let (endpoint, _) = start_endpoint(&client, APPROVE, &json!({}));
    let body = purchase(&card, "10", &json!({}));
    let first = client.post_once(AUTHORIZATION, "once", &body);
    endpoint.answer_with(r#"{"decision": "DECLINE"}"#);
    let again = client.post_once(AUTHORIZATION, "once", &body);
    assert_eq!((again.status, again.replayed(), &again.body), (201, true, &first.body));
    let other = client.post_once(AUTHORIZATION, "once", purchase(&card, "11", &json!({})));
    assert_eq!(other.status, 422, "{other:?}");
    assert_eq!(endpoint.arrived().len(), 1);

    let dry = client.post(&format!("{AUTHORIZATION}?accountId={}&dryRun=true", client.account), &body);
    assert_documented("post", AUTHORIZATION, &dry);
    let dry = expect_json(&dry, 201);
    assert_eq!(dry["transaction"]["decision"]["by"], "ENDPOINT");
    assert_eq!(dry["dryRun"]["explanation"]["rules"].as_array().unwrap().last().unwrap()["rule"], "decision");
    let asked = question(&endpoint.arrived()[1]);
    assert_question_documented(&asked);
    assert_eq!((&asked["preview"], &asked["id"]), (&json!(true), &dry["transaction"]["token"]));
    assert_eq!(client.get(&chain_path(text(&dry, "/transaction/token"))).status, 404, "a dry run stores nothing");
    assert_eq!(balance(&client, &budget)[1], "90.00");
    // Without an idempotency key, the endpoint is asked about every request.
    buy(&client, &card, "1");
    buy(&client, &card, "1");
    assert_eq!(endpoint.arrived().len(), 4);
}

/// Concurrent requests with one idempotency key may ask the endpoint more than once.
#[test]
fn concurrent_requests_with_one_idempotency_key_have_one_effect() {
    let (_server, client) = fresh_sandbox();
    let (budget, card) = funded_card(&client);
    let (endpoint, _) = start_endpoint(&client, APPROVE, &json!({"timeoutMs": 5000}));
    endpoint.hang(true);
    let body = purchase(&card, "10", &json!({}));
    let answers = thread::scope(|scope| {
        let sending = scope.spawn(|| together(4, |_| client.post_once(AUTHORIZATION, "race", &body)));
        endpoint.wait_for(2);
        endpoint.hang(false);
        sending.join().unwrap()
    });
    assert_eq!(answers.iter().filter(|answer| !answer.replayed()).count(), 1);
    assert!(answers.iter().all(|answer| answer.status == 201 && answer.body == answers[0].body), "{answers:?}");
    assert_eq!(balance(&client, &budget)[1], "90.00");
}

/// The rules are checked again after the reply.
#[test]
fn a_card_that_is_suspended_during_the_question_declines() {
    let (_server, client) = fresh_sandbox();
    let (_, card) = funded_card(&client);
    let (endpoint, _) = start_endpoint(&client, APPROVE, &json!({"timeoutMs": 5000}));
    endpoint.hang(true);
    let record = thread::scope(|scope| {
        let buying = scope.spawn(|| buy(&client, &card, "10"));
        endpoint.wait_for(1);
        expect_json(&transition_card(&client, &card, "SUSPENDED"), 200);
        endpoint.hang(false);
        buying.join().unwrap()
    });
    assert_eq!(code(&record), "1003");
    let message = message_in_chain(&client, &record);
    assert!(rules(&message).iter().all(|(name, _)| name != "decision"), "{message}");
    assert_eq!(message["transaction"]["decision"]["decision"], "APPROVE", "the chain must show the reply");
}

/// The number of questions of one account is limited. An endpoint that hangs does not delay other accounts.
#[test]
fn a_hanging_endpoint_delays_no_other_account() {
    let server = Server::sandbox();
    let client = server.client();
    let (_, slow) = funded_card(&client);
    let (_, other) = create_world(&server, json!({"template": "demo"}));
    let (_, fast) = funded_card(&other);
    let (endpoint, _) = start_endpoint(&client, APPROVE, &json!({"timeoutMs": 5000}));
    endpoint.hang(true);
    thread::scope(|scope| {
        let waiting: Vec<_> = (0..64).map(|_| scope.spawn(|| code(&buy(&client, &slow, "0.01")).to_owned())).collect();
        endpoint.wait_for(64);
        let start = Instant::now();
        let refused = buy(&client, &slow, "0.01");
        let decision = json!({"by": "FALLBACK", "decision": "DECLINE", "code": "1885", "fallbackReason": "too_many"});
        assert_eq!(refused["decision"], decision, "the 65th question is not asked");
        for _ in 0..10 {
            assert_eq!(code(&buy(&other, &fast, "0.01")), "0000");
            assert_eq!(code(&buy(&client, &slow, "0")), "1830", "an account check of the same card");
            expect_json(&client.get("/v2/cards"), 200);
        }
        let took = start.elapsed();
        endpoint.hang(false);
        assert!(took < Duration::from_secs(3), "{took:?}");
        for waited in waiting {
            assert_eq!(waited.join().unwrap(), "0000");
        }
    });
}

/// If Florin is killed between question and reply, it has stored nothing, and the repeated request is decided once.
#[test]
fn a_kill_between_question_and_reply_leaves_one_decision() {
    let server = Server::sandbox();
    let client = server.client();
    let (budget, card) = funded_card(&client);
    let (endpoint, _) = start_endpoint(&client, APPROVE, &json!({"timeoutMs": 5000}));
    let (mut server, mut client) = (server, client);
    for round in 0..3 {
        let (key, body) = (format!("killed-{round}"), purchase(&card, "10", &json!({})));
        let asked = endpoint.arrived().len();
        endpoint.hang(true);
        let workspace = thread::scope(|scope| {
            let sending = scope
                .spawn(|| client.call("POST", AUTHORIZATION).header("Idempotency-Key", &key).json(&body).try_send());
            endpoint.wait_for(asked + 1);
            let workspace = server.kill();
            assert!(sending.join().unwrap().is_err(), "there is no response");
            workspace
        });
        endpoint.hang(false);
        server = Server::on(workspace);
        client = server.client();
        assert_eq!(balance(&client, &budget)[1], format!("{}.00", 100 - 10 * round), "nothing is decided yet");
        let record = transaction(&client.post_once(AUTHORIZATION, &key, &body));
        let again = client.post_once(AUTHORIZATION, &key, &body);
        assert_eq!((again.replayed(), transaction(&again)), (true, record.clone()));
        assert_eq!(endpoint.arrived().len(), asked + 2, "the question of the killed server and the repeated one");
        assert_eq!(balance(&client, &budget)[1], format!("{}.00", 90 - 10 * round), "one decision");
        assert_eq!(message_in_chain(&client, &record)["transaction"]["decision"]["decision"], "APPROVE");
    }
}

#[test]
fn a_shutdown_waits_for_the_reply() {
    let server = Server::sandbox();
    let client = server.client();
    let (_, card) = funded_card(&client);
    let (endpoint, _) = start_endpoint(&client, APPROVE, &json!({"timeoutMs": 5000}));
    endpoint.hang(true);
    let (record, workspace) = thread::scope(|scope| {
        let buying = scope.spawn(|| buy(&client, &card, "10"));
        endpoint.wait_for(1);
        server.signal_term();
        thread::sleep(Duration::from_millis(300));
        endpoint.hang(false);
        let record = buying.join().unwrap();
        let (status, workspace) = server.ended();
        assert_eq!(status.code(), Some(0));
        (record, workspace)
    });
    assert_eq!(code(&record), "0000");
    drop(Server::on(workspace));
}

/// A question has the time of the world's clock. Other accounts do not have the endpoint of the world.
#[test]
fn a_question_has_the_time_of_its_world() {
    let server = Server::sandbox();
    let (_, client) =
        create_world(&server, json!({"startsAt": "2026-09-01T12:00:00Z", "seed": "decided", "template": "demo"}));
    let (_, card) = funded_card(&client);
    let (endpoint, created) = start_endpoint(&client, APPROVE, &json!({}));
    assert_eq!(text(&created, "/createdAt"), "2026-09-01T12:00:00Z");
    set_clock(&client, json!({"advanceBy": "P1D"}));
    let record = buy(&client, &card, "1");
    let asked = question(&endpoint.wait_for(1)[0]);
    assert_eq!(text(&asked, "/occurredAt"), "2026-09-02T12:00:00Z");
    assert_eq!((&asked["occurredAt"], &asked["id"]), (&record["createdTime"], &record["token"]));
    assert_eq!(server.client().get(DECISIONS).status, 404, "another account has no endpoint");
    let unasked = buy(&server.client(), &crate::support::demo().active_card("GBP").id, "0.01");
    assert!(unasked.get("decision").is_none(), "{unasked}");
}

/// The question in the documentation has the members that Florin sends, and matches its description.
#[test]
fn the_documented_question_matches_a_real_one() {
    let page = include_str!("../../docs/CARD-DECISIONS.md");
    let shown = page.split("```json\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let shown: Value = serde_json::from_str(shown).unwrap();
    assert_question_documented(&shown);
    let (_server, client) = fresh_sandbox();
    let (_, card) = funded_card(&client);
    let (endpoint, _) = start_endpoint(&client, APPROVE, &json!({}));
    buy(&client, &card, "12.50");
    let asked = question(&endpoint.wait_for(1)[0]);
    assert_eq!(shape(&shown), shape(&asked));
    assert_eq!(shown["transaction"]["subnetwork"], asked["transaction"]["subnetwork"]);
}

/// Replaces the values of an object, and of the objects in it, with their kinds.
fn shape(value: &Value) -> Value {
    match value {
        Value::Object(object) => object.iter().map(|(name, value)| (name.clone(), shape(value))).collect(),
        Value::String(_) => json!("text"),
        Value::Number(_) => json!("number"),
        other => other.clone(),
    }
}
