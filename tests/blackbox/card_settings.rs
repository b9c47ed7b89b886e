//! `/v2/sandbox/hold-life` and `/v2/sandbox/over-clearing`: how long holds last, and how much may be cleared.

use serde_json::{Value, json};
use std::time::{Duration, Instant};

use crate::openapi::assert_documented;
use crate::support::assert::text;
use crate::support::management::{balance, card, funded, with};
use crate::support::payments::fresh_sandbox;
use crate::support::table::{Table, bad};
use crate::support::wallet::{first_body, follow_body, transaction};
use crate::support::worlds::set_clock;
use crate::support::{
    ABSENT, ATM, AUTHORIZATION, Answer, CLEARING, Client, INCREMENT, chain_path, demo, expect_fault, expect_json,
    shared,
};

const HOLD_LIFE: &str = "/v2/sandbox/hold-life";
const OVER_CLEARING: &str = "/v2/sandbox/over-clearing";

fn put(client: &Client, path: &str, body: &Value) -> Answer {
    let answer = client.put(path, body.to_string());
    if answer.status == 200 {
        assert_documented("put", path, &answer);
    }
    answer
}

/// Authorizes an amount at a merchant of a category and returns the token.
fn hold(client: &Client, card: &str, (path, mcc, amount): (&str, &str, &str), members: &Value) -> String {
    let body: Value = serde_json::from_str(&first_body(card, amount)).unwrap();
    let body = with(body, &json!({"cardAcceptor": {"mid": "11111", "mcc": mcc}}));
    let record = transaction(&client.post(path, with(body, members).to_string()));
    assert_eq!(text(&record, "/response/code"), "0000", "{record}");
    text(&record, "/token").to_owned()
}

/// Returns when the hold of a chain is due, and what ended it.
fn due(client: &Client, token: &str) -> (Value, Value) {
    let hold = expect_json(&client.get(&chain_path(token)), 200)["hold"].take();
    (hold["dueAt"].clone(), hold["endedBy"].clone())
}

#[test]
fn settings_are_replaced_as_a_whole() {
    let (_server, client) = fresh_sandbox();
    let get = |path| {
        let answer = client.get(path);
        assert_documented("get", path, &answer);
        expect_json(&answer, 200)
    };
    assert_eq!(get(HOLD_LIFE), json!({"default": "P7D", "rules": []}));
    assert_eq!(get(OVER_CLEARING), json!({"overClearing": "ACCEPT"}));
    let lives = json!({"default": "PT36H", "rules": [
        {"mcc": "7011", "life": "P30D"},
        {"mcc": "3501-3999", "message": "authorization", "life": "PT1S"},
        {"message": "authorization.atm.withdrawal", "life": "P365D"},
        {"life": "PT0H1M0S"},
    ]});
    let shown = json!({"default": "P1DT12H", "rules": [
        {"mcc": "7011", "message": null, "life": "P30D"},
        {"mcc": "3501-3999", "message": "authorization", "life": "PT1S"},
        {"mcc": null, "message": "authorization.atm.withdrawal", "life": "P365D"},
        {"mcc": null, "message": null, "life": "PT1M"},
    ]});
    assert_eq!(expect_json(&put(&client, HOLD_LIFE, &lives), 200), shown);
    assert_eq!(
        expect_json(&put(&client, OVER_CLEARING, &json!({"overClearing": "NETWORK"})), 200)["overClearing"],
        "NETWORK"
    );
    assert_eq!((get(HOLD_LIFE), get(OVER_CLEARING)), (shown, json!({"overClearing": "NETWORK"})));
    assert_eq!(
        expect_json(&put(&client, HOLD_LIFE, &json!({"rules": null})), 200),
        json!({"default": "P7D", "rules": []})
    );
    assert_eq!(get(OVER_CLEARING), json!({"overClearing": "NETWORK"}));
}

