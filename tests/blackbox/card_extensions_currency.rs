//! Merchants in another currency: `currencyCode` on first messages.

use serde_json::{Value, json};

use crate::openapi::assert_documented;
use crate::support::assert::text;
use crate::support::load::check_journal;
use crate::support::wallet::{Balance, transaction};
use crate::support::{
    ADVICE, ATM, AUTHORIZATION, Answer, CHAIN, CLEARING, INCREMENT, REFUND, REFUND_CLEARING, REVERSAL, Server, Wallet,
    chain_path, expect_fault, expect_json,
};

fn send(wallet: &Wallet, path: &str, amount: &str, currency: &str) -> Answer {
    let body = wallet.first_body(amount).replacen('{', &format!(r#"{{"currencyCode": "{currency}", "#), 1);
    wallet.client.post(path, body)
}

/// Clears a part of a hold, which stays open.
fn clear_part(wallet: &Wallet, token: &str, amount: &str) -> Value {
    let body =
        format!(r#"{{"precedingRelatedTransactionToken": "{token}", "amount": {amount}, "finalClearing": false}}"#);
    transaction(&wallet.client.post(CLEARING, body))
}

/// Returns amount, original amount and impacted amount of a record.
fn amounts(record: &Value) -> (&str, &str, &str) {
    let original = text(record, "/currencyConversion/originalAmount");
    (text(record, "/amount"), original, text(record, "/gpa/impactedAmount"))
}

#[test]
fn the_record_shows_amount_rate_and_currency() {
    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "GBP", 25_000);
    for (currency, amount, original, rate, code, converted) in [
        ("USD", "10", "10.00", "0.787037037", "840", "7.87"),
        ("EUR", "10", "10.00", "0.85", "978", "8.50"),
        ("JPY", "1000", "1000", "0.005208333333", "392", "5.21"),
        ("BHD", "1.234", "1.234", "2.088452088", "048", "2.58"),
    ] {
        let answer = send(&wallet, AUTHORIZATION, amount, currency);
        assert_documented("post", AUTHORIZATION, &answer);
        // The answer contains all digits of the rate, as they were sent.
        assert!(answer.text().contains(&format!(r#""conversionRate":{rate},"#)), "{answer:?}");
        let record = transaction(&answer);
        let conversion = &record["currencyConversion"];
        assert_eq!((text(conversion, "/originalAmount"), text(conversion, "/originalCurrencyCode")), (original, code));
        assert_eq!((text(&record, "/amount"), text(&record, "/requestAmount")), (converted, converted));
        assert_eq!(record["currencyCode"], "GBP");
        assert_eq!(text(&record, "/gpa/impactedAmount"), format!("-{converted}"));
    }
    let own = transaction(&send(&wallet, AUTHORIZATION, "1", "GBP"));
    assert_eq!(own["currencyConversion"]["conversionRate"].to_string(), "1");
}

#[test]
fn partial_clearings_add_up_to_the_converted_total() {
    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "GBP", 25_000);
    let held = transaction(&send(&wallet, AUTHORIZATION, "10", "USD"));
    let token = text(&held, "/token").to_owned();
    let parts: Vec<_> = ["3.33", "3.33", "3.34"].iter().map(|amount| clear_part(&wallet, &token, amount)).collect();
    let posted: Vec<_> = parts.iter().map(amounts).collect();
    assert_eq!(posted, [("2.62", "3.33", "-2.62"), ("2.62", "3.33", "-2.62"), ("2.63", "3.34", "-2.63")]);
    assert_eq!(wallet.balance(), Balance { ledger: 24_213 + wallet.reserved, available: 24_213 });
    let answer = wallet.client.get(&chain_path(&token));
    assert_documented("get", CHAIN, &answer);
    let chain = expect_json(&answer, 200);
    let merchant =
        json!({"currencyCode": "USD", "heldAmount": "0.00", "clearedAmount": "10.00", "conversionRate": 0.787_037_037});
    assert_eq!(chain["hold"]["merchant"], merchant);
    assert_eq!((&chain["hold"]["heldAmount"], &chain["hold"]["endedBy"]), (&json!("0.00"), &json!("cleared")));
    check_journal(server.workspace());
}

#[test]
fn follow_ups_use_the_merchants_currency_and_the_first_rate() {
    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "GBP", 25_000);
    let token = text(&transaction(&send(&wallet, AUTHORIZATION, "10", "USD")), "/token").to_owned();
    assert_eq!(amounts(&wallet.follow_ok(ADVICE, &token, "8")), ("6.30", "8.00", "-6.30"));
    assert_eq!(amounts(&wallet.follow_ok(INCREMENT, &token, "2")), ("1.57", "2.00", "-1.57"));
    assert_eq!(amounts(&wallet.follow_ok(REVERSAL, &token, "4")), ("3.15", "4.00", "3.15"));
    let fault = expect_fault(&wallet.follow(REVERSAL, &token, "6.01"), 409, "body.amount", "amount_exceeds_hold");
    assert!(fault.message.contains("6.00 USD"), "{fault:?}");
    // A tip: the clearing is accepted in full.
    assert_eq!(amounts(&wallet.follow_ok(CLEARING, &token, "7")), ("5.51", "7.00", "-5.51"));
    assert_eq!(wallet.balance().available, 25_000 - 551);
    let refund = text(&transaction(&send(&wallet, REFUND, "10", "USD")), "/token").to_owned();
    let path = REFUND_CLEARING;
    expect_fault(&wallet.follow(path, &refund, "10.01"), 409, "body.amount", "amount_exceeds_authorization");
    assert_eq!(amounts(&wallet.follow_ok(path, &refund, "10")), ("7.87", "10.00", "7.87"));
    let yen = text(&transaction(&send(&wallet, ATM, "1000", "JPY")), "/token").to_owned();
    expect_fault(&wallet.follow(REVERSAL, &yen, "1.5"), 400, "body.amount", "too_many_decimals");
    check_journal(server.workspace());
}

#[test]
fn a_card_of_another_currency_has_its_own_rate() {
    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "JPY", 10_000);
    let record = transaction(&send(&wallet, AUTHORIZATION, "10.25", "USD"));
    assert_eq!(amounts(&record), ("1549", "10.25", "-1549"));
}

#[test]
fn invalid_amounts_and_currencies_are_refused() {
    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "GBP", 25_000);
    let authorize_in = |currency: &str, amount: &str| send(&wallet, AUTHORIZATION, amount, currency);
    expect_fault(&authorize_in("USD", "1.001"), 400, "body.amount", "too_many_decimals");
    expect_fault(&authorize_in("JPY", "0.5"), 400, "body.amount", "too_many_decimals");
    expect_fault(&authorize_in("ISK", "1000"), 400, "body.currencyCode", "invalid_value");
    expect_fault(&authorize_in("XAU", "1"), 400, "body.currencyCode", "invalid_value");
    expect_fault(&authorize_in("HRK", "1"), 400, "body.currencyCode", "invalid_value");
    expect_fault(&authorize_in("dollar", "1"), 400, "body.currencyCode", "invalid_format");
    let body = wallet.first_body("1").replacen('{', r#"{"currencyCode": 840, "#, 1);
    expect_fault(&wallet.client.post(AUTHORIZATION, body), 400, "body.currencyCode", "invalid_type");
    let check = transaction(&authorize_in("USD", "0"));
    assert_eq!(text(&check, "/response/code"), "1830");
    let short = transaction(&authorize_in("USD", "317.66"));
    assert_eq!((text(&short, "/response/code"), amounts(&short)), ("1016", ("250.01", "317.66", "0.00")));
    // One yen is slightly more than half a penny.
    let yen_wallet = Wallet::with(&server, "GBP", 25_000);
    assert_eq!(amounts(&transaction(&send(&yen_wallet, AUTHORIZATION, "1", "JPY"))), ("0.01", "1", "-0.01"));
    assert_eq!(yen_wallet.balance().available, 24_999);
}

#[test]
fn a_partial_approval_in_another_currency_never_exceeds_the_balance() {
    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "GBP", 700);
    let body = wallet.first_body("10").replacen('{', r#"{"currencyCode": "USD", "partialApproval": true, "#, 1);
    let record = transaction(&wallet.client.post(AUTHORIZATION, body));
    assert_eq!((text(&record, "/response/code"), text(&record, "/requestAmount")), ("0002", "7.87"));
    assert_eq!(amounts(&record), ("7.00", "8.90", "-7.00"));
    let token = text(&record, "/token");
    assert_eq!(text(&wallet.follow_ok(CLEARING, token, "8.90"), "/gpa/availableBalance"), "0.00");
}
