//! Controls of cards and budgets: where and how cards may be used.

use serde_json::{Value, json};

use crate::openapi::assert_documented;
use crate::support::assert::text;
use crate::support::management::{BUDGETS, CARDS, card, funded, transition_card, with};
use crate::support::payments::fresh_sandbox;
use crate::support::table::{Table, bad};
use crate::support::wallet::{first_body, follow_body, transaction};
use crate::support::{ABSENT, AUTHORIZATION, Client, INCREMENT, REFUND, chain_path, expect_fault, expect_json, shared};

const OF_CARD: &str = "/v2/cards/{cardId}/controls";
const OF_BUDGET: &str = "/v2/budgets/{budgetId}/controls";
const DEBIT: &str = "/v2/cards/simulations/debit";
const INQUIRY: &str = "/v2/cards/simulations/balance-inquiry";

/// Returns controls without a rule.
fn no_controls() -> Value {
    json!({
        "allowedMccs": null, "blockedMccs": null, "allowedCountries": null, "blockedCountries": null,
        "allowedMerchants": null, "blockedMerchants": null, "allowedEntryModes": null
    })
}

fn set_card_controls(client: &Client, card: &str, body: &Value) -> Value {
    let answer = client.put(&format!("{CARDS}/{card}/controls"), body.to_string());
    assert_documented("put", OF_CARD, &answer);
    expect_json(&answer, 200)
}

fn set_budget_controls(client: &Client, budget: &str, body: &Value) -> Value {
    let answer = client.put(&format!("{BUDGETS}/{budget}/controls"), body.to_string());
    assert_documented("put", OF_BUDGET, &answer);
    expect_json(&answer, 200)
}

/// Sends an authorization of 1.00 with more members, and returns its record.
fn pay(client: &Client, card: &str, members: &Value) -> Value {
    let body: Value = serde_json::from_str(&first_body(card, "1")).unwrap();
    transaction(&client.post(AUTHORIZATION, with(body, members).to_string()))
}

/// Returns a `cardAcceptor` with these members.
fn at(acceptor: &Value) -> Value {
    json!({"cardAcceptor": with(json!({"mid": "11111"}), acceptor)})
}

/// Returns the response code, and the values of the failed rule.
fn declined(client: &Client, record: &Value) -> (String, Value) {
    let chain = expect_json(&client.get(&chain_path(text(record, "/token"))), 200);
    let rules = chain["messages"][0]["explanation"]["rules"].as_array().unwrap();
    (text(record, "/response/code").to_owned(), rules.last().unwrap().clone())
}

#[test]
fn controls_are_replaced_as_a_whole() {
    let (_server, client) = fresh_sandbox();
    let budget = funded(&client, "Main", "100.00");
    let card = card(&client, &budget);
    for (template, path) in
        [(OF_CARD, format!("{CARDS}/{card}/controls")), (OF_BUDGET, format!("{BUDGETS}/{budget}/controls"))]
    {
        let get = || {
            let answer = client.get(&path);
            assert_documented("get", template, &answer);
            expect_json(&answer, 200)
        };
        assert_eq!(get(), no_controls());
        let all = json!({
            "allowedMccs": ["5812", "3000-3350"], "blockedMccs": [], "allowedCountries": ["GBR", "FRA"],
            "blockedCountries": ["USA"], "allowedMerchants": ["11111", "M-1"], "blockedMerchants": ["käse"],
            "allowedEntryModes": ["CHIP", "CONTACTLESS", "ECOMMERCE"]
        });
        assert_eq!(expect_json(&client.put(&path, all.to_string()), 200), all);
        assert_eq!(get(), all);
        let less = with(no_controls(), &json!({"blockedMccs": ["7995"]}));
        assert_eq!(
            expect_json(&client.put(&path, json!({"blockedMccs": ["7995"], "allowedMccs": null}).to_string()), 200),
            less
        );
        assert_eq!(get(), less);
        assert_eq!(expect_json(&client.put(&path, json!({}).to_string()), 200), no_controls());
    }
}

