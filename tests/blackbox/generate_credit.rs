//! `POST /v2/budgets/generate-credit`: simulated credits, exact to the last digit.

use serde_json::{Value, json};

use crate::support::assert::{members, text};
use crate::support::money::parse_amount;
use crate::support::table::{Table, bad};
use crate::support::wallet::{Balance, credit_body};
use crate::support::{
    ABSENT, AUTHORIZATION, CREDIT, Server, Wallet, demo, expect_fault, expect_faults, expect_json, shared,
};

/// Returns a body with the required members, one of them replaced by JSON text, or removed if there is none.
fn body_with(member: &str, text: Option<&str>) -> String {
    let body = credit_body(&demo().budget("GBP"), "10.00", "GBP");
    let mut body: serde_json::Map<String, Value> = serde_json::from_str(&body).unwrap();
    body.remove(member);
    let mut members: Vec<_> = body.iter().map(|(name, value)| format!("{}: {value}", json!(name))).collect();
    members.extend(text.map(|text| format!("{}: {text}", json!(member))));
    format!("{{{}}}", members.join(", "))
}

#[test]
fn a_credit_raises_both_balances() {
    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "GBP", 0);
    let first = wallet.credit("200.00");
    assert_eq!(members(&first), ["balance", "boxTransactionId"]);
    assert_eq!(members(&first["balance"]), ["availableBalance", "runningBalance"]);
    let number = first["boxTransactionId"].as_i64().unwrap();
    assert!(number > 0);
    assert_eq!(text(&first, "/balance/runningBalance"), wallet.format_ledger(20_000));
    assert_eq!(text(&first, "/balance/availableBalance"), "200.00");

    wallet.token(AUTHORIZATION, "50");
    let second = wallet.credit("0.01");
    assert_ne!(second["boxTransactionId"], first["boxTransactionId"]);
    assert!(second["boxTransactionId"].is_i64() || second["boxTransactionId"].is_u64());
    assert_eq!(text(&second, "/balance/runningBalance"), wallet.format_ledger(20_001));
    assert_eq!(text(&second, "/balance/availableBalance"), "150.01");
    let expected = Balance { ledger: 20_001 + wallet.reserved, available: 15_001 };
    assert_eq!(wallet.balance(), expected);
}

#[test]
fn yen_have_no_decimals() {
    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "JPY", 500);
    let credit = wallet.credit("12");
    assert_eq!(text(&credit, "/balance/runningBalance"), wallet.format_ledger(512));
    assert_eq!(text(&credit, "/balance/availableBalance"), "512");
    assert_eq!(wallet.credit("3.0")["balance"]["availableBalance"], "515");
    let finer = wallet.client.post(CREDIT, credit_body(&wallet.card.budget, "1.5", "JPY"));
    expect_fault(&finer, 400, "body.settlementPriceAmount", "too_many_decimals");
    assert_eq!(wallet.balance().available, 515);
}

#[test]
fn amounts_are_read_exactly() {
    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "GBP", 0);
    let mut sum = 0;
    for (written, value) in [
        ("0.01", 1),
        ("0.1", 10),
        ("0.10", 10),
        ("7", 700),
        ("010.00", 1_000),
        ("000000000000010", 1_000),
        ("10.0000", 1_000),
        ("0.29", 29),
        ("1.15", 115),
        ("1000000000", 100_000_000_000),
        ("999999999.99", 99_999_999_999),
    ] {
        sum += value;
        let credit = wallet.credit(written);
        let available = parse_amount(text(&credit, "/balance/availableBalance"), "GBP");
        assert_eq!(available, sum, "after {written}");
    }
}

#[test]
fn optional_members_are_accepted_and_may_be_null() {
    let client = shared().client();
    let optional = [
        "reference",
        "bankIdentifier",
        "accountIdentifier",
        "orderId",
        "thirdPartyReference",
        "institutionName",
        "institutionAddress",
    ];
    for member in optional {
        for value in ["null", "\"\"", "\"x\"", &format!("\"{}\"", "é".repeat(140))] {
            expect_json(&client.post(CREDIT, body_with(member, Some(value))), 200);
        }
        let long = format!("\"{}\"", "é".repeat(141));
        let path = format!("body.{member}");
        expect_fault(&client.post(CREDIT, body_with(member, Some(&long))), 400, &path, "too_long");
        expect_fault(&client.post(CREDIT, body_with(member, Some("7"))), 400, &path, "invalid_type");
    }
}

#[test]
fn every_scheme_is_accepted() {
    for scheme in ["FasterPayment", "BACS", "CHAPS", "Swift", "SEPA"] {
        let body = body_with("schemeName", Some(&format!("\"{scheme}\"")));
        expect_json(&shared().client().post(CREDIT, body), 200);
    }
}

