//! Amounts as JSON numbers: read from their literal text, exactly, or refused.

use crate::support::assert::text;
use crate::support::table::{Table, bad};
use crate::support::wallet::{first_body, follow_body, transaction};
use crate::support::{ADVICE, AUTHORIZATION, CLEARING, REFUND, REVERSAL, Server, Wallet, demo, shared};

fn post(currency: &str, amount: &str) -> crate::support::Answer {
    shared().client().post(AUTHORIZATION, first_body(&demo().active_card(currency).id, amount))
}

#[test]
fn numbers_of_the_same_value_are_the_same_amount() {
    let zeros = format!("10.{}", "0".repeat(40));
    let trailing = format!("0.1{}", "0".repeat(40));
    let mut table = Table::default();
    for (literal, shown) in [
        ("10", "10.00"),
        ("10.0", "10.00"),
        ("10.00", "10.00"),
        ("10.000", "10.00"),
        (zeros.as_str(), "10.00"),
        (&trailing, "0.10"),
        ("1e1", "10.00"),
        ("1E1", "10.00"),
        ("1e+1", "10.00"),
        ("1e01", "10.00"),
        ("0.1e2", "10.00"),
        ("100e-1", "10.00"),
        ("1000e-2", "10.00"),
        ("1234e-2", "12.34"),
        ("0.001e1", "0.01"),
        ("1.2e0", "1.20"),
        ("0.01", "0.01"),
        ("0.29", "0.29"),
        ("0.57", "0.57"),
        ("1.15", "1.15"),
        ("4.35", "4.35"),
        ("8.41", "8.41"),
        ("19.99", "19.99"),
        ("1.005e3", "1005.00"),
        ("64.10", "64.10"),
        ("999999999.99", "999999999.99"),
        ("1000000000", "1000000000.00"),
        ("1000000000.00", "1000000000.00"),
        ("1e9", "1000000000.00"),
        ("10e8", "1000000000.00"),
        ("0.1e10", "1000000000.00"),
    ] {
        let answer = post("GBP", literal);
        table.check_status(literal, 201, &answer);
        if answer.status == 201 {
            let transaction = transaction(&answer);
            for place in ["/amount", "/requestAmount", "/currencyConversion/originalAmount"] {
                table.check_text(&format!("{literal} {place}"), text(&transaction, place), shown);
            }
        }
    }
    table.assert_passed(31 * 4);
}

#[test]
fn yen_have_no_decimals() {
    let mut table = Table::default();
    for (literal, shown) in
        [("10", "10"), ("10.0", "10"), ("10.000", "10"), ("1e1", "10"), ("1000000000", "1000000000")]
    {
        let answer = post("JPY", literal);
        table.check_status(literal, 201, &answer);
        if answer.status == 201 {
            table.check_text(literal, text(&transaction(&answer), "/amount"), shown);
        }
    }
    for literal in ["10.5", "0.1", "0.01", "1e-1", "10.01"] {
        table.check(&bad(literal, "body.amount", "too_many_decimals"), &post("JPY", literal));
    }
    table.assert_passed(15);
}

#[test]
fn too_many_decimals_are_refused_not_rounded() {
    let mut table = Table::default();
    let long = format!("10.{}1", "0".repeat(30));
    for literal in [
        "10.001",
        "0.001",
        "10.005",
        "10.999",
        "10.0001",
        "1e-3",
        "1.0e-3",
        "12345e-3",
        "0.0000001",
        "999999999.999",
        &long,
    ] {
        table.check(&bad(literal, "body.amount", "too_many_decimals"), &post("GBP", literal));
    }
    table.assert_passed(11);
}

#[test]
fn amounts_out_of_range_are_refused() {
    let digits = "1".repeat(100_000);
    let mut table = Table::default();
    for literal in [
        "-1",
        "-0.01",
        "-10.00",
        "-1e1",
        "1000000000.01",
        "1000000001",
        "1e10",
        "1e18",
        "9223372036854775807",
        "9223372036854775808",
        "18446744073709551616",
        "92233720368547758.08",
        "1e308",
        "1e309",
        "1e400",
        "1e1000000",
        &digits,
    ] {
        let name: String = literal.chars().take(30).collect();
        table.check(&bad(name, "body.amount", "out_of_range"), &post("GBP", literal));
    }
    table.assert_passed(17);
}