#[test]
fn a_decline_names_the_control_its_owner_and_the_value() {
    let (_server, client) = fresh_sandbox();
    let budget = funded(&client, "Main", "100.00");
    let card = card(&client, &budget);
    let restaurant = at(&json!({"mcc": "5812", "countryCode": "FRA"}));
    let (keyed, nothing) = (json!({"pos": {"entryMode": "KEYED"}}), json!({}));
    for (controls, sent, code, control, value) in [
        (json!({"blockedMccs": ["5811-5814"]}), &restaurant, "1821", "blockedMccs", "5812"),
        (json!({"allowedMccs": ["5411", "3000-3350"]}), &restaurant, "1821", "allowedMccs", "5812"),
        (json!({"blockedMerchants": ["11111"]}), &restaurant, "1821", "blockedMerchants", "000000000011111"),
        (json!({"allowedMerchants": ["22222"]}), &restaurant, "1821", "allowedMerchants", "000000000011111"),
        (json!({"blockedCountries": ["FRA"]}), &restaurant, "1864", "blockedCountries", "FRA"),
        (json!({"allowedCountries": ["GBR"]}), &restaurant, "1864", "allowedCountries", "FRA"),
        (json!({"allowedEntryModes": ["CHIP"]}), &keyed, "1831", "allowedEntryModes", "KEYED"),
    ] {
        for owner in ["card", "budget"] {
            set_card_controls(&client, &card, if owner == "card" { &controls } else { &nothing });
            set_budget_controls(&client, &budget, if owner == "budget" { &controls } else { &nothing });
            let record = pay(&client, &card, sent);
            assert_eq!(text(&record, "/state"), "DECLINED", "{record}");
            assert_eq!(text(&record, "/gpa/availableBalance"), "100.00");
            let rule = json!({"rule": "controls", "passed": false, "control": control, "owner": owner, "value": value});
            assert_eq!(declined(&client, &record), (code.to_owned(), rule));
        }
    }
    set_budget_controls(&client, &budget, &no_controls());
    set_card_controls(&client, &card, &json!({"allowedEntryModes": ["CHIP"]}));
    let (code, rule) = declined(&client, &pay(&client, &card, &json!({})));
    assert_eq!((code.as_str(), rule.get("value")), ("1831", None), "the message does not say how the card was used");
}

/// Blocking takes precedence over allowing, and the first failed check decides the code.
#[test]
fn the_controls_of_the_card_and_of_its_budget_apply() {
    let (_server, client) = fresh_sandbox();
    let budget = funded(&client, "Main", "100.00");
    let (one, other) = (card(&client, &budget), card(&client, &budget));
    set_card_controls(&client, &one, &json!({"allowedMccs": ["5000-5999"], "blockedCountries": ["FRA"]}));
    set_budget_controls(&client, &budget, &json!({"allowedMccs": ["5812", "7995"], "blockedMccs": ["5813"]}));
    for (card, mcc, country, code) in [
        (&one, "5812", "GBR", "0000"),
        (&one, "5812", "FRA", "1864"),
        (&one, "5812", "fra", "1864"),
        (&one, "7995", "FRA", "1821"),
        (&one, "5813", "GBR", "1821"),
        (&other, "7995", "FRA", "0000"),
        (&other, "5999", "GBR", "1821"),
    ] {
        let record = pay(&client, card, &at(&json!({"mcc": mcc, "countryCode": country})));
        assert_eq!(text(&record, "/response/code"), code, "{mcc} {country}");
    }
}

#[test]
fn controls_decline_payments_but_no_refund_or_clearing() {
    let (_server, client) = fresh_sandbox();
    let card = card(&client, &funded(&client, "Main", "100.00"));
    let token = text(&pay(&client, &card, &json!({})), "/token").to_owned();
    set_card_controls(&client, &card, &json!({"allowedMerchants": []}));
    let code = |path: &str, body: String| text(&transaction(&client.post(path, body)), "/response/code").to_owned();
    let inquiry = json!({"cardId": card, "network": "VISA", "cardAcceptor": {"mid": "1"}}).to_string();
    assert_eq!(code(AUTHORIZATION, first_body(&card, "0")), "1821", "an account check");
    assert_eq!(code(DEBIT, first_body(&card, "1")), "1821");
    assert_eq!(code(INQUIRY, inquiry), "1821");
    assert_eq!(code(INCREMENT, follow_body(&token, "1")), "1821");
    assert_eq!(code(REFUND, first_body(&card, "1")), "0000", "controls do not decline refunds");
    assert_eq!(code(crate::support::CLEARING, follow_body(&token, "1")), "0000", "controls do not decline clearings");
}

