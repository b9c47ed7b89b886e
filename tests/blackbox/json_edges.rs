//! Bodies that are not JSON, unusual JSON, or ambiguous JSON.

use serde_json::json;

use crate::support::assert::text;
use crate::support::http::exchange;
use crate::support::table::{Row, Table, bad};
use crate::support::wallet::{first_body, transaction};
use crate::support::{AUTHORIZATION, Answer, CREDIT, demo, expect_error, expect_fault, expect_json, shared};

fn valid() -> String {
    first_body(&demo().active_card("GBP").id, "0")
}

fn post(body: impl AsRef<[u8]>) -> Answer {
    shared().client().post(AUTHORIZATION, body)
}

#[test]
fn bodies_that_are_not_json_are_refused() {
    let valid = valid();
    let mut utf16: Vec<u8> = vec![0xff, 0xfe];
    utf16.extend(valid.encode_utf16().flat_map(u16::to_le_bytes));
    let mut latin1 = valid.replace("11111", "caf#").into_bytes();
    let hash = latin1.iter().position(|byte| *byte == b'#').unwrap();
    latin1[hash] = 0xe9;
    let mut overlong = latin1.clone();
    overlong.splice(hash..=hash, [0xc0, 0xaf]);
    let mut surrogate = latin1.clone();
    surrogate.splice(hash..=hash, [0xed, 0xa0, 0x80]);
    let mut table = Table::default();
    for (name, body) in [
        ("cut short", valid.as_bytes()[..valid.len() - 1].to_vec()),
        ("only an open brace", b"{".to_vec()),
        ("text after the value", format!("{valid} x").into_bytes()),
        ("two values", format!("{valid}{valid}").into_bytes()),
        ("a trailing comma", valid.replace("}}", "},}").into_bytes()),
        ("no commas", valid.replace(',', " ").into_bytes()),
        ("single quotes", valid.replace('"', "'").into_bytes()),
        ("bare names", valid.replace("\"amount\"", "amount").into_bytes()),
        ("a comment", valid.replacen('{', "{/* hello */", 1).into_bytes()),
        ("a line comment", format!("// hello\n{valid}").into_bytes()),
        ("a raw newline in a string", valid.replace("11111", "11\n11").into_bytes()),
        ("a raw tab in a string", valid.replace("11111", "11\t11").into_bytes()),
        ("a raw NUL in a string", valid.replace("11111", "11\u{0}11").into_bytes()),
        ("a bad escape", valid.replace("11111", "\\x41").into_bytes()),
        ("half an escape", valid.replace("11111", "\\u00").into_bytes()),
        ("a literal in capitals", valid.replace("\"VISA\"", "TRUE").into_bytes()),
        ("a NUL after the value", format!("{valid}\u{0}").into_bytes()),
        ("a form", b"cardId=1&amount=10".to_vec()),
        ("XML", b"<amount>10</amount>".to_vec()),
        ("UTF-16", utf16),
        ("latin 1", latin1),
        ("an overlong form", overlong),
        ("a surrogate in UTF-8", surrogate),
    ] {
        table.check(&bad(name, "body", "invalid_json"), &post(body));
    }
    table.assert_passed(23);
}

#[test]
fn bodies_that_are_not_objects_are_refused() {
    let mut table = Table::default();
    for body in ["null", "true", "1", "\"text\"", "[]", "[{}]", " null ", "\n[1]\n"] {
        table.check(&bad(body, "body", "invalid_type"), &post(body));
    }
    table.assert_passed(8);
}

#[test]
fn a_missing_body_is_refused() {
    let address = &shared().address;
    let authorization = format!("ApiKey {}", demo().api_key);
    let target = format!("POST {AUTHORIZATION}?accountId={}", demo().account);
    let json = ("Content-Type", "application/json");
    let base = ("Authorization", authorization.as_str());
    for headers in
        [vec![base], vec![base, json], vec![base, ("Content-Length", "0")], vec![base, json, ("Content-Length", "0")]]
    {
        let answer = exchange(address, &target, &headers, b"");
        expect_fault(&answer, 400, "body", "required");
    }
    let chunked = [base, json, ("Transfer-Encoding", "chunked")];
    let answer = exchange(address, &target, &chunked, b"0\r\n\r\n");
    expect_fault(&answer, 400, "body", "required");
}

