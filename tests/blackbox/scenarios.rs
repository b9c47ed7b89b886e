//! `POST /v2/sandbox/scenarios`: named stories, and lists of messages.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::openapi::assert_documented;
use crate::support::assert::{expect_invariants, members, text};
use crate::support::management::{balance, card, funded};
use crate::support::payments::fresh_sandbox;
use crate::support::table::{Table, bad};
use crate::support::worlds::{clock, create_world, set_clock};
use crate::support::{
    ABSENT, AUTHORIZATION, Answer, Client, Server, Wallet, demo, expect_fault, expect_faults, expect_json, shared,
};

const SCENARIOS: &str = "/v2/sandbox/scenarios";
/// The id of the client of the demo account.
const CLIENT: &str = "0198c0de-0001-7000-8000-000000000001";
const PURCHASE: &str = "transaction/authorization";
const CLEARING: &str = "transaction/authorization/clearing";

fn play(client: &Client, body: &Value) -> Answer {
    let answer = client.post(SCENARIOS, body.to_string());
    if answer.status == 201 {
        assert_documented("post", SCENARIOS, &answer);
    }
    answer
}

fn steps(answer: &Answer) -> Vec<Value> {
    let body = expect_json(answer, 201);
    assert_eq!(members(&body), ["steps"]);
    body["steps"].as_array().unwrap().clone()
}

#[expect(clippy::needless_pass_by_value, reason = "callers hand in what they have just created")]
fn purchase(card: &str, amount: Value) -> Value {
    json!({"cardId": card, "amount": amount, "network": "VISA", "cardAcceptor": {"mid": "11111"}})
}

/// Returns the body of a follow-up to the message of an earlier step.
fn after(name: &str, amount: i64) -> Value {
    json!({"precedingRelatedTransactionToken": format!("${name}"), "amount": amount})
}

/// A row of the table of stories.
pub(crate) struct Row {
    /// By how much the clock is advanced before the message.
    clock: String,
    message: String,
    /// `type` and `state`, or the status and the code of an error.
    expected: [String; 2],
    /// The ledger and the available balance afterwards, in whole units of the currency.
    balances: [i64; 2],
}

/// Returns the rows of the table in the documentation, by story.
pub(crate) fn stories() -> BTreeMap<String, Vec<Row>> {
    let page = include_str!("../../docs/SCENARIOS.md");
    let table = page.split("## The stories").nth(1).unwrap();
    let mut stories = BTreeMap::<String, Vec<Row>>::new();
    for line in table.lines().filter(|line| line.starts_with("| `")) {
        let line = line.trim_matches('|').replace('`', "");
        let cells: Vec<_> = line.split('|').map(str::trim).collect();
        let number = |place: usize| cells[place].parse().unwrap();
        let row = Row {
            clock: cells[1].to_owned(),
            message: cells[2].split(" of ").next().unwrap().to_owned(),
            expected: [cells[3].to_owned(), cells[4].to_owned()],
            balances: [number(5), number(6)],
        };
        stories.entry(cells[0].to_owned()).or_default().push(row);
    }
    stories
}

