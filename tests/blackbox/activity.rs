//! `GET /v2/activity/{accountId}`: order, filters, pages, and single movements.

use std::collections::BTreeSet;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::openapi::truthful;
use crate::support::assert::{members, text, time, uuid};
use crate::support::management::{budget, funded, transfer};
use crate::support::payments::{alone, confirmed, filled, pounds};
use crate::support::server::LIMIT;
use crate::support::table::{Table, bad};
use crate::support::{
    ABSENT, ATM, AUTHORIZATION, CLEARING, Client, REFUND, REFUND_CLEARING, REVERSAL, Server, Wallet, demo,
    expect_fault, expect_json, shared,
};

const LIST: &str = "/v2/activity/{accountId}";
const ONE: &str = "/v2/activity/{accountId}/{activityId}";

fn target(client: &Client, rest: &str) -> String {
    format!("/v2/activity/{}{rest}", client.account)
}

/// Returns one page, and checks it against the OpenAPI description.
fn page(client: &Client, query: &str) -> Value {
    let answer = client.get(&target(client, &format!("?{query}")));
    truthful("get", LIST, &answer);
    let page = expect_json(&answer, 200);
    assert_eq!(members(&page), ["count", "limit", "offset", "rows"]);
    page
}

fn rows(client: &Client, query: &str) -> Vec<Value> {
    let mut page = page(client, &format!("limit=1000&{query}"));
    let rows: Vec<Value> = serde_json::from_value(page["rows"].take()).unwrap();
    assert_eq!(page["count"], rows.len(), "{query}");
    rows
}

fn one(client: &Client, id: &str) -> Value {
    let answer = client.get(&target(client, &format!("/{id}")));
    truthful("get", ONE, &answer);
    expect_json(&answer, 200)
}

/// Creates a wallet with 500.00 and messages of every kind. Returns it with the tokens of the first messages.
fn wallet_with_activity(server: &Server) -> (Wallet, Vec<String>) {
    let wallet = Wallet::with(server, "GBP", 50_000);
    let bought = wallet.token(AUTHORIZATION, "10");
    wallet.follow_ok(CLEARING, &bought, "8");
    let undone = wallet.token(AUTHORIZATION, "20");
    wallet.follow_ok(REVERSAL, &undone, "20");
    let held = wallet.token(ATM, "30");
    let back = wallet.token(REFUND, "5");
    wallet.follow_ok(REFUND_CLEARING, &back, "5");
    let declined = wallet.first(AUTHORIZATION, "9999");
    (wallet, vec![bought, undone, held, back, text(&declined, "/token").to_owned()])
}

#[test]
fn every_card_message_is_a_row() {
    let (server, client) = alone();
    let (wallet, tokens) = wallet_with_activity(&server);
    let all = rows(&client, "");
    let known = |row: &Value| (text(row, "/type").to_owned(), text(row, "/status").to_owned());
    let of_chain =
        |token: &str| -> Vec<_> { all.iter().rev().filter(|row| row["chainToken"] == token).map(known).collect() };
    let pair = |kind: &str, status: &str| (kind.to_owned(), status.to_owned());
    assert_eq!(
        of_chain(&tokens[0]),
        [pair("authorization", "COMPLETION"), pair("authorization.clearing", "COMPLETION")]
    );
    assert_eq!(of_chain(&tokens[1]), [pair("authorization", "CLEARED"), pair("authorization.reversal", "CLEARED")]);
    assert_eq!(of_chain(&tokens[2]), [pair("authorization.atm.withdrawal", "PENDING")]);
    assert_eq!(
        of_chain(&tokens[3]),
        [pair("refund.authorization", "COMPLETION"), pair("refund.authorization.clearing", "COMPLETION")]
    );
    assert_eq!(of_chain(&tokens[4]), [pair("authorization", "DECLINED")]);
    let hold = all.iter().find(|row| row["id"] == tokens[2].as_str()).unwrap();
    assert_eq!((text(hold, "/amount"), text(hold, "/impactedAmount")), ("30.00", "-30.00"));
    assert_eq!((text(hold, "/cardId"), text(hold, "/budgetId")), (&*wallet.card.id, &*wallet.card.budget));
    assert_eq!(text(hold, "/counterparty"), "Sandbox Merchant");
    for row in &all {
        uuid(&row["id"]);
        time(&row["createdAt"]);
        assert_eq!(members(row).len(), 14, "{row}");
    }
    let times: Vec<_> = all.iter().map(|row| time(&row["createdAt"])).collect();
    assert!(times.is_sorted_by(|newer, older| newer >= older), "not the newest first");
}

