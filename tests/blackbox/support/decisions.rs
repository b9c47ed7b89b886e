//! Decision endpoints.

use serde_json::{Value, json};

use super::assert::{expect_json, text};
use super::client::{Answer, Client};
use super::management::with;
use super::receiver::{ReceivedDelivery, Receiver};
use super::wallet::{first_body, transaction};
use super::{AUTHORIZATION, chain_path};

pub(crate) const DECISIONS: &str = "/v2/card-decisions";
pub(crate) const APPROVE: &str = r#"{"decision": "APPROVE"}"#;

/// Sends the settings of an endpoint.
pub(crate) fn put(client: &Client, body: &Value) -> Answer {
    client.put(DECISIONS, body.to_string())
}

/// Starts a server with this reply, and sets it as the decision endpoint of the client's account. Also returns the
/// created endpoint, as the API shows it.
pub(crate) fn start_endpoint(client: &Client, reply: &str, more: &Value) -> (Receiver, Value) {
    let receiver = Receiver::start();
    receiver.answer_with(reply);
    let created = expect_json(&put(client, &with(json!({"url": receiver.url()}), more)), 201);
    (receiver, created)
}

/// Returns the body of an authorization of a card, with more members.
pub(crate) fn purchase(card: &str, amount: &str, more: &Value) -> String {
    let body: Value = serde_json::from_str(&first_body(card, amount)).unwrap();
    with(body, more).to_string()
}

/// Sends an authorization, and returns its record.
pub(crate) fn buy(client: &Client, card: &str, amount: &str) -> Value {
    transaction(&client.post(AUTHORIZATION, purchase(card, amount, &json!({}))))
}

/// Returns a recorded message as the view of its chain shows it: the record with its explanation.
pub(crate) fn message_in_chain(client: &Client, record: &Value) -> Value {
    let chain = expect_json(&client.get(&chain_path(text(record, "/token"))), 200);
    let messages = chain["messages"].as_array().unwrap();
    messages.iter().find(|message| message["transaction"]["token"] == record["token"]).unwrap().clone()
}

/// Returns the rules in the explanation of a decline, by name.
pub(crate) fn rules(message: &Value) -> Vec<(String, Value)> {
    let rules = message["explanation"]["rules"].as_array().unwrap();
    rules.iter().map(|rule| (text(rule, "/rule").to_owned(), rule.clone())).collect()
}

/// Parses a question.
pub(crate) fn question(got: &ReceivedDelivery) -> Value {
    serde_json::from_str(&got.body).unwrap()
}
