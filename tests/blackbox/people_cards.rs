//! Individual cards: cards that people own.

use serde_json::{Value, json};

use crate::openapi::assert_documented;
use crate::support::assert::text;
use crate::support::management::{
    BUDGETS, CARDS, authorize, balance, budget, budget_of, card, funded, new_budget, transition_card, with,
};
use crate::support::payments::fresh_sandbox;
use crate::support::table::{Table, bad};
use crate::support::wallet::{first_body, transaction};
use crate::support::{ABSENT, AUTHORIZATION, Answer, Client, Server, expect_fault, expect_faults, expect_json};

const PEOPLE: &str = "/v2/people";

fn person(client: &Client, email: &str) -> Value {
    let body = json!({"roleName": "User", "firstName": "Ada", "lastName": "Byron", "emailAddress": email});
    expect_json(&client.post(PEOPLE, body.to_string()), 201)
}

/// Returns the body that creates a card of a person, with these budgets and whether each is active.
fn individual_card(person: &Value, budgets: &[(&str, bool)]) -> Value {
    let budget = |(id, active): &(&str, bool)| json!({"budgetId": id, "active": active});
    let budgets: Vec<_> = budgets.iter().map(budget).collect();
    json!({"cardOwnerType": "PEOPLE", "personId": person["id"], "budgets": budgets, "name": "Ada's card"})
}

fn post(client: &Client, body: &Value) -> Answer {
    let answer = client.post(CARDS, body.to_string());
    assert_documented("post", CARDS, &answer);
    answer
}

fn create(client: &Client, body: &Value) -> Value {
    expect_json(&post(client, body), 201)
}

fn create_active(client: &Client, body: &Value) -> Value {
    create(client, &with(body.clone(), &json!({"activate": true})))
}

fn ids(client: &Client, query: &str) -> Vec<String> {
    let page = expect_json(&client.get(&format!("{CARDS}?accountId={}&{query}", client.account)), 200);
    page["rows"].as_array().unwrap().iter().map(|row| text(row, "/id").to_owned()).collect()
}

#[test]
fn an_individual_card_names_its_owner_and_budgets() {
    let (_server, client) = fresh_sandbox();
    let (first, second) = (budget(&client, "First"), budget(&client, "Second"));
    let ada = person(&client, "ada.b@example.com");
    assert_eq!(ada["hasPeopleCard"], false);
    let card = create(&client, &individual_card(&ada, &[(&first, false), (&second, true)]));
    assert_eq!(
        (&card["cardOwnerType"], &card["personId"], &card["state"]),
        (&json!("PEOPLE"), &ada["id"], &json!("UNACTIVATED"))
    );
    assert_eq!((&card["token"]["personId"], &card["token"]["budgetId"]), (&ada["id"], &Value::Null));
    let budgets = json!([
        {"id": first, "name": "First", "type": "shared", "access": "denied"},
        {"id": second, "name": "Second", "type": "shared", "access": "allowed"},
    ]);
    assert_eq!(card["budgets"], budgets);
    let path = format!("{CARDS}/{}", text(&card, "/id"));
    assert_eq!(expect_json(&client.get(&path), 200), card);
    let owner = expect_json(&client.get(&format!("{PEOPLE}/{}", text(&ada, "/id"))), 200);
    assert_eq!(owner["hasPeopleCard"], true);
    expect_json(&transition_card(&client, text(&card, "/id"), "TERMINATED"), 200);
    let owner = expect_json(&client.get(&format!("{PEOPLE}/{}", text(&ada, "/id"))), 200);
    assert_eq!(owner["hasPeopleCard"], false);
}

#[test]
fn the_activity_of_a_person_is_that_of_their_cards() {
    let (_server, client) = fresh_sandbox();
    let budget = funded(&client, "Main", "100.00");
    let (ada, bob) = (person(&client, "first.owner@example.com"), person(&client, "second.owner@example.com"));
    let [of_ada, of_bob] =
        [&ada, &bob].map(|owner| create_active(&client, &individual_card(owner, &[(&budget, true)])));
    let shared = card(&client, &budget);
    let tokens = [text(&of_ada, "/id"), text(&of_bob, "/id"), &shared].map(|id| {
        let record = transaction(&client.post(AUTHORIZATION, first_body(id, "1.00")));
        text(&record, "/token").to_owned()
    });
    let found = |query: &str| {
        let page = expect_json(&client.get(&format!("/v2/activity/{}?{query}", client.account)), 200);
        let rows = page["rows"].as_array().unwrap().iter();
        rows.map(|row| (text(row, "/id").to_owned(), text(row, "/personId").to_owned()))
            .collect::<std::collections::BTreeSet<_>>()
    };
    let row = |number: usize, owner: &Value| (tokens[number].clone(), text(owner, "/id").to_owned());
    let (ada_id, bob_id) = (text(&ada, "/id"), text(&bob, "/id"));
    assert_eq!(found(&format!("personId={ada_id}")), [row(0, &ada)].into());
    assert_eq!(found(&format!("personId[]={ada_id}&personId[]={bob_id}")), [row(0, &ada), row(1, &bob)].into());
    assert_eq!(found(&format!("personId={ABSENT}")), [].into());
}

