//! `GET /v2/budgets/{budgetId}/explanation`: the components of a balance, which add up.

use serde_json::Value;

use crate::openapi::assert_documented;
use crate::support::assert::{members, text, time, uuid};
use crate::support::money::parse_amount;
use crate::support::payments::{confirmed, filled, fresh_sandbox, pounds};
use crate::support::table::{Table, bad};
use crate::support::{
    ABSENT, AUTHORIZATION, CLEARING, Client, Server, Wallet, demo, expect_fault, expect_json, shared,
};

const PATH: &str = "/v2/budgets/{budgetId}/explanation";

fn target(client: &Client, budget: &str, query: &str) -> String {
    format!("/v2/budgets/{budget}/explanation?accountId={}&{query}", client.account)
}

fn explained(client: &Client, budget: &str, query: &str) -> Value {
    let answer = client.get(&target(client, budget, query));
    assert_documented("get", PATH, &answer);
    expect_json(&answer, 200)
}

fn pounds_of(value: &Value, pointer: &str) -> i64 {
    parse_amount(text(value, pointer), "GBP")
}

/// Checks that all numbers of an explanation agree.
fn assert_sound(explanation: &Value) {
    assert_eq!(explanation["addsUp"], true, "{explanation}");
    for proof in explanation["proofs"].as_array().unwrap() {
        assert_eq!((&proof["holds"], &proof["stated"]), (&Value::Bool(true), &proof["computed"]), "{proof}");
    }
    for pool in ["ledger", "available", "held", "reserved"] {
        let moved = format!("/moved/{pool}");
        let sums: i64 = explanation["sums"].as_array().unwrap().iter().map(|sum| pounds_of(sum, &moved)).sum();
        assert_eq!(sums, pounds_of(explanation, &format!("/balance/{pool}")), "{pool}");
    }
    let holds: i64 =
        explanation["openHolds"]["rows"].as_array().unwrap().iter().map(|row| pounds_of(row, "/amount")).sum();
    assert_eq!((holds, pounds_of(explanation, "/openHolds/total")), (pounds_of(explanation, "/balance/held"), holds));
    let rows = explanation["reservations"]["rows"].as_array().unwrap();
    let reserved: i64 = rows.iter().map(|row| pounds_of(row, "/amount")).sum();
    assert_eq!(
        (reserved, pounds_of(explanation, "/reservations/total")),
        (pounds_of(explanation, "/balance/reserved"), reserved)
    );
}

/// Starts a sandbox in which a budget has a cleared purchase of 8.00, a hold of 30.00, and a credit of 1.50. Also
/// returns the token of the hold.
fn account_with_activity() -> (Server, Client, Wallet, String) {
    let (server, client) = fresh_sandbox();
    let wallet = Wallet::with(&server, "GBP", 50_000);
    let bought = wallet.token(AUTHORIZATION, "10");
    wallet.follow_ok(CLEARING, &bought, "8");
    let held = wallet.token(AUTHORIZATION, "30");
    wallet.credit("1.50");
    (server, client, wallet, held)
}

#[test]
fn a_balance_is_explained_by_postings_holds_and_reservations() {
    let (_server, client, wallet, held) = account_with_activity();
    let explanation = explained(&client, &wallet.card.budget, "currencyCode=GBP&limit=1000");
    assert_sound(&explanation);
    let shown = wallet.balance();
    assert_eq!(pounds_of(&explanation, "/balance/ledger"), shown.ledger);
    assert_eq!(pounds_of(&explanation, "/balance/available"), shown.available);
    let open =
        explanation["openHolds"]["rows"].as_array().unwrap().iter().find(|row| row["chainToken"] == held.as_str());
    let open = open.unwrap_or_else(|| panic!("no hold: {explanation}"));
    assert_eq!((text(open, "/amount"), text(open, "/cardId")), ("30.00", &*wallet.card.id));
    assert!(time(&open["dueAt"]) > time(&open["createdAt"]));
    let postings = explanation["postings"]["rows"].as_array().unwrap();
    assert_eq!(explanation["postings"]["count"], postings.len());
    assert_eq!(text(&postings[0], "/kind"), "credit");
    assert_eq!(text(&postings[0], "/moved/available"), "1.50");
    assert_eq!(postings[0]["balanceAfter"], explanation["balance"]);
    assert_eq!((text(&postings[1], "/kind"), text(&postings[1], "/causeId")), ("card", &*held));
    for pair in postings.windows(2) {
        for pool in ["ledger", "available", "held", "reserved"] {
            let (after, moved) = (format!("/balanceAfter/{pool}"), format!("/moved/{pool}"));
            assert_eq!(pounds_of(&pair[0], &after), pounds_of(&pair[1], &after) + pounds_of(&pair[0], &moved));
        }
    }
    for row in postings {
        uuid(&row["journalId"]);
        assert_eq!(members(row), ["balanceAfter", "causeId", "createdAt", "journalId", "kind", "moved"]);
    }
    assert_eq!(postings.last().unwrap()["balanceAfter"], postings.last().unwrap()["moved"]);
}

