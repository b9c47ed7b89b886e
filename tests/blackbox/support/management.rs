//! Creates budgets and cards for a test.

use serde_json::{Value, json};

use super::assert::{expect_json, text};
use super::client::{Answer, Client};
use super::wallet::{credit_body, first_body};
use super::{AUTHORIZATION, CREDIT};

pub(crate) const BUDGETS: &str = "/v2/budgets";
pub(crate) const CARDS: &str = "/v2/cards";

/// Creates a budget in pounds and returns its id.
pub(crate) fn budget(client: &Client, name: &str) -> String {
    budget_of(client, &new_budget(name, &["GBP"]))
}

/// Returns the body that creates a shared budget with every feature below the parent budget.
pub(crate) fn new_budget(name: &str, currencies: &[&str]) -> Value {
    json!({
        "parentId": null,
        "name": name,
        "features": ["payments", "peopleCards", "budgetCards"],
        "currencies": currencies,
        "type": "shared",
    })
}

/// Returns a JSON object with some members replaced or added.
pub(crate) fn with(mut body: Value, members: &Value) -> Value {
    for (name, value) in members.as_object().unwrap() {
        body[name] = value.clone();
    }
    body
}

/// Creates a budget with this body, and returns its id.
pub(crate) fn budget_of(client: &Client, body: &Value) -> String {
    text(&expect_json(&client.post(BUDGETS, body.to_string()), 201), "/id").to_owned()
}

/// Creates a budget with this amount in pounds, and returns its id.
pub(crate) fn funded(client: &Client, name: &str, amount: &str) -> String {
    let id = budget(client, name);
    expect_json(&client.post(CREDIT, credit_body(&id, amount, "GBP")), 200);
    id
}

/// Returns ledger, available and pending amounts of a budget in pounds.
pub(crate) fn balance(client: &Client, budget: &str) -> [String; 3] {
    let target = format!("{BUDGETS}/{budget}?accountId={}&include=balance", client.account);
    let found = expect_json(&client.get(&target), 200);
    let pounds = found["balance"].as_array().unwrap().iter().find(|row| row["currencyCode"] == "GBP").unwrap().clone();
    ["ledgerBalance", "availableBalance", "pendingBalance"].map(|name| format_number(&pounds[name], "GBP"))
}

/// Formats a JSON number as an amount of its currency, to compare values. The number has passed through a double: tests
/// of exact digits compare the text of the answer.
pub(crate) fn format_number(number: &Value, currency: &str) -> String {
    let digits = super::money::format_amount(100, currency).split_once('.').map_or(0, |(_, digits)| digits.len());
    format!("{:.digits$}", number.as_f64().unwrap())
}

/// Transfers pounds.
pub(crate) fn transfer(client: &Client, from: &str, to: &str, amount: &str) -> Answer {
    let body = json!({"destinationBudgetId": to, "currency": "GBP", "amount": amount});
    client.post(&format!("{BUDGETS}/{from}/transfer"), body.to_string())
}

/// Creates an active card on a budget, in pounds, and returns its id.
pub(crate) fn card(client: &Client, budget: &str) -> String {
    let body = json!({"cardOwnerType": "BUDGET", "budgetId": budget, "name": "Test", "activate": true});
    text(&expect_json(&client.post(CARDS, body.to_string()), 201), "/id").to_owned()
}

/// Changes a card's state.
pub(crate) fn transition_card(client: &Client, card: &str, state: &str) -> Answer {
    client.post(&format!("{CARDS}/{card}/transition"), json!({"state": state, "reason": "a test"}).to_string())
}

/// Sends an authorization and returns its response code.
pub(crate) fn authorize(client: &Client, card: &str, amount: &str) -> String {
    let answer = expect_json(&client.post(AUTHORIZATION, first_body(card, amount)), 201);
    text(&answer, "/transaction/response/code").to_owned()
}

/// Returns the spending limits of a card.
pub(crate) fn limits(client: &Client, card: &str) -> Vec<Value> {
    let found = expect_json(&client.get(&format!("{CARDS}/{card}/spending-limits")), 200);
    found["rows"].as_array().unwrap().clone()
}