#[test]
fn the_first_active_budget_that_holds_the_currency_is_charged() {
    let (_server, client) = fresh_sandbox();
    let ada = person(&client, "ada.b@example.com");
    let euros = budget_of(&client, &new_budget("Euros", &["EUR"]));
    let (first, second) = (funded(&client, "First", "50.00"), funded(&client, "Second", "50.00"));
    let order = [(euros.as_str(), true), (second.as_str(), true), (first.as_str(), true)];
    let card = create_active(&client, &individual_card(&ada, &order));
    assert_eq!(card["currencyCode"], "GBP");
    assert_eq!(authorize(&client, text(&card, "/id"), "20.00"), "0000");
    assert_eq!(balance(&client, &second), ["50.00", "30.00", "20.00"]);
    assert_eq!(balance(&client, &first), ["50.00", "50.00", "0.00"]);
    // Only this budget pays, whatever the other budgets hold.
    assert_ne!(authorize(&client, text(&card, "/id"), "40.00"), "0000");
    let in_euros = create_active(&client, &with(individual_card(&ada, &order), &json!({"currencyCode": "EUR"})));
    assert_eq!(in_euros["currencyCode"], "EUR");
    let none = with(individual_card(&ada, &order), &json!({"currencyCode": "JPY"}));
    expect_fault(&post(&client, &none), 400, "body.currencyCode", "invalid_value");
    let denied = with(individual_card(&ada, &[(&euros, false), (&first, true)]), &json!({"currencyCode": "EUR"}));
    expect_fault(&post(&client, &denied), 400, "body.currencyCode", "invalid_value");
}

#[test]
fn every_fault_is_named() {
    let (server, client) = fresh_sandbox();
    let ada = person(&client, "ada.b@example.com");
    let own = budget(&client, "Own");
    let good = individual_card(&ada, &[(&own, true)]);
    let mut table = Table::default();
    for (members, path, code) in [
        (json!({"personId": null}), "body.personId", "required"),
        (json!({"budgets": null}), "body.budgets", "required"),
        (json!({"budgets": []}), "body.budgets", "out_of_range"),
        (json!({"budgetId": own}), "body.budgetId", "invalid_value"),
        (json!({"budgets": [{"budgetId": own, "active": false}]}), "body.budgets", "invalid_value"),
        (json!({"budgets": [{"budgetId": own}]}), "body.budgets[0].active", "required"),
        (json!({"budgets": vec![json!({"budgetId": own, "active": true}); 2]}), "body.budgets", "invalid_value"),
        (json!({"budgets": vec![json!({"budgetId": own, "active": true}); 101]}), "body.budgets", "out_of_range"),
    ] {
        table.check(
            &bad(members.to_string(), path, code),
            &client.post(CARDS, with(good.clone(), &members).to_string()),
        );
    }
    table.assert_passed(8);
    // The rule about members is checked together with all other rules.
    let all = [
        ("body.budgetId", "invalid_value"),
        ("body.budgets", "required"),
        ("body.personId", "required"),
        ("query.accountId", "required"),
    ];
    let body = json!({"cardOwnerType": "PEOPLE", "name": "x", "budgetId": own});
    expect_faults(&client.post(&format!("{CARDS}?"), body.to_string()), 400, &all);
    let theirs = person(&server.other(), "theirs@example.com");
    for unknown in [json!({"id": ABSENT}), theirs] {
        let body = individual_card(&unknown, &[(&own, true)]);
        expect_fault(&client.post(CARDS, body.to_string()), 404, "body.personId", "not_found");
    }
    let foreign = budget(&server.other(), "Theirs");
    for unknown in [ABSENT, &foreign] {
        let body = individual_card(&ada, &[(&own, true), (unknown, false)]);
        expect_fault(&post(&client, &body), 404, "body.budgets[1].budgetId", "not_found");
    }
    let off = budget_of(&client, &with(new_budget("Off", &["GBP"]), &json!({"features": ["budgetCards"]})));
    let body = individual_card(&ada, &[(&own, true), (&off, true)]);
    expect_fault(&post(&client, &body), 403, "body.budgets[1].budgetId", "feature_not_enabled");
    // An inactive budget needs no feature.
    create(&client, &individual_card(&ada, &[(&own, true), (&off, false)]));
}