#[test]
fn each_movement_is_returned_in_full() {
    let (server, client) = alone();
    let (wallet, tokens) = wallet_with_activity(&server);
    let movement = one(&client, &tokens[2]);
    assert_eq!(text(&movement, "/cardTransaction/token"), tokens[2]);
    assert_eq!(text(&movement, "/cardTransaction/gpa/impactedAmount"), "-30.00");
    assert!(movement["credit"].is_null() && movement["payment"].is_null(), "{movement}");
    let number = wallet.credit("12.34")["boxTransactionId"].clone();
    let credits = rows(&client, "type=credit");
    let credit = credits.iter().find(|row| row["amount"] == "12.34").unwrap();
    assert_eq!((text(credit, "/status"), text(credit, "/counterparty")), ("completed", "Ada Remitter"));
    let movement = one(&client, text(credit, "/id"));
    assert_eq!(
        (&movement["credit"]["boxTransactionId"], text(&movement, "/credit/schemeName")),
        (&number, "FasterPayment")
    );
    assert_eq!(movement["createdAt"], credit["createdAt"]);
    // The initial funds of the demo account exist only in the journal.
    let movement = one(&client, text(credits.last().unwrap(), "/id"));
    assert!(movement["credit"].is_null() && movement["cardTransaction"].is_null(), "{movement}");
}

#[test]
fn payments_appear_when_their_batch_is_confirmed() {
    let (server, client) = alone();
    Wallet::with(&server, "GBP", 100_000);
    let batch = filled(&client, &[pounds("10", "Wages"), pounds("20", "SBX-FAIL-NAME")]);
    // The demo data has payments, too.
    let of_batch = || {
        let all = rows(&client, "type=payment").into_iter();
        all.filter(|row| row["paymentBatchId"] == batch).collect::<Vec<_>>()
    };
    assert_eq!(of_batch(), Vec::<Value>::new());
    confirmed(&client, &batch);
    let start = Instant::now();
    while !["completed", "failed"].iter().all(|status| of_batch().iter().any(|row| row["status"] == *status)) {
        assert!(start.elapsed() < LIMIT, "{:?}", of_batch());
        thread::sleep(Duration::from_millis(50));
    }
    let payments = of_batch();
    assert_eq!(payments.len(), 2);
    let paid = payments.iter().find(|row| row["status"] == "completed").unwrap();
    assert_eq!((text(paid, "/amount"), text(paid, "/impactedAmount")), ("10.00", "-10.00"));
    assert_eq!((text(paid, "/paymentBatchId"), text(paid, "/counterparty")), (&*batch, "Ada Lovelace"));
    let failed = payments.iter().find(|row| row["status"] == "failed").unwrap();
    assert_eq!((text(failed, "/amount"), text(failed, "/impactedAmount")), ("20.00", "0.00"));
    let movement = one(&client, text(failed, "/id"));
    assert_eq!(text(&movement, "/payment/failureReason"), "name_mismatch");
    assert_eq!(movement["payment"]["id"], movement["id"]);
}

#[test]
fn a_transfer_is_one_row_under_both_budgets() {
    let (_server, client) = alone();
    let (from, to) = (funded(&client, "Giver", "50.00"), budget(&client, "Receiver"));
    let sent = expect_json(&transfer(&client, &from, &to, "20.00"), 200)["transfer"].clone();
    for budget in [&from, &to] {
        let found = rows(&client, &format!("type=transfer&budgetId={budget}"));
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!((&found[0]["id"], text(&found[0], "/status")), (&sent["id"], "completed"));
        assert_eq!((text(&found[0], "/budgetId"), text(&found[0], "/toBudgetId")), (&*from, &*to));
        assert_eq!((text(&found[0], "/amount"), text(&found[0], "/impactedAmount")), ("20.00", "-20.00"));
    }
    assert_eq!(rows(&client, &format!("budgetId={from}")).len(), 2, "and its funds");
    assert_eq!(one(&client, text(&sent, "/id"))["toBudgetId"], to);
}

