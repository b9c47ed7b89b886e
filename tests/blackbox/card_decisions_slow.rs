//! Decision endpoints that are slow, die while they reply, or are asked while the world of the account is restored.

use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::assert::text;
use crate::support::decisions::{APPROVE, buy, message_in_chain, purchase, put, rules, start_endpoint};
use crate::support::management::{balance, card, funded};
use crate::support::payments::fresh_sandbox;
use crate::support::worlds::{create_world, restore, snapshot};
use crate::support::{AUTHORIZATION, Server, expect_fault, expect_json};

const SCENARIOS: &str = "/v2/sandbox/scenarios";

#[test]
fn an_endpoint_that_dies_in_the_middle_of_its_reply_does_not_decide() {
    let (_server, client) = fresh_sandbox();
    let card = card(&client, &funded(&client, "Decided", "100.00"));
    let (endpoint, _) = start_endpoint(&client, APPROVE, &json!({"timeoutMs": 5000}));
    endpoint.cut(true);
    for (fallback, code) in [("DECLINE", "1885"), ("APPROVE", "0000")] {
        expect_json(&put(&client, &json!({"url": endpoint.url(), "timeoutMs": 5000, "fallback": fallback})), 200);
        let record = buy(&client, &card, "1");
        assert_eq!(text(&record, "/response/code"), code);
        let message = message_in_chain(&client, &record);
        let decision = &message["transaction"]["decision"];
        assert_eq!((&decision["by"], &decision["fallbackReason"]), (&json!("FALLBACK"), &json!("ended_early")));
        if fallback == "DECLINE" {
            assert_eq!(&rules(&message).pop().unwrap().1["decision"], decision);
        }
    }
    endpoint.cut(false);
    assert_eq!(buy(&client, &card, "1")["decision"]["by"], "ENDPOINT");
}

#[test]
fn a_slow_reply_in_time_decides() {
    let (_server, client) = fresh_sandbox();
    let card = card(&client, &funded(&client, "Decided", "100.00"));
    let (endpoint, _) =
        start_endpoint(&client, r#"{"decision": "DECLINE", "code": "1888"}"#, &json!({"timeoutMs": 5000}));
    endpoint.delay(Duration::from_millis(700));
    let start = Instant::now();
    let record = buy(&client, &card, "1");
    assert!(start.elapsed() >= Duration::from_millis(700), "Florin did not wait for the reply");
    assert_eq!(text(&record, "/response/code"), "1888");
    let decision = json!({"by": "ENDPOINT", "decision": "DECLINE", "code": "1888"});
    assert_eq!(message_in_chain(&client, &record)["transaction"]["decision"], decision);
}

/// A restore takes effect while the endpoint is asked, and the message that asked is not stored in the restored world.
#[test]
fn a_restore_does_not_wait_for_an_endpoint() {
    let server = Server::sandbox();
    let (_, client) = create_world(&server, json!({"seed": "restored while asking"}));
    let budget = funded(&client, "Decided", "100.00");
    let card = card(&client, &budget);
    let (endpoint, _) = start_endpoint(&client, APPROVE, &json!({"timeoutMs": 5000, "fallback": "APPROVE"}));
    let saved = snapshot(&client);
    let body = purchase(&card, "10", &json!({}));
    let parsed: Value = serde_json::from_str(&body).unwrap();
    let message = json!({"message": "transaction/authorization", "body": parsed});
    let scenario = json!({"messages": [message, message]}).to_string();
    let asked = endpoint.arrived().len();
    for (number, (path, body)) in [(AUTHORIZATION, body), (SCENARIOS, scenario)].into_iter().enumerate() {
        endpoint.hang(true);
        let answer = thread::scope(|scope| {
            let sending = scope.spawn(|| client.post(path, &body));
            endpoint.wait_for(asked + number + 1);
            let start = Instant::now();
            restore(&client, &saved);
            expect_json(&client.get("/v2/budgets"), 200);
            let took = start.elapsed();
            endpoint.hang(false);
            assert!(took < Duration::from_millis(4500), "the restore waited for the endpoint: {took:?}");
            sending.join().unwrap()
        });
        expect_fault(&answer, 409, "", "invalid_state");
        assert_eq!(balance(&client, &budget)[1], "100.00", "a message to {path} was stored in the restored world");
    }
    assert_eq!(endpoint.arrived().len(), asked + 2, "the scenario did not end with its first step");
    assert_eq!(text(&buy(&client, &card, "10"), "/gpa/availableBalance"), "90.00");
}