#[test]
fn the_most_specific_rule_decides_when_a_hold_is_due() {
    let (_server, client) = fresh_sandbox();
    set_clock(&client, json!({"freezeAt": "2027-03-01T12:00:00Z"}));
    let card = card(&client, &funded(&client, "Main", "1000.00"));
    let early = hold(&client, &card, (AUTHORIZATION, "7011", "10"), &json!({}));
    let lives = json!({"default": "P2D", "rules": [
        {"message": "authorization", "life": "P3D"},
        {"mcc": "3000-3999", "life": "P4D"},
        {"mcc": "3000-3999", "message": "authorization", "life": "P5D"},
        {"mcc": "3500-3599", "life": "P6D"},
        {"message": "authorization.cashback", "life": "P8D"},
    ]});
    expect_json(&put(&client, HOLD_LIFE, &lives), 200);
    let cash = json!({"cashBackAmount": 5});
    for (path, mcc, members, day) in [
        (ATM, "6011", &json!({}), 3),
        (AUTHORIZATION, "6011", &json!({}), 4),
        (ATM, "3400", &json!({}), 5),
        (AUTHORIZATION, "3400", &json!({}), 6),
        (AUTHORIZATION, "3500", &json!({}), 7),
        (AUTHORIZATION, "3500", &cash, 7),
        (AUTHORIZATION, "5812", &cash, 9),
    ] {
        let token = hold(&client, &card, (path, mcc, "10"), members);
        assert_eq!(due(&client, &token).0, format!("2027-03-{day:02}T12:00:00Z"), "{path} {mcc} {members}");
    }
    assert_eq!(due(&client, &early).0, "2027-03-08T12:00:00Z", "an existing hold keeps its time");
}

#[test]
fn a_hold_expires_when_its_own_life_ends() {
    let (_server, client) = fresh_sandbox();
    set_clock(&client, json!({"freezeAt": "2027-03-01T12:00:00Z"}));
    let budget = funded(&client, "Main", "100.00");
    let card = card(&client, &budget);
    expect_json(&put(&client, HOLD_LIFE, &json!({"default": "P30D", "rules": [{"mcc": "5812", "life": "PT1H"}]})), 200);
    let long = hold(&client, &card, (AUTHORIZATION, "7011", "10"), &json!({}));
    let short = hold(&client, &card, (AUTHORIZATION, "5812", "20"), &json!({}));
    // Neither a change of the setting nor an increment changes when a hold is due.
    expect_json(&put(&client, HOLD_LIFE, &json!({"default": "PT1S"})), 200);
    expect_json(&client.post(INCREMENT, follow_body(&short, "5")), 201);
    set_clock(&client, json!({"advanceBy": "PT59M59S"}));
    assert_eq!(balance(&client, &budget), ["100.00", "65.00", "35.00"]);
    set_clock(&client, json!({"advanceBy": "PT1S"}));
    assert_eq!(balance(&client, &budget), ["100.00", "90.00", "10.00"]);
    assert_eq!(due(&client, &short), (Value::Null, json!("expired")));
    expect_fault(
        &client.post(CLEARING, follow_body(&short, "20")),
        409,
        "body.precedingRelatedTransactionToken",
        "expired",
    );
    set_clock(&client, json!({"advanceBy": "P29D"}));
    assert_eq!(due(&client, &long).1, Value::Null);
    set_clock(&client, json!({"advanceBy": "P1D"}));
    assert_eq!(due(&client, &long).1, json!("expired"));
    let messages = expect_json(&client.get(&chain_path(&long)), 200)["messages"].take();
    assert_eq!(messages[1]["transaction"]["createdTime"], "2027-03-31T12:00:00Z", "{messages}");
}