#[test]
fn all_missing_members_are_reported_at_once() {
    let expected = [
        ("body.budgetId", "required"),
        ("body.settlementPriceAmount", "required"),
        ("body.settlementPriceCurrency", "required"),
        ("body.remittersName", "required"),
        ("body.remittersAddress", "required"),
        ("body.beneficiaryName", "required"),
        ("body.schemeName", "required"),
    ];
    expect_faults(&shared().client().post(CREDIT, "{}"), 400, &expected);
    let nulls: Vec<_> = expected.iter().map(|(path, _)| format!("\"{}\": null", &path[5..])).collect();
    let nulls = format!("{{{}}}", nulls.join(","));
    expect_faults(&shared().client().post(CREDIT, nulls), 400, &expected);
}

#[test]
fn bad_amounts_are_refused() {
    let mut table = Table::default();
    for (text, code) in [
        ("10.00", "invalid_type"),
        ("true", "invalid_type"),
        ("[\"1\"]", "invalid_type"),
        ("\"\"", "invalid_format"),
        ("\"abc\"", "invalid_format"),
        ("\"1e1\"", "invalid_format"),
        ("\"+1\"", "invalid_format"),
        ("\" 1\"", "invalid_format"),
        ("\"1 \"", "invalid_format"),
        ("\"1.\"", "invalid_format"),
        ("\".5\"", "invalid_format"),
        ("\"1,000\"", "invalid_format"),
        ("\"1_000\"", "invalid_format"),
        ("\"0x10\"", "invalid_format"),
        ("\"1.2.3\"", "invalid_format"),
        ("\"10.00000\"", "invalid_format"),
        ("\"1234567890123456\"", "invalid_format"),
        ("\"\\u0661\"", "invalid_format"),
        ("\"\\uff11\"", "invalid_format"),
        ("\"1\\u0000\"", "invalid_format"),
        ("\"NaN\"", "invalid_format"),
        ("\"-1\"", "*"),
        ("\"-0\"", "*"),
        ("\"0\"", "out_of_range"),
        ("\"0.00\"", "out_of_range"),
        ("\"1000000000.01\"", "out_of_range"),
        ("\"999999999999999\"", "out_of_range"),
        ("\"10.001\"", "too_many_decimals"),
        ("\"0.0001\"", "too_many_decimals"),
    ] {
        let answer = shared().client().post(CREDIT, body_with("settlementPriceAmount", Some(text)));
        table.check(&bad(text, "body.settlementPriceAmount", code), &answer);
    }
    table.assert_passed(29);
}

#[test]
fn other_bad_members_are_refused() {
    let mut table = Table::default();
    let long = format!("\"{}\"", "x".repeat(141));
    for (member, text, code) in [
        ("budgetId", "\"x\"", "invalid_format"),
        ("budgetId", "7", "invalid_type"),
        ("budgetId", "\"\"", "invalid_format"),
        ("settlementPriceCurrency", "\"USD\"", "invalid_value"),
        ("settlementPriceCurrency", "\"EUR\"", "invalid_value"),
        ("settlementPriceCurrency", "\"gbp\"", "*"),
        ("settlementPriceCurrency", "\"\"", "*"),
        ("settlementPriceCurrency", "\"POUNDS\"", "*"),
        ("settlementPriceCurrency", "826", "invalid_type"),
        ("remittersName", "\"\"", "invalid_format"),
        ("remittersName", &long, "too_long"),
        ("remittersAddress", "\"\"", "invalid_format"),
        ("remittersAddress", &long, "too_long"),
        ("beneficiaryName", "\"\"", "invalid_format"),
        ("beneficiaryName", &long, "too_long"),
        ("beneficiaryName", "{}", "invalid_type"),
        ("beneficiaryName", "\"\\ud800\"", "invalid_format"),
        ("beneficiaryName", "\"a\\u0000b\"", "invalid_format"),
        ("schemeName", "\"fasterpayment\"", "invalid_value"),
        ("schemeName", "\"FASTERPAYMENT\"", "invalid_value"),
        ("schemeName", "1", "invalid_type"),
        ("remitterName", "\"Ada\"", "unknown_field"),
    ] {
        let answer = shared().client().post(CREDIT, body_with(member, Some(text)));
        table.check(&bad(format!("{member} {text}"), &format!("body.{member}"), code), &answer);
    }
    table.assert_passed(22);
}

#[test]
fn absent_and_foreign_budgets_get_the_same_answer() {
    let client = shared().client();
    let absent = client.post(CREDIT, credit_body(ABSENT, "1", "GBP"));
    expect_fault(&absent, 404, "body.budgetId", "not_found");
    let budget = demo().budget("GBP");
    let foreign = shared().other().post(CREDIT, credit_body(&budget, "1", "GBP"));
    expect_fault(&foreign, 404, "body.budgetId", "not_found");
    assert_eq!(absent.text().replace(ABSENT, ""), foreign.text().replace(&budget, ""));
}

#[test]
fn credits_require_a_scope() {
    let body = credit_body(&demo().budget("GBP"), "1", "GBP");
    let answer = shared().limited().post(CREDIT, body);
    let fault = expect_fault(&answer, 403, "header.Authorization", "insufficient_scope");
    assert!(fault.message.contains("budgets:simulate:any"), "{}", fault.message);
}