#[test]
fn every_story_plays_as_documented_in_three_currencies() {
    let stories = stories();
    assert_eq!(
        stories.keys().collect::<Vec<_>>(),
        ["airline", "fraudBurst", "fuel", "hotel", "restaurant", "subscription"]
    );
    for currency in ["GBP", "JPY", "EUR"] {
        let server = Server::sandbox();
        let unit = if currency == "JPY" { 1 } else { 100 };
        set_clock(&server.client(), json!({"freeze": true}));
        // The holds of the demo data expire.
        set_clock(&server.client(), json!({"advanceBy": "P8D"}));
        for (name, rows) in &stories {
            let wallet = Wallet::with(&server, currency, 1000 * unit);
            let network = wallet.client.call("PUT", "/v2/sandbox/over-clearing").json(r#"{"overClearing": "NETWORK"}"#);
            expect_json(&network.send(), 200);
            let mut now = crate::support::assert::time(&clock(&wallet.client)["now"]);
            let played = steps(&play(&wallet.client, &json!({"name": name, "cardId": wallet.card.id})));
            assert_eq!(played.len(), rows.len(), "{name}");
            for (number, (step, row)) in played.iter().zip(rows).enumerate() {
                let context = format!("{currency} {name} {number}: {step}");
                now += advance(&row.clock);
                assert_eq!(crate::support::assert::time(&step["at"]), now, "{context}");
                assert_eq!(step["message"], row.message.as_str(), "{context}");
                let found = match step["status"].as_u64().unwrap() {
                    201 => ["/answer/transaction/type", "/answer/transaction/state"]
                        .map(|place| text(step, place).to_owned()),
                    status => [String::new(), format!("{status} {}", text(step, "/answer/errors/0/errorCode"))],
                };
                assert_eq!(found, row.expected, "{context}");
                let [ledger, available] = row.balances;
                let shown = ["/balances/ledgerBalance", "/balances/availableBalance"].map(|place| text(step, place));
                assert_eq!(
                    shown,
                    [wallet.format_ledger(ledger * unit), wallet.format_amount(available * unit)],
                    "{context}"
                );
                assert_eq!(step["explanation"].is_null(), row.expected[1] != "DECLINED", "{context}");
            }
        }
        expect_invariants(&server.client());
    }
}

/// Reads a duration of the table.
fn advance(text: &str) -> chrono::TimeDelta {
    let Some(rest) = text.strip_prefix('P') else { return chrono::TimeDelta::zero() };
    let number = |text: &str| text.trim_matches(|c: char| !c.is_ascii_digit()).parse().unwrap();
    match rest.strip_prefix('T') {
        Some(hours) if hours.ends_with('H') => chrono::TimeDelta::hours(number(hours)),
        Some(minutes) => chrono::TimeDelta::minutes(number(minutes)),
        None => chrono::TimeDelta::days(number(rest)),
    }
}

#[test]
fn messages_name_earlier_steps_and_refusals_do_not_stop_them() {
    let (_server, client) = fresh_sandbox();
    set_clock(&client, json!({"freezeAt": "2027-03-01T12:00:00Z"}));
    let budget = funded(&client, "Main", "100.00");
    let card = card(&client, &budget);
    let played = steps(&play(
        &client,
        &json!({"messages": [
            {"message": "balance-inquiry", "body": {"cardId": ABSENT, "network": "VISA", "cardAcceptor": {"mid": "1"}}},
            {"message": PURCHASE, "as": "shop", "body": purchase(&card, json!(25))},
            {"message": PURCHASE, "as": "wrong", "body": purchase(&card, json!("x"))},
            {"message": CLEARING, "body": after("wrong", 1)},
            {"message": PURCHASE,
                "body": {"cardId": card, "amount": 100_000, "network": "VISA", "cardAcceptor": {"mid": "$$1"}}},
            {"message": CLEARING, "advanceBy": "P7D", "body": after("shop", 25)},
            {"message": "transaction/authorization/reversal", "body": {"precedingRelatedTransactionToken": "$shop"}},
        ]}),
    ));
    let statuses: Vec<_> = played.iter().map(|step| step["status"].as_u64().unwrap()).collect();
    assert_eq!(statuses, [404, 201, 400, 400, 201, 409, 409]);
    let codes: Vec<_> =
        played.iter().map(|step| step["answer"]["errors"][0]["errorCode"].as_str().unwrap_or("")).collect();
    assert_eq!(codes, ["not_found", "", "invalid_type", "invalid_format", "", "expired", "expired"]);
    let paths: Vec<_> = played.iter().map(|step| step["answer"]["errors"][0]["path"].as_str().unwrap_or("")).collect();
    assert_eq!(paths[..4], ["body.cardId", "", "body.amount", "body.precedingRelatedTransactionToken"]);
    assert_eq!(played[4]["answer"]["transaction"]["cardAcceptor"]["mid"], "$1");
    assert_eq!((&played[4]["explanation"]["code"], &played[1]["explanation"]), (&json!("1016"), &Value::Null));
    let rules = played[4]["explanation"]["rules"].as_array().unwrap();
    assert_eq!(rules.last().unwrap()["rule"], "available_balance");
    let available: Vec<_> =
        played.iter().map(|step| step["balances"]["availableBalance"].as_str().unwrap_or("")).collect();
    assert_eq!(available, ["", "75.00", "75.00", "75.00", "75.00", "100.00", "100.00"]);
    assert_eq!((&played[4]["at"], &played[5]["at"]), (&json!("2027-03-01T12:00:00Z"), &json!("2027-03-08T12:00:00Z")));
    assert_eq!(played[1]["balances"]["budgetId"], budget.as_str());
    assert_eq!(balance(&client, &budget), ["100.00", "100.00", "0.00"]);
}

#[test]
fn every_message_can_be_a_step() {
    let document: Value = expect_json(&shared().client().get("/openapi.json?"), 200);
    let prefix = "/v2/cards/simulations/";
    let mut paths: Vec<_> = document["paths"]
        .as_object()
        .unwrap()
        .iter()
        .filter(|(_, item)| item["post"].is_object())
        .filter_map(|(path, _)| path.strip_prefix(prefix))
        .collect();
    paths.sort_unstable();
    let pattern = text(&document, "/components/schemas/ScenarioMessageRequest/properties/message/pattern");
    let pattern = pattern.replace('\\', "");
    let mut known: Vec<_> = pattern.trim_start_matches("^(").trim_end_matches(")$").split('|').collect();
    known.sort_unstable();
    assert_eq!(known, paths);
}

#[test]
fn actions_on_disputes_can_be_steps() {
    let (_server, client) = fresh_sandbox();
    set_clock(&client, json!({"freezeAt": "2027-03-01T12:00:00Z"}));
    let budget = funded(&client, "Main", "100.00");
    let card = card(&client, &budget);
    let on = |name: &str, action: &str, body: Value| {
        json!({"message": format!("disputes/{{disputeId}}/{action}"), "disputeId": name,
            "body": body})
    };
    let open = |amount: i64| json!({"transactionToken": "$bill", "amount": amount, "reason": "FRAUD"});
    let body = json!({"messages": [
        {"message": PURCHASE, "as": "shop", "body": purchase(&card, json!(25))},
        {"message": CLEARING, "as": "bill", "body": after("shop", 25)},
        {"message": "disputes", "as": "case", "advanceBy": "P1D", "body": open(10)},
        on("$case", "evidence", json!({"text": "It never arrived."})),
        on("$case", "provisional-credit", json!({})),
        {"message": "disputes", "as": "too-much", "body": open(16)},
        on("$too-much", "resolve", json!({"outcome": "WON"})),
        on(ABSENT, "resolve", json!({"outcome": "WON"})),
        on("$case", "resolve", json!({"outcome": "LOST"})),
    ]});
    let played = client.post_once(SCENARIOS, "key", body.to_string());
    assert_documented("post", SCENARIOS, &played);
    let steps = steps(&played);
    let shown: Vec<_> = steps
        .iter()
        .map(|step| {
            let answer = &step["answer"];
            let error = answer["errors"][0]["path"].as_str();
            let what = answer["transaction"]["type"].as_str().or(answer["status"].as_str()).or(error);
            (
                step["status"].as_u64().unwrap(),
                what.unwrap_or(""),
                step["balances"]["availableBalance"].as_str().unwrap(),
            )
        })
        .collect();
    let expected = [
        (201, "authorization", "75.00"),
        (201, "authorization.clearing", "75.00"),
        (201, "OPEN", "75.00"),
        (201, "OPEN", "75.00"),
        (201, "authorization.clearing.chargeback.provisional.credit", "85.00"),
        (409, "body.amount", "85.00"),
        (400, "path.disputeId", "85.00"),
        (404, "path.disputeId", "85.00"),
        (201, "authorization.clearing.chargeback.provisional.debit", "75.00"),
    ];
    assert_eq!(shown, expected);
    // Each step has the idempotency record that its operation would have.
    let case = text(&steps[2], "/answer/id");
    let path = |action: &str| format!("/v2/cards/simulations/disputes/{case}/{action}");
    for (number, action, body) in [(5, "provisional-credit", "{}"), (9, "resolve", r#"{"outcome": "LOST"}"#)] {
        let again = client.post_once(&path(action), &format!("key/{number}"), body);
        assert_eq!((again.replayed(), expect_json(&again, 201)), (true, steps[number - 1]["answer"].clone()));
    }
    assert_eq!(balance(&client, &budget), ["75.00", "75.00", "0.00"]);
}

#[test]
fn a_repeat_with_the_same_key_replays_the_complete_scenario() {
    let (_server, client) = fresh_sandbox();
    set_clock(&client, json!({"freezeAt": "2027-03-01T12:00:00Z"}));
    let budget = funded(&client, "Main", "100.00");
    let card = card(&client, &budget);
    let body = json!({"messages": [
        {"message": PURCHASE, "as": "shop", "body": purchase(&card, json!(25))},
        {"message": CLEARING, "advanceBy": "P1D", "body": after("shop", 26)},
        {"message": CLEARING, "body": after("shop", 1)},
    ]});
    let [first, second] = [(); 2].map(|()| client.post_once(SCENARIOS, "key", body.to_string()));
    assert_eq!((first.status, first.text(), first.replayed(), second.replayed()), (201, second.text(), false, true));
    assert_eq!(balance(&client, &budget), ["74.00", "74.00", "0.00"]);
    assert_eq!(text(&clock(&client), "/now"), "2027-03-02T12:00:00Z");
    let other = json!({"messages": [{"message": PURCHASE, "body": purchase(&card, json!(1))}]});
    expect_fault(&client.post_once(SCENARIOS, "key", other.to_string()), 422, "body", "idempotency_mismatch");
    assert_eq!(balance(&client, &budget), ["74.00", "74.00", "0.00"]);
    // A step has the idempotency record that its operation would have.
    let step = client.post_once(AUTHORIZATION, "key/1", purchase(&card, json!(25)).to_string());
    let answer = expect_json(&first, 201)["steps"][0]["answer"].clone();
    assert_eq!((step.replayed(), expect_json(&step, 201)), (true, answer));
}

#[test]
fn a_repeat_continues_an_interrupted_scenario() {
    let (_server, client) = fresh_sandbox();
    set_clock(&client, json!({"freezeAt": "2027-03-01T12:00:00Z"}));
    let budget = funded(&client, "Main", "100.00");
    let card = card(&client, &budget);
    let body = json!({"messages": [
        {"message": PURCHASE, "as": "shop", "body": purchase(&card, json!(25))},
        {"message": CLEARING, "advanceBy": "P1D", "body": after("shop", 25)},
        {"message": PURCHASE, "advanceBy": "P1D", "body": purchase(&card, json!(10))},
    ]});
    // This is the state after an interruption following the second change of the clock.
    let authorized = client.post_once(AUTHORIZATION, "key/1", purchase(&card, json!(25)).to_string());
    let token = text(&expect_json(&authorized, 201), "/transaction/token").to_owned();
    expect_json(&client.post_once("/v2/sandbox/clock", "key/2/clock", r#"{"advanceBy":"P1D"}"#), 200);
    let played = steps(&client.post_once(SCENARIOS, "key", body.to_string()));
    assert_eq!(text(&played[0], "/answer/transaction/token"), token);
    let at: Vec<_> = played.iter().map(|step| text(step, "/at")).collect();
    assert_eq!(at, ["2027-03-01T12:00:00Z", "2027-03-02T12:00:00Z", "2027-03-03T12:00:00Z"]);
    assert_eq!(balance(&client, &budget), ["75.00", "65.00", "10.00"]);
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    let server = Server::sandbox();
    let card = demo().active_card("GBP").id.clone();
    let run = || {
        let (_, client) = create_world(&server, json!({"seed": "scenario", "replace": true}));
        let story = play(&client, &json!({"name": "airline", "cardId": card}));
        let refused = play(&client, &json!({"messages": [{"message": PURCHASE, "body": purchase(&card, json!(-1))}]}));
        (story.text(), refused.text())
    };
    assert_eq!(run(), run());
}

#[test]
fn a_pin_of_a_scenario_is_not_recorded() {
    let (_server, client) = fresh_sandbox();
    let card = card(&client, &funded(&client, "Main", "100.00"));
    let debit = |pin: &str| {
        let mut body = purchase(&card, json!(1));
        body["pin"] = json!(pin);
        json!({"messages": [{"message": "debit", "body": body}]}).to_string()
    };
    assert_eq!(client.post_once(SCENARIOS, "key", debit("0427")).status, 201);
    expect_fault(&client.post_once(SCENARIOS, "key", debit("0428")), 422, "body", "idempotency_mismatch");
}

#[test]
fn invalid_scenarios_play_nothing() {
    let (_server, client) = fresh_sandbox();
    let budget = funded(&client, "Main", "100.00");
    let card = card(&client, &budget);
    let mut table = Table::default();
    let valid = json!({"message": PURCHASE, "as": "a", "body": purchase(&card, json!(1))});
    let second = |step: Value| json!({"messages": [valid, step]});
    let step = |body: Value| json!({"message": CLEARING, "body": body});
    let resolve = "disputes/{disputeId}/resolve";
    for (body, place, code) in [
        (json!({}), "body.messages", "required"),
        (json!({"name": "hotel"}), "body.cardId", "required"),
        (json!({"cardId": card}), "body.name", "required"),
        (json!({"name": "Hotel", "cardId": card}), "body.name", "invalid_value"),
        (json!({"name": "hotel", "cardId": card, "messages": [valid]}), "body.name", "invalid_value"),
        (json!({"cardId": card, "messages": [valid]}), "body.cardId", "invalid_value"),
        (json!({"messages": []}), "body.messages", "out_of_range"),
        (json!({"messages": vec![json!({"message": "fee", "body": {}}); 101]}), "body.messages", "out_of_range"),
        (json!({"messages": [valid, valid]}), "body.messages[1].as", "invalid_value"),
        (second(json!({"message": "transfer", "body": {}})), "body.messages[1].message", "invalid_value"),
        (second(json!({"message": "fee"})), "body.messages[1].body", "required"),
        (second(step(json!("$a"))), "body.messages[1].body", "invalid_type"),
        (second(step(after("b", 1))), "body.messages[1].body.precedingRelatedTransactionToken", "invalid_value"),
        (second(step(json!({"x": [{"y": "$"}]}))), "body.messages[1].body.x[0].y", "invalid_value"),
        (
            json!({"messages": [step(after("a", 1)), valid]}),
            "body.messages[0].body.precedingRelatedTransactionToken",
            "invalid_value",
        ),
        (second(json!({"message": "fee", "body": {}, "as": "a b"})), "body.messages[1].as", "invalid_format"),
        (
            second(json!({"message": "fee", "body": {}, "advanceBy": "P1M"})),
            "body.messages[1].advanceBy",
            "invalid_format",
        ),
        (second(json!({"message": "fee", "body": {}, "at": 1})), "body.messages[1].at", "unknown_field"),
        (
            second(json!({"message": "fee", "body": {}, "disputeId": "$a"})),
            "body.messages[1].disputeId",
            "invalid_value",
        ),
        (second(json!({"message": resolve, "body": {}})), "body.messages[1].disputeId", "required"),
        (
            second(json!({"message": resolve, "body": {}, "disputeId": "$b"})),
            "body.messages[1].disputeId",
            "invalid_value",
        ),
        (
            second(json!({"message": resolve, "body": {}, "disputeId": "b"})),
            "body.messages[1].disputeId",
            "invalid_format",
        ),
    ] {
        table.check(&bad(body.to_string(), place, code), &play(&client, &body));
    }
    table.assert_passed(22);
    let many = json!({"messages": [valid, {"message": "x", "as": "a", "body": after("c", 1)}]});
    let faults = [
        ("body.messages[1].message", "invalid_value"),
        ("body.messages[1].as", "invalid_value"),
        ("body.messages[1].body.precedingRelatedTransactionToken", "invalid_value"),
    ];
    expect_faults(&play(&client, &many), 400, &faults);
    expect_fault(&play(&client, &json!({"name": "hotel", "cardId": ABSENT})), 404, "body.cardId", "not_found");
    let long = client.post_once(SCENARIOS, &"k".repeat(241), json!({"messages": [valid]}).to_string());
    expect_fault(&long, 400, "header.Idempotency-Key", "too_long");
    let dry = format!("{SCENARIOS}?accountId={}&dryRun=true", client.account);
    expect_fault(&client.post(&dry, json!({"messages": [valid]}).to_string()), 400, "query.dryRun", "invalid_value");
    assert_eq!(balance(&client, &budget), ["100.00", "100.00", "0.00"]);
}

#[test]
fn access_to_scenarios_is_checked() {
    let server = Server::sandbox();
    let body = json!({"name": "hotel", "cardId": demo().active_card("GBP").id});
    let foreign = server.client().with_account(&demo().other_account);
    expect_fault(&play(&foreign, &body), 404, "query.accountId", "not_found");
    expect_fault(&play(&server.limited(), &body), 403, "header.Authorization", "insufficient_scope");
    let issued = ["keys", "issue", "--client", CLIENT, "--scope", "cards:simulate:any", "--json"];
    let only = server.workspace().json(&issued);
    let client = server.client_of(text(&only, "/key"), &demo().account);
    let fault = expect_fault(&play(&client, &body), 403, "header.Authorization", "insufficient_scope");
    assert!(fault.message.contains("budgets:simulate:any"), "{fault:?}");
    let purchase_only =
        json!({"messages": [{"message": PURCHASE, "body": purchase(&demo().active_card("GBP").id, json!(1))}]});
    assert_eq!(steps(&play(&client, &purchase_only)).len(), 1);
}