#[test]
fn only_json_in_utf_8_is_accepted() {
    let client = shared().client();
    let with = |value: Option<&str>| {
        let call = client.call("POST", AUTHORIZATION).bytes(valid());
        value.map_or_else(
            || client.call("POST", AUTHORIZATION).bytes(valid()),
            |value| call.header("Content-Type", value),
        )
    };
    let mut table = Table::default();
    for value in [
        "application/json",
        "application/json; charset=utf-8",
        "application/json;charset=UTF-8",
        "application/json; charset=\"utf-8\"",
        "Application/JSON",
    ] {
        table.check_status(value, 201, &with(Some(value)).send());
    }
    for value in [
        None,
        Some("text/plain"),
        Some("text/json"),
        Some("application/json; charset=latin1"),
        Some("application/json; charset=utf-16"),
        Some("application/problem+json"),
        Some("application/x-www-form-urlencoded"),
        Some("multipart/form-data; boundary=x"),
        Some("application/jsonp"),
        Some("nonsense"),
        Some("*/*"),
    ] {
        let row = Row { name: format!("{value:?}"), status: 415, faults: vec![("*", "unsupported_media_type")] };
        table.check(&row, &with(value).send());
    }
    table.assert_passed(16);
}

#[test]
fn duplicate_members_are_refused() {
    let valid = valid();
    let mut table = Table::default();
    for (body, path) in [
        (valid.replace("\"amount\": 0", "\"amount\": 0, \"amount\": 0"), "body.amount"),
        (valid.replace("\"amount\": 0", "\"amount\": 0, \"amount\": 5"), "body.amount"),
        (valid.replace("\"amount\": 0", "\"amount\": 0, \"\\u0061mount\": 0"), "body.amount"),
        (valid.replace("\"amount\": 0", "\"amount\": 0, \"network\": \"VISA\""), "body.network"),
        (valid.replace("\"mid\": \"11111\"", "\"mid\": \"1\", \"mid\": \"2\""), "body.cardAcceptor.mid"),
        (valid.replace("\"amount\": 0", "\"amount\": 0, \"cardAcceptor\": {\"mid\": \"1\"}"), "body.cardAcceptor"),
        (
            valid.replace("\"mid\": \"11111\"", "\"mid\": \"1\", \"name\": null, \"name\": null"),
            "body.cardAcceptor.name",
        ),
    ] {
        table.check(&bad(body.clone(), path, "duplicate_field"), &post(&body));
    }
    table.assert_passed(7);
}

#[test]
fn strings_that_stores_cannot_keep_are_refused() {
    let mut table = Table::default();
    for text in
        ["a\\u0000b", "\\u0000", "\\ud800", "\\udc00", "\\ud800x", "\\udc00\\ud800", "\\ud83d", "\\uD800\\u0041"]
    {
        let body = valid().replace("11111", text);
        table.check(&bad(text, "body.cardAcceptor.mid", "invalid_format"), &post(body));
        let body = valid().replace("\"mid\"", &format!("\"city\": \"{text}\", \"mid\""));
        table.check(&bad(format!("city {text}"), "body.cardAcceptor.city", "invalid_format"), &post(body));
    }
    table.check(
        &bad("cardId", "body.cardId", "invalid_format"),
        &post(valid().replace(&demo().active_card("GBP").id, "\\ud800")),
    );
    table.assert_passed(17);
}

#[test]
fn valid_strings_are_returned_unchanged() {
    for (sent, shown) in [
        ("caf\\u00e9", "café"),
        ("\\ud83d\\udc08", "🐈"),
        ("🐈", "🐈"),
        ("\\u007f", "\u{7f}"),
        ("a\\\\b\\\"c\\/d", "a\\b\"c/d"),
        ("\\t\\n", "\t\n"),
        ("Robert'); DROP TABLE cards;--", "Robert'); DROP TABLE cards;--"),
        ("\u{202e}right to left", "\u{202e}right to left"),
        ("e\u{301}", "e\u{301}"),
    ] {
        let body = valid().replace("\"mid\"", &format!("\"city\": \"{sent}\", \"mid\""));
        let shown_back = transaction(&post(body));
        assert_eq!(text(&shown_back, "/cardAcceptor/city"), shown);
    }
}