#[test]
fn a_replacement_has_the_controls() {
    let (_server, client) = fresh_sandbox();
    let card = card(&client, &funded(&client, "Main", "100.00"));
    let controls = set_card_controls(&client, &card, &json!({"blockedCountries": ["FRA"]}));
    let new = expect_json(&client.post(&format!("{CARDS}/{card}/replace"), "{}"), 201);
    let path = format!("{CARDS}/{}/controls", text(&new, "/id"));
    assert_eq!(expect_json(&client.get(&path), 200), controls);
    expect_json(&transition_card(&client, text(&new, "/id"), "ACTIVE"), 200);
    let abroad = pay(&client, text(&new, "/id"), &at(&json!({"countryCode": "FRA"})));
    assert_eq!(text(&abroad, "/response/code"), "1864");
}

#[test]
fn invalid_controls_are_refused() {
    let (_server, client) = fresh_sandbox();
    let budget = funded(&client, "Main", "100.00");
    let card = card(&client, &budget);
    let mut table = Table::default();
    let many = |entry: &str| json!(vec![entry; 251]);
    for path in [format!("{CARDS}/{card}/controls"), format!("{BUDGETS}/{budget}/controls")] {
        for (body, place, code) in [
            (json!({"allowedMccs": "5812"}), "body.allowedMccs", "invalid_type"),
            (json!({"allowedMccs": [5812]}), "body.allowedMccs[0]", "invalid_type"),
            (json!({"allowedMccs": ["5812", "58"]}), "body.allowedMccs[1]", "invalid_format"),
            (json!({"blockedMccs": ["5813-5812"]}), "body.blockedMccs[0]", "out_of_range"),
            (json!({"blockedMccs": many("5812")}), "body.blockedMccs", "out_of_range"),
            (json!({"allowedCountries": ["GB"]}), "body.allowedCountries[0]", "invalid_value"),
            (json!({"blockedCountries": ["XXX"]}), "body.blockedCountries[0]", "invalid_value"),
            (json!({"allowedMerchants": [""]}), "body.allowedMerchants[0]", "invalid_format"),
            (json!({"blockedMerchants": ["x".repeat(37)]}), "body.blockedMerchants[0]", "too_long"),
            (json!({"blockedMerchants": ["a\u{0}"]}), "body.blockedMerchants[0]", "invalid_format"),
            (json!({"allowedEntryModes": ["chip"]}), "body.allowedEntryModes[0]", "invalid_value"),
            (json!({"blockedEntryModes": []}), "body.blockedEntryModes", "unknown_field"),
        ] {
            table.check(&bad(body.to_string(), place, code), &client.put(&path, body.to_string()));
        }
        let full = json!({"blockedMccs": vec!["5812"; 250]});
        table.check_status("250 entries", 200, &client.put(&path, full.to_string()));
    }
    table.assert_passed(26);
}

#[test]
fn access_to_controls_is_checked_and_repeats_are_replayed() {
    let (_server, client) = fresh_sandbox();
    let budget = funded(&client, "Main", "100.00");
    let card = card(&client, &budget);
    let body = json!({"blockedMccs": ["7995"]});
    for (path, place) in [
        (format!("{CARDS}/{ABSENT}/controls"), "path.cardId"),
        (format!("{BUDGETS}/{ABSENT}/controls"), "path.budgetId"),
    ] {
        expect_fault(&client.get(&path), 404, place, "not_found");
        expect_fault(&client.put(&path, body.to_string()), 404, place, "not_found");
    }
    for path in [format!("{CARDS}/{card}/controls"), format!("{BUDGETS}/{budget}/controls")] {
        let once =
            |body: &Value| client.call("PUT", &path).header("Idempotency-Key", &path).json(body.to_string()).send();
        let first = once(&body);
        let again = once(&body);
        assert_eq!((first.text(), first.replayed()), (again.text(), false));
        assert!(again.replayed(), "{again:?}");
        let other = once(&json!({"blockedMccs": ["7996"]}));
        expect_fault(&other, 422, "body.blockedMccs[0]", "idempotency_mismatch");
        let dry = client.call("PUT", &format!("{path}?accountId={}&dryRun=true", client.account));
        expect_fault(&dry.json(body.to_string()).send(), 400, "query.dryRun", "invalid_value");
    }
    let limited = shared().limited();
    expect_fault(&limited.get(&format!("{CARDS}/{card}/controls")), 403, "header.Authorization", "insufficient_scope");
}