#[test]
fn lists_are_filtered_by_owner() {
    let (_server, client) = fresh_sandbox();
    let own = budget(&client, "Own");
    let other = budget(&client, "Other");
    let [ada, bob] = ["ada.b@example.com", "bob@example.com"].map(|email| person(&client, email));
    let [first, second] = [&ada, &bob].map(|owner| {
        text(&create(&client, &individual_card(owner, &[(&own, true), (&other, true)])), "/id").to_owned()
    });
    let (ada, bob) = (text(&ada, "/id"), text(&bob, "/id"));
    assert_eq!(ids(&client, &format!("personId={ada}")), std::slice::from_ref(&first));
    let mut both = ids(&client, &format!("personIds={ada},{bob},{ABSENT}"));
    both.sort();
    assert_eq!(both, [first.clone(), second.clone()]);
    assert_eq!(ids(&client, &format!("personId={bob}&personIds={ada},{bob}")), std::slice::from_ref(&second));
    assert!(ids(&client, &format!("personId={bob}&personIds={ada}")).is_empty());
    assert_eq!(ids(&client, "cardOwnerType=PEOPLE").len(), 2);
    assert_eq!(ids(&client, &format!("budgetId={other}")).len(), 2, "the filter finds every budget that a card names");
    assert!(!ids(&client, "cardOwnerType=BUDGET&limit=1000").contains(&first));
}

#[test]
fn a_card_can_get_another_owner() {
    let (server, client) = fresh_sandbox();
    let own = budget(&client, "Own");
    let [ada, bob] = ["ada.b@example.com", "bob@example.com"].map(|email| person(&client, email));
    let card = create(&client, &individual_card(&ada, &[(&own, true)]));
    let put = |id: &Value, body: Value| {
        let answer = client.put(&format!("{CARDS}/{}", text(id, "/id")), body.to_string());
        assert_documented("put", "/v2/cards/{cardId}", &answer);
        answer
    };
    let pin_path = format!("{CARDS}/{}/pin", text(&card, "/id"));
    assert_eq!(client.put(&pin_path, r#"{"pin": "0427"}"#).status, 204);
    assert_eq!(expect_json(&put(&card, json!({"personId": ada["id"]})), 200)["pinIsSet"], true);
    let changed = expect_json(&put(&card, json!({"personId": bob["id"], "name": "Bob's"})), 200);
    assert_eq!(changed["pinIsSet"], false, "the previous owner knows the PIN");
    assert_eq!((&changed["personId"], &changed["token"]["personId"]), (&bob["id"], &bob["id"]));
    assert_eq!((&changed["budgets"], &changed["name"]), (&card["budgets"], &json!("Bob's")));
    assert_eq!(ids(&client, &format!("personId={}", text(&bob, "/id"))), [text(&card, "/id")]);
    let theirs = person(&server.other(), "theirs@example.com");
    for unknown in [&json!(ABSENT), &theirs["id"]] {
        expect_fault(&put(&card, json!({"personId": unknown})), 404, "body.personId", "not_found");
    }
    let shared = create(&client, &json!({"cardOwnerType": "BUDGET", "budgetId": own, "name": "Shared"}));
    expect_fault(&put(&shared, json!({"personId": bob["id"]})), 400, "body.personId", "invalid_value");
    let replaced = {
        expect_json(&transition_card(&client, text(&card, "/id"), "ACTIVE"), 200);
        expect_json(&client.post(&format!("{CARDS}/{}/replace", text(&card, "/id")), "{}"), 201)
    };
    assert_eq!((&replaced["personId"], &replaced["budgets"]), (&bob["id"], &card["budgets"]));
}

#[test]
fn cards_of_an_erased_person_are_terminated() {
    let server = Server::sandbox();
    let client = server.client();
    let own = funded(&client, "Own", "50.00");
    let [ada, bob] = ["ada.b@example.com", "bob@example.com"].map(|email| person(&client, email));
    let [hers, his] = [&ada, &bob].map(|owner| create_active(&client, &individual_card(owner, &[(&own, true)])));
    server.workspace().json(&["people", "erase", text(&ada, "/id"), "--json"]);
    let state =
        |card: &Value| expect_json(&client.get(&format!("{CARDS}/{}", text(card, "/id"))), 200)["state"].clone();
    assert_eq!((state(&hers), state(&his)), (json!("TERMINATED"), json!("ACTIVE")));
    assert_ne!(authorize(&client, text(&hers, "/id"), "1.00"), "0000");
    let path = format!("{CARDS}/{}/transitions", text(&hers, "/id"));
    assert_eq!(expect_json(&client.get(&path), 200)["rows"][0]["toState"], "TERMINATED");
    let again = individual_card(&ada, &[(&own, true)]);
    expect_fault(&post(&client, &again), 409, "body.personId", "invalid_state");
    server.workspace().json(&["check", "--json"]);
}

#[test]
fn an_individual_budget_pays_for_the_card_of_its_person() {
    let (_server, client) = fresh_sandbox();
    let ada = person(&client, "ada.b@example.com");
    let body = with(new_budget("Ada", &["GBP"]), &json!({"type": "individual", "personaId": ada["personaId"]}));
    let own = text(&expect_json(&client.post(BUDGETS, body.to_string()), 201), "/id").to_owned();
    let card = create(&client, &individual_card(&ada, &[(&own, true)]));
    assert_eq!(card["budgets"][0]["type"], "individual");
}