#[test]
fn lengths_count_characters() {
    let body = |city: &str| valid().replace("\"mid\"", &format!("\"city\": \"{city}\", \"mid\""));
    let longest = "🐈".repeat(255);
    assert_eq!(text(&transaction(&post(body(&longest))), "/cardAcceptor/city"), longest);
    expect_fault(&post(body(&"🐈".repeat(256))), 400, "body.cardAcceptor.city", "too_long");
    let escaped = "\\ud83d\\udc08".repeat(255);
    assert_eq!(text(&transaction(&post(body(&escaped))), "/cardAcceptor/city"), longest);
}

fn nested(levels: usize) -> String {
    // The body itself is the first level.
    let (open, close) = ("[".repeat(levels - 1), "]".repeat(levels - 1));
    valid().replacen('{', &format!("{{\"deep\": {open}{close}, "), 1)
}

#[test]
fn the_nesting_depth_is_limited() {
    expect_fault(&post(nested(64)), 400, "body.deep", "unknown_field");
    expect_fault(&post(nested(65)), 400, "body", "invalid_json");
    expect_fault(&post(nested(200)), 400, "body", "invalid_json");
    expect_fault(&post(nested(100_000)), 400, "body", "invalid_json");
    let objects = format!("{}1{}", "{\"a\":".repeat(65), "}".repeat(65));
    expect_fault(&post(objects), 400, "body", "invalid_json");
    expect_fault(&post("[".repeat(500_000)), 400, "body", "invalid_json");
    expect_fault(&post("{\"a\":".repeat(150_000)), 400, "body", "invalid_json");
}

#[test]
fn faults_in_huge_bodies_are_reported_briefly() {
    let wide = format!("[{}]", vec!["1"; 100_000].join(","));
    let answer = post(valid().replacen('{', &format!("{{\"wide\": {wide}, "), 1));
    expect_fault(&answer, 400, "body.wide", "unknown_field");

    let name = "n".repeat(10_000);
    let faults = expect_error(&post(valid().replacen('{', &format!("{{\"{name}\": 1, "), 1)), 400);
    assert_eq!(faults.len(), 1);
    assert_eq!(faults[0].code, "unknown_field");
    assert!(faults[0].path.starts_with("body.nnn"), "{}", faults[0].path);

    let odd = valid().replacen('{', "{\"a.b[0]\\n🐈\": 1, \"\": 2, ", 1);
    let faults = expect_error(&post(odd), 400);
    assert!(faults.iter().all(|fault| fault.code == "unknown_field"), "{faults:?}");

    let many = (0..20_000).map(|number| format!("\"member{number}\": 1, ")).collect::<Vec<_>>().concat();
    let faults = expect_error(&post(valid().replacen('{', &format!("{{{many}"), 1)), 400);
    assert!(faults.iter().all(|fault| fault.code == "unknown_field"));

    let value = format!("\"{}\"", "x".repeat(500_000));
    let answer = post(valid().replace("\"11111\"", &value));
    expect_fault(&answer, 400, "body.cardAcceptor.mid", "too_long");
}

#[test]
fn member_order_white_space_and_escapes_are_ignored() {
    let card = &demo().active_card("GBP").id;
    let body = format!(
        "\r\n\t {{ \"cardAcceptor\" :\n{{\"m\\u0069d\":\"11111\"}} ,\"network\":\"\\u0056ISA\",\"amount\" : 0 ,\
         \"card\\u0049d\":\"{card}\" }} \n"
    );
    assert_eq!(text(&transaction(&post(body)), "/network"), "VISA");
}

#[test]
fn credits_follow_the_same_rules() {
    let client = shared().client();
    let answer = client.post(CREDIT, "{\"budgetId\": \"x\", \"budgetId\": \"x\"}");
    let faults = expect_error(&answer, 400);
    assert!(faults.iter().any(|fault| fault.path == "body.budgetId" && fault.code == "duplicate_field"));
    expect_fault(&client.post(CREDIT, "{"), 400, "body", "invalid_json");
    expect_fault(&client.post(CREDIT, "[]"), 400, "body", "invalid_type");
    let deep = json!({"budgetId": "x"}).to_string().replace("\"x\"", &format!("{}{}", "[".repeat(64), "]".repeat(64)));
    expect_fault(&client.post(CREDIT, deep), 400, "body", "invalid_json");
}

#[test]
fn the_server_works_after_malformed_bodies() {
    for _ in 0..20 {
        expect_error(&post("[".repeat(100_000)), 400);
    }
    expect_json(&post(valid()), 201);
}