#[test]
fn a_hold_expires_in_real_time() {
    let (_server, client) = fresh_sandbox();
    let card = card(&client, &funded(&client, "Main", "100.00"));
    expect_json(&put(&client, HOLD_LIFE, &json!({"default": "PT1S"})), 200);
    let token = hold(&client, &card, (AUTHORIZATION, "5812", "10"), &json!({}));
    let begun = Instant::now();
    while due(&client, &token).1 != "expired" {
        assert!(begun.elapsed() < Duration::from_secs(60), "the hold did not expire");
        std::thread::sleep(Duration::from_millis(200));
    }
}

#[test]
fn clearings_above_the_margin_of_their_category_are_refused() {
    let (_server, client) = fresh_sandbox();
    let card = card(&client, &funded(&client, "Main", "10000.00"));
    let network = json!({"overClearing": "NETWORK"});
    for (mcc, authorised, max, above) in [
        ("5812", "10", "12", "12.01"),
        ("5813", "10.01", "12.01", "12.02"),
        ("5814", "10", "12", "12.01"),
        ("4121", "10", "12", "12.01"),
        ("7011", "10", "11.50", "11.51"),
        ("7512", "10", "11.50", "11.51"),
        ("3501", "10", "11.50", "11.51"),
        ("3999", "10", "11.50", "11.51"),
        ("5541", "1", "100", "100.01"),
        ("5542", "150", "150", "150.01"),
        ("3500", "10", "10", "10.01"),
        ("5411", "10", "10", "10.01"),
    ] {
        let authorize = || hold(&client, &card, (AUTHORIZATION, mcc, authorised), &json!({}));
        let token = authorize();
        expect_json(&client.post(CLEARING, follow_body(&token, above)), 201);
        expect_json(&put(&client, OVER_CLEARING, &network), 200);
        let token = authorize();
        let refused = client.post(CLEARING, follow_body(&token, above));
        let fault = expect_fault(&refused, 409, "body.amount", "amount_exceeds_authorization");
        assert!(fault.message.contains("overClearing"), "{mcc}: {fault:?}");
        expect_json(&client.post(CLEARING, follow_body(&token, max)), 201);
        expect_json(&put(&client, OVER_CLEARING, &json!({"overClearing": "ACCEPT"})), 200);
    }
}

#[test]
fn a_margin_is_shared_by_all_clearings_and_not_used_by_forced_ones() {
    let (_server, client) = fresh_sandbox();
    let card = card(&client, &funded(&client, "Main", "10000.00"));
    expect_json(&put(&client, OVER_CLEARING, &json!({"overClearing": "NETWORK"})), 200);
    let token = hold(&client, &card, (AUTHORIZATION, "5812", "100"), &json!({}));
    let clear = |amount: &str, members: &Value| {
        let body: Value = serde_json::from_str(&follow_body(&token, amount)).unwrap();
        client.post(CLEARING, with(body, members).to_string())
    };
    expect_json(&clear("500", &json!({"forcePost": true})), 201);
    expect_json(&clear("90", &json!({"finalClearing": false})), 201);
    expect_fault(&clear("30.01", &json!({})), 409, "body.amount", "amount_exceeds_authorization");
    let dry = client.call("POST", &format!("{CLEARING}?accountId={}&dryRun=true", client.account));
    let dry = dry.json(follow_body(&token, "30.01")).send();
    expect_fault(&dry, 409, "body.amount", "amount_exceeds_authorization");
    expect_json(&clear("30", &json!({})), 201);
    let hold = expect_json(&client.get(&chain_path(&token)), 200)["hold"].take();
    assert_eq!((&hold["clearedAmount"], &hold["endedBy"]), (&json!("620.00"), &json!("cleared")));
}

