//! `GET /v2/activity/{accountId}`: rows, order, filters, pages, and single rows.

use std::collections::BTreeSet;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::openapi::assert_documented;
use crate::support::assert::{members, text, time, uuid};
use crate::support::management::{budget, format_number, funded, transfer};
use crate::support::payments::{confirmed, filled, fresh_sandbox, pounds};
use crate::support::server::MAX_WAIT;
use crate::support::table::{Table, bad};
use crate::support::{
    ABSENT, ATM, AUTHORIZATION, Answer, CLEARING, Client, REFUND, REFUND_CLEARING, REVERSAL, Server, Wallet, demo,
    expect_fault, expect_json, shared,
};

const LIST: &str = "/v2/activity/{accountId}";
const SINGLE: &str = "/v2/activity/{type}/{id}";

fn target(client: &Client, rest: &str) -> String {
    format!("/v2/activity/{}{rest}", client.account)
}

/// Returns a page, and checks it against the OpenAPI description.
fn page(client: &Client, query: &str) -> Value {
    let answer = client.get(&target(client, &format!("?{query}")));
    assert_documented("get", LIST, &answer);
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

fn get(client: &Client, kind: &str, id: &str) -> Answer {
    let answer = client.get(&format!("/v2/activity/{kind}/{id}?accountId={}&include=messages", client.account));
    assert_documented("get", SINGLE, &answer);
    answer
}

fn find_row(client: &Client, kind: &str, id: &str) -> Value {
    expect_json(&get(client, kind, id), 200)
}

/// Creates a wallet with 500.00 and several chains. Also returns the tokens of the first messages.
fn wallet_with_activity(server: &Server) -> (Wallet, Vec<String>) {
    let wallet = Wallet::with(server, "GBP", 50_000);
    let bought = wallet.token(AUTHORIZATION, "10");
    wallet.follow_ok(CLEARING, &bought, "8");
    let reversed = wallet.token(AUTHORIZATION, "20");
    wallet.follow_ok(REVERSAL, &reversed, "20");
    let held = wallet.token(ATM, "30");
    let refunded = wallet.token(REFUND, "5");
    wallet.follow_ok(REFUND_CLEARING, &refunded, "5");
    let declined = wallet.first(AUTHORIZATION, "9999");
    let checked = wallet.first(AUTHORIZATION, "0");
    let last = [declined, checked].map(|first| text(&first, "/token").to_owned());
    (wallet, [bought, reversed, held, refunded].into_iter().chain(last).collect())
}

#[test]
fn every_chain_is_one_row() {
    let (server, client) = fresh_sandbox();
    let (wallet, tokens) = wallet_with_activity(&server);
    let all = rows(&client, "");
    let expected = [
        ("card", "complete", "8.00", "-8.00"),
        ("card", "reverted", "0.00", "0.00"),
        ("atm", "pending", "30.00", "-30.00"),
        ("cardRefund", "refunded", "5.00", "5.00"),
        ("card", "declined", "9999.00", "0.00"),
        ("cardCheck", "cardCheck", "0.00", "0.00"),
    ];
    for (token, (kind, status, amount, impacted)) in tokens.iter().zip(expected) {
        let row: Vec<_> = all.iter().filter(|row| row["id"] == **token).collect();
        assert_eq!(row.len(), 1, "{token}");
        let seen = (text(row[0], "/type"), text(row[0], "/status"));
        let amounts =
            ["amount", "impactedAmount"].map(|name| format_number(&row[0][name], "GBP").replace("-0.00", "0.00"));
        assert_eq!((seen, amounts), ((kind, status), [amount, impacted].map(str::to_owned)), "{}", row[0]);
    }
    let held = all.iter().find(|row| row["id"] == tokens[2].as_str()).unwrap();
    assert_eq!(
        (text(held, "/transactionCard/cardId"), text(held, "/budgetId")),
        (&*wallet.card.id, &*wallet.card.budget)
    );
    assert_eq!((text(held, "/counterparty"), &held["messages"]), ("Sandbox Merchant", &Value::Null));
    for row in &all {
        uuid(&row["id"]);
        assert!(time(&row["createdAt"]) <= time(&row["updatedAt"]), "{row}");
    }
    let times: Vec<_> = all.iter().map(|row| time(&row["createdAt"])).collect();
    assert!(times.is_sorted_by(|newer, older| newer >= older), "the newest row is not first");
    let answer = client.get(&target(&client, "?limit=1000"));
    assert!(answer.text().contains(r#""amount":8.00,"#), "amounts have the digits of their currency");
}

#[test]
fn messages_are_included_on_request() {
    let (server, client) = fresh_sandbox();
    let (_, tokens) = wallet_with_activity(&server);
    let listed = rows(&client, "include=messages").into_iter().find(|row| row["id"] == tokens[0].as_str()).unwrap();
    for row in [find_row(&client, "transaction", &tokens[0]), listed] {
        let messages = row["messages"].as_array().unwrap();
        let kinds: Vec<_> = messages.iter().map(|message| text(message, "/type")).collect();
        assert_eq!(kinds, ["authorization", "authorization.clearing"]);
        let clearing = text(&messages[1], "/token");
        assert_eq!(find_row(&client, "transaction", clearing)["id"], tokens[0].as_str(), "any token finds the chain");
    }
    let credits = rows(&client, "include=messages&type=deposit");
    assert!(credits.iter().all(|row| row["messages"].is_null()), "only chains have messages");
}

#[test]
fn a_credit_is_returned_in_full() {
    let (server, client) = fresh_sandbox();
    let (wallet, _) = wallet_with_activity(&server);
    let number = wallet.credit("12.34")["boxTransactionId"].clone();
    let credits = rows(&client, "type=deposit");
    let credit = credits.iter().find(|row| row["amount"] == 12.34).unwrap();
    assert_eq!((text(credit, "/status"), text(credit, "/counterparty")), ("complete", "Ada Remitter"));
    let movement = find_row(&client, "boxTransaction", text(credit, "/id"));
    assert_eq!(
        (&movement["credit"]["boxTransactionId"], text(&movement, "/credit/schemeName")),
        (&number, "FasterPayment")
    );
    assert_eq!(
        (&movement["createdAt"], &movement["transactionBox"]["boxTransactionId"]),
        (&credit["createdAt"], &number)
    );
    // The initial funds of the demo account exist only in the journal.
    let movement = find_row(&client, "boxTransaction", text(credits.last().unwrap(), "/id"));
    assert!(movement["credit"].is_null() && movement["transactionBox"]["boxTransactionId"].is_null(), "{movement}");
}

#[test]
fn payments_appear_when_their_batch_is_confirmed() {
    let (server, client) = fresh_sandbox();
    Wallet::with(&server, "GBP", 100_000);
    let batch = filled(&client, &[pounds("10", "Wages"), pounds("20", "SBX-FAIL-NAME")]);
    // The demo data has payments, too.
    let of_batch = || {
        let all = rows(&client, "type=batchPayment").into_iter();
        all.filter(|row| row["paymentBatchId"] == batch).collect::<Vec<_>>()
    };
    assert_eq!(of_batch(), Vec::<Value>::new());
    confirmed(&client, &batch);
    let start = Instant::now();
    while !["complete", "reverted"].iter().all(|status| of_batch().iter().any(|row| row["status"] == *status)) {
        assert!(start.elapsed() < MAX_WAIT, "{:?}", of_batch());
        thread::sleep(Duration::from_millis(50));
    }
    let payments = of_batch();
    assert_eq!(payments.len(), 2);
    let paid = payments.iter().find(|row| row["status"] == "complete").unwrap();
    assert_eq!((&paid["amount"], &paid["impactedAmount"]), (&json!(10.0), &json!(-10.0)));
    assert_eq!((text(paid, "/paymentStatus"), text(paid, "/counterparty")), ("completed", "Ada Lovelace"));
    let record = expect_json(&client.get(&format!("/v2/payment-batches/{batch}")), 200);
    assert_eq!(paid["createdAt"], record["confirmedAt"], "{record}");
    let failed = payments.iter().find(|row| row["status"] == "reverted").unwrap();
    assert_eq!((&failed["amount"], &failed["impactedAmount"]), (&json!(20.0), &json!(0.0)));
    let movement = find_row(&client, "payment", text(failed, "/id"));
    assert_eq!(text(&movement, "/payment/failureReason"), "name_mismatch");
    assert_eq!(movement["payment"]["id"], movement["id"]);
}

#[test]
fn a_transfer_has_a_row_in_each_budget() {
    let (_server, client) = fresh_sandbox();
    let (from, to) = (funded(&client, "Giver", "50.00"), budget(&client, "Receiver"));
    let sent = expect_json(&transfer(&client, &from, &to, "20.00"), 200);
    for (budget, kind, impacted, number) in
        [(&from, "unload", -20.0, "debitBoxTransactionId"), (&to, "load", 20.0, "creditBoxTransactionId")]
    {
        let found = rows(&client, &format!("type=load,unload&budgetId={budget}"));
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!((text(&found[0], "/type"), text(&found[0], "/status")), (kind, "complete"));
        assert_eq!((text(&found[0], "/budgetId"), &found[0]["impactedAmount"]), (&**budget, &json!(impacted)));
        assert_eq!(found[0]["transactionBox"]["boxTransactionId"], sent[number]);
        assert_eq!(found[0]["transactionGroupId"], sent["transfer"]["id"]);
        assert_eq!(find_row(&client, "boxTransaction", &sent[number].to_string())["id"], found[0]["id"]);
    }
    assert_eq!(rows(&client, &format!("budgetId={from}")).len(), 2, "the transfer and the credit");
    assert_eq!(rows(&client, &format!("budgetId={from},{to}")).len(), 3, "the rows of both budgets");
}

#[test]
fn filters_select_matching_rows() {
    let (server, client) = fresh_sandbox();
    let (wallet, _) = wallet_with_activity(&server);
    let all = rows(&client, "");
    let values = |pointer: &str| -> BTreeSet<String> {
        all.iter().filter_map(|row| row.pointer(pointer)?.as_str()).map(str::to_owned).collect()
    };
    for (parameter, pointer) in [
        ("type", "/type"),
        ("status[]", "/status"),
        ("budgetId", "/budgetId"),
        ("cardId", "/transactionCard/cardId"),
        ("currencyCode", "/currencyCode"),
    ] {
        for value in values(pointer) {
            let matches = |row: &&Value| row.pointer(pointer).is_some_and(|found| *found == value.as_str());
            let expected: Vec<_> = all.iter().filter(matches).cloned().collect();
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
    let both = format!("cardId={}&status=declined&type=card", wallet.card.id);
    assert_eq!(rows(&client, &both).len(), 1);
    assert_eq!(rows(&client, "status=declined&type=deposit"), Vec::<Value>::new());
    for absent in ["cardId", "budgetId", "personId"] {
        assert_eq!(rows(&client, &format!("{absent}={ABSENT}")), Vec::<Value>::new(), "{absent}");
    }
    let named = |text: &str| rows(&client, &format!("search={text}"));
    assert_eq!(
        named("sandbox%20MERCHANT").len(),
        all.iter().filter(|row| row["counterparty"] == "Sandbox Merchant").count()
    );
    assert_eq!(named("%25"), Vec::<Value>::new(), "% is a text, not a pattern");
}

#[test]
fn pages_do_not_overlap() {
    let (server, client) = fresh_sandbox();
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
        ("type=credit", "query.type", "invalid_value"),
        ("type=", "query.type", "required"),
        ("type[]=card,", "query.type", "invalid_value"),
        ("excludeType=CARD", "query.excludeType", "invalid_value"),
        ("status=PENDING", "query.status", "invalid_value"),
        ("status[]=pending&status[]=x", "query.status", "invalid_value"),
        ("budgetId=1", "query.budgetId", "invalid_format"),
        ("personId=1", "query.personId", "invalid_format"),
        ("cardId=x", "query.cardId", "invalid_format"),
        ("currencyCode=gbp", "query.currencyCode", "invalid_format"),
        ("currencyCode=XXX", "query.currencyCode", "invalid_value"),
        ("from=yesterday", "query.from", "invalid_format"),
        ("to=2026-09-01", "query.to", "invalid_format"),
        ("search=", "query.search", "required"),
        ("include=everything", "query.include", "invalid_value"),
        ("limit=0", "query.limit", "out_of_range"),
        ("limit=1001", "query.limit", "out_of_range"),
        ("offset=-1", "query.offset", "out_of_range"),
        ("cardId=x&cardId=x", "query.cardId", "duplicate_parameter"),
    ] {
        let answer = client.get(&target(&client, &format!("?{query}")));
        assert_documented("get", LIST, &answer);
        table.check(&bad(query, place, code), &answer);
    }
    table.check(&bad("a type", "path.type", "invalid_value"), &get(&client, "card", ABSENT));
    table.check(&bad("an id", "path.id", "invalid_format"), &get(&client, "transaction", "x"));
    table.check(&bad("a number", "path.id", "out_of_range"), &get(&client, "boxTransaction", "9223372036854775808"));
    let long = client.with_account(&"F".repeat(37));
    table.check(&bad("a long account", "path.accountId", "too_long"), &long.get(&target(&long, "?")));
    table.assert_passed(23);
}

#[test]
fn rows_of_other_accounts_are_absent() {
    let (server, client) = fresh_sandbox();
    let (_, tokens) = wallet_with_activity(&server);
    let other = server.other();
    for id in [&tokens[0], &ABSENT.to_owned()] {
        expect_fault(&get(&other, "transaction", id), 404, "path.id", "not_found");
    }
    assert!(rows(&other, "").iter().all(|row| row["id"] != tokens[0].as_str()));
    for account in [&client.account, "F00000"] {
        let stranger = other.with_account(account);
        expect_fault(&stranger.get(&target(&stranger, "?")), 404, "path.accountId", "not_found");
        expect_fault(&get(&stranger, "transaction", &tokens[0]), 404, "query.accountId", "not_found");
    }
    expect_fault(&shared().limited().get(&target(&client, "?")), 403, "header.Authorization", "insufficient_scope");
    let anonymous = client.with_authorization(None);
    expect_fault(&anonymous.get(&target(&client, "?")), 401, "header.Authorization", "missing_credentials");
    expect_fault(&client.post(&target(&client, "?"), "{}"), 405, "", "method_not_allowed");
    assert_eq!(demo().account, client.account);
}