#[test]
fn an_explanation_adds_up_while_payments_are_processed() {
    let (server, client, wallet, _) = account_with_activity();
    let batch = filled(&client, &[pounds("10", "Wages"), pounds("20", "SBX-FAIL-NAME"), pounds("10", "SBX-RETURN")]);
    confirmed(&client, &batch);
    for _ in 0..20 {
        let explanation = explained(&client, &wallet.card.budget, "currencyCode=GBP&limit=1000");
        assert_sound(&explanation);
        wallet.token(AUTHORIZATION, "0.01");
    }
    drop(server);
}

#[test]
fn pages_continue_the_running_balance() {
    let (_server, client, wallet, _) = account_with_activity();
    let complete = explained(&client, &wallet.card.budget, "currencyCode=GBP&limit=1000");
    let all = complete["postings"]["rows"].as_array().unwrap();
    let mut seen = Vec::new();
    for offset in (0..all.len()).step_by(2) {
        let explanation = explained(&client, &wallet.card.budget, &format!("currencyCode=GBP&limit=2&offset={offset}"));
        assert_eq!((&explanation["balance"], &explanation["addsUp"]), (&complete["balance"], &Value::Bool(true)));
        assert_eq!(explanation["postings"]["count"], all.len());
        seen.extend(explanation["postings"]["rows"].as_array().unwrap().clone());
    }
    assert_eq!(&seen, all);
}

#[test]
fn the_demo_data_adds_up() {
    let client = shared().client();
    for budget in demo().json["budgets"].as_array().unwrap() {
        let (id, currency) = (text(budget, "/id"), text(budget, "/currencyCode"));
        let explanation = explained(&client, id, &format!("currencyCode={currency}"));
        assert_eq!(explanation["addsUp"], true, "{explanation}");
    }
}

#[test]
fn invalid_parameters_are_reported() {
    let client = shared().client();
    let budget = demo().budget("GBP");
    let mut table = Table::default();
    for (query, place, code) in [
        ("", "query.currencyCode", "required"),
        ("currencyCode=", "query.currencyCode", "required"),
        ("currencyCode=gbp", "query.currencyCode", "invalid_format"),
        ("currencyCode=XXX", "query.currencyCode", "invalid_value"),
        ("currencyCode=JPY", "query.currencyCode", "invalid_value"),
        ("currencyCode=GBP&limit=0", "query.limit", "out_of_range"),
        ("currencyCode=GBP&offset=x", "query.offset", "invalid_format"),
    ] {
        let answer = client.get(&target(&client, &budget, query));
        assert_documented("get", PATH, &answer);
        table.check(&bad(query, place, code), &answer);
    }
    let answer = client.get(&target(&client, "x", "currencyCode=GBP"));
    table.check(&bad("a budget", "path.budgetId", "invalid_format"), &answer);
    let nowhere = client.get(&format!("/v2/budgets/{budget}/explanation?currencyCode=GBP"));
    table.check(&bad("no account", "query.accountId", "required"), &nowhere);
    table.assert_passed(9);
}

#[test]
fn budgets_of_other_accounts_are_absent() {
    let other = shared().other();
    let budget = demo().budget("GBP");
    for id in [budget.as_str(), ABSENT] {
        let answer = other.get(&target(&other, id, "currencyCode=GBP"));
        assert_documented("get", PATH, &answer);
        expect_fault(&answer, 404, "path.budgetId", "not_found");
    }
    let stranger = other.with_account(&demo().account);
    expect_fault(&stranger.get(&target(&stranger, &budget, "currencyCode=GBP")), 404, "query.accountId", "not_found");
    let limited = shared().limited();
    let answer = limited.get(&target(&limited, &budget, "currencyCode=GBP"));
    expect_fault(&answer, 403, "header.Authorization", "insufficient_scope");
}
