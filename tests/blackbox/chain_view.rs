//! `GET /v2/cards/simulations/transactions/{token}`: a complete chain, and explanations of declines.

use serde_json::{Value, json};

use crate::openapi::assert_documented;
use crate::support::assert::{members, text};
use crate::support::wallet::transaction;
use crate::support::{
    ABSENT, ADVICE, AUTHORIZATION, CHAIN, CLEARING, Client, REFUND, REFUND_CLEARING, REVERSAL, Server, Wallet,
    chain_path, demo, expect_fault, expect_json, shared,
};

fn chain(client: &Client, token: &str) -> Value {
    let answer = client.get(&chain_path(token));
    assert_documented("get", CHAIN, &answer);
    expect_json(&answer, 200)
}

fn explanation(chain: &Value, message: usize) -> &Value {
    &chain["messages"][message]["explanation"]
}

/// Returns each rule, and whether it passed.
fn rules(explanation: &Value) -> Vec<(&str, bool)> {
    let rules = explanation["rules"].as_array().unwrap_or_else(|| panic!("no rules in {explanation}"));
    rules.iter().map(|rule| (text(rule, "/rule"), rule["passed"].as_bool().unwrap())).collect()
}

#[test]
fn a_chain_shows_its_messages_hold_and_journal() {
    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "GBP", 25_000);
    let first = wallet.authorize("10");
    let token = text(&first, "/token");
    let advice = wallet.follow_ok(ADVICE, token, "12");
    let clearing = wallet.follow_ok(CLEARING, token, "1000000");
    let view = chain(&wallet.client, token);
    assert_eq!(members(&view), ["hold", "journal", "messages"]);
    let messages: Vec<_> = (0..3).map(|place| view["messages"][place]["transaction"].clone()).collect();
    let mut first = first.clone();
    first["state"] = json!("COMPLETION");
    assert_eq!(messages, [first.clone(), advice.clone(), clearing.clone()]);
    assert!((0..3).all(|place| explanation(&view, place).is_null()));
    let hold = &view["hold"];
    let (kinds, tokens) =
        (["authorization", "authorization.advice", "authorization.clearing"], [&first, &advice, &clearing]);
    let steps: Vec<_> = kinds
        .iter()
        .zip(tokens)
        .zip(["10.00", "12.00", "0.00"])
        .map(|((kind, message), held)| json!({"token": message["token"], "type": kind, "heldAmount": held}))
        .collect();
    let expected = json!({
        "authorisedAmount": "10.00", "heldAmount": "0.00", "clearedAmount": "1000000.00", "currencyCode": "GBP",
        "dueAt": null, "endedBy": "cleared", "merchant": null, "steps": steps
    });
    assert_eq!(hold, &expected);
    let journal = view["journal"].as_array().unwrap();
    let moved: Vec<_> = journal.iter().map(|entry| (&entry["token"], &entry["postings"])).collect();
    let budget = &wallet.card.budget;
    let posting = |pool: &str, amount: &str| match pool {
        "card_network" => json!({"pool": pool, "budgetId": null, "amount": amount}),
        _ => json!({"pool": pool, "budgetId": budget, "amount": amount}),
    };
    let expected = [
        (&first["token"], json!([posting("available", "-10.00"), posting("held", "10.00")])),
        (&advice["token"], json!([posting("available", "-2.00"), posting("held", "2.00")])),
        (
            &clearing["token"],
            json!([
                posting("available", "-999988.00"),
                posting("held", "-12.00"),
                posting("card_network", "1000000.00")
            ]),
        ),
    ];
    assert_eq!(moved, expected.iter().map(|(token, postings)| (*token, postings)).collect::<Vec<_>>());
}

