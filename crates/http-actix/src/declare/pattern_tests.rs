//! Compares the patterns of the OpenAPI document with the rules of the domain that they restate.

use super::{
    BackgroundColour, CountryCode, FieldType, MerchantCategory, MerchantDecimalText, PositiveDecimalText,
    PrimaryColour, TextValue, ZeroOrMoreDecimalText,
};
use chrono::{DateTime, TimeDelta, Utc};
use florin_domain::address::PostcodeQuery;
use florin_domain::budget::TransferReference;
use florin_domain::card::{ControlledCountry, MccRange, Pin, SecurityCode};
use florin_domain::checkout;
use florin_domain::merchant::{BankId, Locale, MerchantName, WebUrl};
use florin_domain::money::Currency;
use florin_domain::people::EmailAddress;
use serde_json::json;
use std::any::type_name;

/// Checks that both the rule and the schema of a type accept and refuse these texts.
pub(crate) fn check<T: FieldType>(reads: impl Fn(&str) -> bool, accepted: &[&str], refused: &[&str]) {
    let (name, schema) = (type_name::<T>(), serde_json::to_value(<T as FieldType>::schema()).unwrap());
    assert!(schema["pattern"].is_string(), "{name} has no pattern");
    let validator = jsonschema::validator_for(&schema).unwrap();
    for (texts, expected) in [(accepted, true), (refused, false)] {
        for text in texts {
            assert_eq!(reads(text), expected, "the rule of {name}, for {text:?}");
            assert_eq!(validator.is_valid(&json!(text)), expected, "the schema of {name}, for {text:?}");
        }
    }
}

/// Checks a type that is written as text.
pub(crate) fn check_text<T: TextValue>(accepted: &[&str], refused: &[&str]) {
    check::<T>(|text| <T as TextValue>::parse(text).is_ok(), accepted, refused);
}

#[test]
fn patterns_of_codes_match_the_rules() {
    check_text::<Currency>(&["GBP", "EUR"], &["", "gbp", "GB", "GBPX", "G1P"]);
    check_text::<CountryCode>(&["GBR", "gbr"], &["", "GB", "GBRX", "G1R"]);
    check_text::<ControlledCountry>(&["GBR", "FRA"], &["", "gbr", "GB", "ZZZ"]);
    check_text::<checkout::CountryCode>(&["GB", "FR"], &["", "gb", "GBR", "ZZ"]);
    check_text::<MerchantCategory>(&["5411", "0001"], &["", "541", "54111", "54a1"]);
    check_text::<MccRange>(&["5411", "5411-5499"], &["", "541", "54111", "5411-", "-5411", "5411-54991", "5411 5499"]);
    let (id, digits) = ("0123456789abcdef0123456789ABCDEF", "0123456789abcdef0123456789abcde");
    check_text::<BankId>(&[id], &["", digits, &format!("{id}0"), &format!("{digits}g")]);
    check_text::<Locale>(
        &["en", "cym", "en-GB", "es-419", "zh-Hant", "zh-Hant-TW"],
        &["", "e", "engl", "en_GB", "en-", "en-GBR", "zh-TW-Hant", "en-GB-x"],
    );
}

#[test]
fn patterns_of_secrets_of_cards_match_the_rules() {
    check_text::<Pin>(&["1234", "0000"], &["", "123", "12345", "12a4", "١٢٣٤"]);
    check_text::<SecurityCode>(&["123", "0427"], &["", "12", "12345", "12a"]);
}

#[test]
fn patterns_of_texts_match_the_rules() {
    let long = format!("{}@example.com", "a".repeat(250));
    check_text::<EmailAddress>(
        &["ada@example.com", "a+b@localhost"],
        &["", "ada", "@example.com", "ada@", "ada lovelace@example.com", "a@b@c", "a\u{2}@b", "a@\u{85}b", &long],
    );
    check_text::<TransferReference>(
        &["INVOICE 42", "-,./:?()", "123456789012345678"],
        &["", "1234567890123456789", "a_b", "é", "a\n"],
    );
    check_text::<MerchantName>(&["Penarth Books", "é"], &["", "   ", "\t\n", &"a".repeat(65)]);
    check_text::<WebUrl>(&["https://example.com/"], &["", "http://example.com/", "example.com", "ftp://example.com/"]);
}

#[test]
fn patterns_of_postcodes_match_the_rules() {
    check_text::<PostcodeQuery>(
        &["CF64 2AA", "cf642aa", " N1 9GU ", "12345"],
        &["", "CF64", "CF64-2AA", "ABCDEFGH", "CF64 2AÄ"],
    );
}

#[test]
fn patterns_of_colours_match_the_rules() {
    let refused = ["", "123456", "#12345", "#1234567", "#12345g"];
    check_text::<PrimaryColour>(&["#123456", "#00008B"], &refused);
    check_text::<BackgroundColour>(&["#ffffff", "#FFFFFF"], &refused);
}

#[test]
fn patterns_of_times_and_durations_match_the_rules() {
    check_text::<DateTime<Utc>>(
        &["2026-09-01T12:00:00Z", "2000-01-01T00:00:00Z", "2099-12-31T23:59:59Z"],
        &[
            "",
            "2026-09-01",
            "1999-12-31T23:59:59Z",
            "2100-01-01T00:00:00Z",
            "2026-09-01T12:00:00+00:00",
            "2026-09-01T12:00:00.5Z",
            "2026-09-01t12:00:00z",
        ],
    );
    check_text::<TimeDelta>(
        &["P7D", "PT1S", "PT5M", "PT1H30M", "P1DT2H3M4S"],
        &["", "P", "PT", "P1DT", "7D", "P1H", "PT1D", "P-1D", "PT0S", "P1W", "pt1h", "P99999D"],
    );
}

#[test]
fn patterns_of_amounts_match_the_rules() {
    let refused = ["", "-1", "+1", "1e3", "1.", ".5", "1.00000", "1,000"];
    let refused_and = |more: &[&'static str]| -> Vec<&'static str> { refused.iter().chain(more).copied().collect() };
    check_text::<PositiveDecimalText>(
        &["0.0001", "0.01", "1", "000001.5", "999999999.9999", "1000000000", "1000000000.0000"],
        &refused_and(&["0", "0.00", "1000000000.01", "1000000001"]),
    );
    check_text::<ZeroOrMoreDecimalText>(
        &["0", "0.0000", "0.0001", "1000000000"],
        &refused_and(&["1000000000.01", "1000000001"]),
    );
    check_text::<MerchantDecimalText>(&["0.01", "12.50", "12.5000", "1000000"], &refused_and(&["0", "0.00"]));
}