#[test]
fn unusual_numbers_are_refused() {
    let mut table = Table::default();
    let tiny = format!("0.{}1", "0".repeat(10_000));
    for literal in [
        "-0",
        "-0.0",
        "-0.00",
        "-0e5",
        "1e-400",
        "1e-1000000",
        "1e99999999999999999999",
        "1e-99999999999999999999",
        &tiny,
    ] {
        let name: String = literal.chars().take(30).collect();
        table.check(&bad(name, "body.amount", "*"), &post("GBP", literal));
    }
    table.assert_passed(9);
}

#[test]
fn text_that_is_not_a_json_number_is_refused() {
    let mut table = Table::default();
    for literal in [
        "+1",
        "01",
        "00",
        "-01",
        ".5",
        "1.",
        "1.e1",
        "1e",
        "1e+",
        "0x10",
        "1_000",
        "1,000",
        "NaN",
        "Infinity",
        "-Infinity",
        "-",
        "1 0",
        "١٠",
        "１０",
        "1f",
        "10n",
        "$10",
        "ten",
    ] {
        table.check(&bad(literal, "body", "invalid_json"), &post("GBP", literal));
    }
    table.assert_passed(23);
}

#[test]
fn follow_ups_read_amounts_the_same_way() {
    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "GBP", 100_000);
    let token = wallet.token(AUTHORIZATION, "1e1");
    let mut table = Table::default();
    for path in [ADVICE, CLEARING, REVERSAL] {
        for (literal, code) in [
            ("8.001", "too_many_decimals"),
            ("1e-3", "too_many_decimals"),
            ("0", "out_of_range"),
            ("0.00", "out_of_range"),
            ("-8", "out_of_range"),
            ("-0", "*"),
            ("1000000000.01", "out_of_range"),
            ("1e400", "out_of_range"),
        ] {
            let answer = wallet.client.post(path, follow_body(&token, literal));
            table.check(&bad(format!("{path} {literal}"), "body.amount", code), &answer);
        }
    }
    table.assert_passed(24);
    let advice = wallet.follow_ok(ADVICE, &token, "80e-1");
    assert_eq!(text(&advice, "/amount"), "8.00");
    assert_eq!(text(&advice, "/gpa/availableBalance"), "992.00");
    let reversal = wallet.follow_ok(REVERSAL, &token, "0.1e1");
    assert_eq!(text(&reversal, "/gpa/availableBalance"), "993.00");
    let clearing = wallet.follow_ok(CLEARING, &token, "7.0000");
    assert_eq!(text(&clearing, "/gpa/ledgerBalance"), wallet.format_ledger(99_300));
}

#[test]
fn many_small_amounts_add_up_exactly() {
    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "GBP", 1_000);
    let mut spent = 0;
    for (literal, minor) in [("0.1", 10), ("0.2", 20), ("0.3", 30), ("0.7", 70), ("1.1", 110), ("0.01", 1), ("0.07", 7)]
    {
        let token = wallet.token(AUTHORIZATION, literal);
        wallet.follow_ok(CLEARING, &token, literal);
        spent += minor;
        let balance = wallet.balance();
        assert_eq!((balance.ledger - wallet.reserved, balance.available), (1_000 - spent, 1_000 - spent));
    }
}

#[test]
fn a_large_refund_keeps_every_digit() {
    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "GBP", 1);
    let token = wallet.token(REFUND, "999999999.99");
    let cleared = wallet.follow_ok(crate::support::REFUND_CLEARING, &token, "999999999.99");
    assert_eq!(text(&cleared, "/gpa/availableBalance"), "1000000000.00");
    let mut available = 100_000_000_000;
    for _ in 0..3 {
        wallet.credit("999999999.99");
        available += 99_999_999_999;
        assert_eq!(wallet.balance().available, available);
    }
}