#[test]
fn the_token_of_any_message_works() {
    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "GBP", 25_000);
    let token = wallet.token(AUTHORIZATION, "10");
    let partial =
        wallet.client.post(REVERSAL, format!(r#"{{"precedingRelatedTransactionToken": "{token}", "amount": 4}}"#));
    let partial = text(&transaction(&partial), "/token").to_owned();
    let declined = text(&wallet.follow_ok(ADVICE, &token, "300"), "/token").to_owned();
    let view = chain(&wallet.client, &token);
    assert_eq!(view["hold"]["heldAmount"], "6.00");
    assert!(view["hold"]["dueAt"].is_string() && view["hold"]["endedBy"].is_null(), "{view}");
    for token in [&partial, &declined] {
        assert_eq!(chain(&wallet.client, token), view);
    }
    assert_eq!(rules(explanation(&view, 2)), [("available_balance", false)]);
    assert_eq!(view["journal"].as_array().unwrap().len(), 2);
}

#[test]
fn a_declined_first_message_is_a_chain_of_one() {
    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "GBP", 25_000);
    let declined = wallet.authorize("250.01");
    let view = chain(&wallet.client, text(&declined, "/token"));
    assert_eq!((&view["hold"], &view["journal"]), (&Value::Null, &json!([])));
    assert_eq!(view["messages"].as_array().unwrap().len(), 1);
    assert_eq!(view["messages"][0]["transaction"], declined);
    let why = explanation(&view, 0);
    assert_eq!(why["code"], "1016");
    let cards = ["card_activated", "card_in_use", "card_not_suspended", "card_not_expired"].map(|name| (name, true));
    let found = rules(why);
    assert_eq!(found[..4], cards);
    assert_eq!(found.last(), Some(&("available_balance", false)));
    let last = why["rules"].as_array().unwrap().last().unwrap();
    let expected = json!({
        "rule": "available_balance", "passed": false, "availableBalance": "250.00", "wantedAmount": "250.01"
    });
    assert_eq!(last, &expected);
    assert_eq!(why["rules"][0], json!({"rule": "card_activated", "passed": true, "cardState": "ACTIVE"}));
    assert!(why["rules"][3]["expiresOn"].as_str() >= why["rules"][3]["today"].as_str(), "{why}");
}

#[test]
fn every_explanation_shows_the_values_of_the_decision() {
    let server = Server::sandbox();
    let client = server.client();
    let limited = demo().json["cards"].as_array().unwrap().iter().find(|card| card["limited"] == true).unwrap();
    for (card, code, rule, member) in [
        (demo().card_in("UNACTIVATED").id.as_str(), "1806", "card_activated", ("cardState", "UNACTIVATED")),
        (demo().card_in("TERMINATED").id.as_str(), "1806", "card_in_use", ("cardState", "TERMINATED")),
        (demo().card_in("SUSPENDED").id.as_str(), "1003", "card_not_suspended", ("cardState", "SUSPENDED")),
        (text(limited, "/id"), "1817", "spending_limit", ("limitAmount", "100.00")),
    ] {
        let body = crate::support::wallet::first_body(card, "100.01");
        let declined = transaction(&client.post(AUTHORIZATION, body));
        assert_eq!(text(&declined, "/response/code"), code);
        let view = chain(&client, text(&declined, "/token"));
        let why = explanation(&view, 0);
        let last = why["rules"].as_array().unwrap().last().unwrap();
        assert_eq!((text(why, "/code"), text(last, "/rule"), &last["passed"]), (code, rule, &Value::Bool(false)));
        assert_eq!(last[member.0], member.1, "{last}");
    }
}

#[test]
fn a_refund_moves_nothing_until_it_is_cleared() {
    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "GBP", 25_000);
    let token = wallet.token(REFUND, "10");
    assert_eq!(chain(&wallet.client, &token)["journal"], json!([]));
    wallet.follow_ok(REFUND_CLEARING, &token, "7");
    let view = chain(&wallet.client, &token);
    assert_eq!(view["journal"][0]["postings"].as_array().unwrap().len(), 2);
    assert_eq!((&view["hold"]["clearedAmount"], &view["hold"]["endedBy"]), (&json!("7.00"), &json!("cleared")));
}

#[test]
fn access_to_chains_is_checked() {
    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "GBP", 25_000);
    let token = wallet.token(AUTHORIZATION, "10");
    let foreign = server.other().get(&chain_path(&token));
    expect_fault(&foreign, 404, "path.token", "not_found");
    let absent = server.other().get(&chain_path(ABSENT));
    assert_eq!((foreign.status, foreign.body), (absent.status, absent.body));
    let stranger = server.other().with_account(&wallet.client.account);
    expect_fault(&stranger.get(&chain_path(&token)), 404, "query.accountId", "not_found");
    expect_fault(&server.limited().get(&chain_path(&token)), 403, "header.Authorization", "insufficient_scope");
    let anonymous = wallet.client.with_authorization(None).get(&chain_path(&token));
    expect_fault(&anonymous, 401, "header.Authorization", "missing_credentials");
    expect_fault(&wallet.client.get(&chain_path("x")), 400, "path.token", "invalid_format");
    expect_fault(&wallet.client.get(&format!("{}?x=1", chain_path(&token))), 400, "query.accountId", "required");
    let posted = shared().client().post(&chain_path(&token), "{}");
    expect_fault(&posted, 405, "", "method_not_allowed");
}