#[test]
fn filters_select_matching_rows() {
    let (server, client) = alone();
    let (wallet, _) = wallet_with_activity(&server);
    let all = rows(&client, "");
    let values = |member: &str| -> BTreeSet<String> {
        all.iter().filter_map(|row| row[member].as_str()).map(str::to_owned).collect()
    };
    for (parameter, member) in [
        ("type", "type"),
        ("status", "status"),
        ("budgetId", "budgetId"),
        ("cardId", "cardId"),
        ("currencyCode", "currencyCode"),
    ] {
        for value in values(member) {
            let expected: Vec<_> = all.iter().filter(|row| row[member] == value.as_str()).cloned().collect();
            assert!(!expected.is_empty());
            assert_eq!(rows(&client, &format!("{parameter}={value}")), expected, "{parameter}={value}");
        }
    }
    let at = text(&all[0], "/createdAt").to_owned();
    let expected = |keep: &dyn Fn(&str) -> bool| -> Vec<_> {
        all.iter().filter(|row| keep(text(row, "/createdAt"))).cloned().collect()
    };
    assert_eq!(rows(&client, &format!("from={at}")), expected(&|time| time >= &*at));
    assert_eq!(rows(&client, &format!("to={at}")), expected(&|time| time <= &*at));
    assert_eq!(rows(&client, "to=2001-01-01T00:00:00Z"), Vec::<Value>::new());
    let both = format!("cardId={}&status=DECLINED&type=authorization", wallet.card.id);
    assert_eq!(rows(&client, &both).len(), 1);
    assert_eq!(rows(&client, "status=DECLINED&type=credit"), Vec::<Value>::new());
    assert_eq!(rows(&client, &format!("cardId={ABSENT}")), Vec::<Value>::new());
}

#[test]
fn pages_do_not_overlap() {
    let (server, client) = alone();
    wallet_with_activity(&server);
    let all = rows(&client, "");
    for limit in [1, 4, 7] {
        let mut seen = Vec::new();
        for offset in (0..all.len()).step_by(limit) {
            let page = page(&client, &format!("limit={limit}&offset={offset}"));
            assert_eq!(
                (&page["count"], &page["limit"], &page["offset"]),
                (&all.len().into(), &limit.into(), &offset.into())
            );
            seen.extend(page["rows"].as_array().unwrap().clone());
        }
        assert_eq!(seen, all);
    }
    let past = page(&client, &format!("offset={}", i64::MAX));
    assert_eq!((past["count"].as_u64(), past["rows"].as_array().map(Vec::len)), (Some(all.len() as u64), Some(0)));
}

#[test]
fn invalid_parameters_are_reported() {
    let client = shared().client();
    let mut table = Table::default();
    for (query, place, code) in [
        ("type=CREDIT", "query.type", "invalid_value"),
        ("type=", "query.type", "required"),
        ("status=pending", "query.status", "invalid_value"),
        ("status=validated", "query.status", "invalid_value"),
        ("budgetId=1", "query.budgetId", "invalid_format"),
        ("cardId=x", "query.cardId", "invalid_format"),
        ("currencyCode=gbp", "query.currencyCode", "invalid_format"),
        ("currencyCode=XXX", "query.currencyCode", "invalid_value"),
        ("from=yesterday", "query.from", "invalid_format"),
        ("to=2026-09-01", "query.to", "invalid_format"),
        ("limit=0", "query.limit", "out_of_range"),
        ("limit=1001", "query.limit", "out_of_range"),
        ("offset=-1", "query.offset", "out_of_range"),
        ("type=credit&type=credit", "query.type", "duplicate_parameter"),
    ] {
        let answer = client.get(&target(&client, &format!("?{query}")));
        truthful("get", LIST, &answer);
        table.check(&bad(query, place, code), &answer);
    }
    let answer = client.get(&target(&client, "/x?"));
    table.check(&bad("an id", "path.activityId", "invalid_format"), &answer);
    let long = client.with_account(&"F".repeat(37));
    table.check(&bad("a long account", "path.accountId", "too_long"), &long.get(&target(&long, "?")));
    table.done(16);
}

#[test]
fn movements_of_other_accounts_are_absent() {
    let (server, client) = alone();
    let (_, tokens) = wallet_with_activity(&server);
    let other = server.other();
    for id in [&tokens[0], &ABSENT.to_owned()] {
        let answer = other.get(&target(&other, &format!("/{id}?")));
        truthful("get", ONE, &answer);
        expect_fault(&answer, 404, "path.activityId", "not_found");
    }
    assert!(rows(&other, "").iter().all(|row| row["cardId"] != rows(&client, "")[0]["cardId"]));
    for account in [&client.account, "F00000"] {
        let stranger = other.with_account(account);
        for rest in ["?", &format!("/{}?", tokens[0])] {
            expect_fault(&stranger.get(&target(&stranger, rest)), 404, "path.accountId", "not_found");
        }
    }
    expect_fault(&shared().limited().get(&target(&client, "?")), 403, "header.Authorization", "insufficient_scope");
    let nobody = client.with_authorization(None);
    expect_fault(&nobody.get(&target(&client, "?")), 401, "header.Authorization", "missing_credentials");
    expect_fault(&client.post(&target(&client, "?"), "{}"), 405, "", "method_not_allowed");
    assert_eq!(demo().account, client.account);
}