#[test]
fn invalid_settings_are_refused() {
    let (_server, client) = fresh_sandbox();
    let mut table = Table::default();
    let rules =
        |count| (0..count).map(|code| json!({"mcc": format!("{code:04}"), "life": "P365D"})).collect::<Vec<_>>();
    let rule = |members: Value| json!({"rules": [with(json!({"life": "P1D"}), &members)]});
    for (body, place, code) in [
        (json!({"default": 7}), "body.default", "invalid_type"),
        (json!({"default": "7D"}), "body.default", "invalid_format"),
        (json!({"default": "P1M"}), "body.default", "invalid_format"),
        (json!({"default": "PT0S"}), "body.default", "out_of_range"),
        (json!({"default": "P366D"}), "body.default", "out_of_range"),
        (json!({"rules": {}}), "body.rules", "invalid_type"),
        (json!({"rules": rules(101)}), "body.rules", "out_of_range"),
        (json!({"rules": [{"mcc": "5812"}]}), "body.rules[0].life", "required"),
        (rule(json!({"life": "P365DT1S"})), "body.rules[0].life", "out_of_range"),
        (rule(json!({"mcc": "581"})), "body.rules[0].mcc", "invalid_format"),
        (rule(json!({"mcc": "5814-5812"})), "body.rules[0].mcc", "out_of_range"),
        (rule(json!({"message": "pindebit"})), "body.rules[0].message", "invalid_value"),
        (rule(json!({"message": "Authorization"})), "body.rules[0].message", "invalid_value"),
        (rule(json!({"merchant": "1"})), "body.rules[0].merchant", "unknown_field"),
        (json!({"rules": [{"life": "P1D"}, {"life": "P2D"}]}), "body.rules[1]", "invalid_value"),
        (json!({"life": "P1D"}), "body.life", "unknown_field"),
    ] {
        table.check(&bad(body.to_string(), place, code), &put(&client, HOLD_LIFE, &body));
    }
    for (body, code) in [(json!({}), "required"), (json!({"overClearing": "network"}), "invalid_value")] {
        table.check(&bad(body.to_string(), "body.overClearing", code), &put(&client, OVER_CLEARING, &body));
    }
    table.check_status("100 rules", 200, &put(&client, HOLD_LIFE, &json!({"rules": rules(100)})));
    table.assert_passed(19);
    let many = json!({"default": "P366D", "rules": [{"mcc": "x", "life": "P1D"}]});
    let faults = [("body.default", "out_of_range"), ("body.rules[0].mcc", "invalid_format")];
    crate::support::expect_faults(&put(&client, HOLD_LIFE, &many), 400, &faults);
}

#[test]
fn access_to_settings_is_checked_and_repeats_are_replayed() {
    let (server, client) = fresh_sandbox();
    for (path, body, other, place) in [
        (HOLD_LIFE, json!({"default": "P1D"}), json!({"default": "P2D"}), "body.default"),
        (OVER_CLEARING, json!({"overClearing": "NETWORK"}), json!({"overClearing": "ACCEPT"}), "body.overClearing"),
    ] {
        let once =
            |body: &Value| client.call("PUT", path).header("Idempotency-Key", path).json(body.to_string()).send();
        let first = once(&body);
        let again = once(&body);
        assert_eq!((first.text(), first.replayed(), again.replayed()), (again.text(), false, true));
        expect_fault(&once(&other), 422, place, "idempotency_mismatch");
        let dry = client.call("PUT", &format!("{path}?accountId={}&dryRun=true", client.account));
        expect_fault(&dry.json(body.to_string()).send(), 400, "query.dryRun", "invalid_value");
        for account in [ABSENT, demo().other_account.as_str()] {
            let foreign = server.client().with_account(account);
            expect_fault(&foreign.get(path), 404, "query.accountId", "not_found");
            expect_fault(&put(&foreign, path, &body), 404, "query.accountId", "not_found");
        }
        let limited = shared().limited();
        expect_fault(&limited.get(path), 403, "header.Authorization", "insufficient_scope");
        expect_fault(&put(&limited, path, &body), 403, "header.Authorization", "insufficient_scope");
    }
    for path in [HOLD_LIFE, OVER_CLEARING] {
        let unchanged = expect_json(&server.other().get(path), 200);
        assert!(unchanged == json!({"default": "P7D", "rules": []}) || unchanged == json!({"overClearing": "ACCEPT"}));
    }
}
