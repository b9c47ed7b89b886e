//! Tables of invalid input: queries, paths and bodies. One answer reports all faults of a request's shape.

use serde_json::{Value, json};

use crate::support::table::{Row, Table, bad};
use crate::support::wallet::{first_body, follow_body};
use crate::support::{
    ABSENT, ADVICE, ATM, ATM_CLEARING, AUTHORIZATION, BANKS, CHECKOUTS, CLEARING, MFA_SESSIONS, REFUND,
    REFUND_CLEARING, REVERSAL, confirm_path, demo, expect_faults, shared,
};

#[test]
fn invalid_pages_of_lists_are_refused() {
    let mut table = Table::default();
    for path in [CHECKOUTS, BANKS] {
        for (query, parameter, code) in [
            ("limit=0", "limit", "out_of_range"),
            ("limit=1001", "limit", "out_of_range"),
            ("limit=-1", "limit", "out_of_range"),
            ("limit=9223372036854775807", "limit", "out_of_range"),
            ("limit=9223372036854775808", "limit", "invalid_format"),
            ("limit=99999999999999999999999", "limit", "invalid_format"),
            ("limit=", "limit", "required"),
            ("limit=ten", "limit", "invalid_format"),
            ("limit=1.5", "limit", "invalid_format"),
            ("limit=1e2", "limit", "invalid_format"),
            ("limit=0x10", "limit", "invalid_format"),
            ("limit=+5", "limit", "invalid_format"),
            ("limit=%2B5", "limit", "invalid_format"),
            ("limit=5%20", "limit", "invalid_format"),
            ("limit=%D9%A5", "limit", "invalid_format"),
            ("limit=5%00", "limit", "invalid_format"),
            ("limit=1,000", "limit", "invalid_format"),
            ("limit=null", "limit", "invalid_format"),
            ("limit=5&limit=5", "limit", "duplicate_parameter"),
            ("offset=-1", "offset", "out_of_range"),
            ("offset=", "offset", "required"),
            ("offset=x", "offset", "invalid_format"),
            ("offset=0.0", "offset", "invalid_format"),
            ("offset=9223372036854775808", "offset", "invalid_format"),
            ("offset=0&offset=1", "offset", "duplicate_parameter"),
        ] {
            let answer = shared().client().get(&format!("{path}?accountId={}&{query}", demo().account));
            table.check(&bad(format!("{path} {query}"), &format!("query.{parameter}"), code), &answer);
        }
    }
    table.assert_passed(50);
}

#[test]
fn invalid_filters_of_checkouts_are_refused() {
    let mut table = Table::default();
    for (query, parameter, code) in [
        ("type=shopping", "type", "invalid_value"),
        ("type=TOPUP", "type", "invalid_value"),
        ("type=", "type", "required"),
        ("type=SHOPPING%20", "type", "invalid_value"),
        ("type=SHOPPING,TOP_UP", "type", "invalid_value"),
        ("type=SHOPPING&type=TOP_UP", "type", "duplicate_parameter"),
        ("type=SHOPPING&type=SHOPPING", "type", "duplicate_parameter"),
        ("status=Active", "status", "invalid_value"),
        ("status=DELETED", "status", "invalid_value"),
        ("status=", "status", "required"),
        ("status=ACTIVE%00", "status", "*"),
        ("status=ACTIVE&status=ACTIVE", "status", "duplicate_parameter"),
    ] {
        let answer = shared().client().get(&format!("{CHECKOUTS}?accountId={}&{query}", demo().account));
        table.check(&bad(query, &format!("query.{parameter}"), code), &answer);
    }
    table.assert_passed(12);
}

#[test]
fn invalid_and_absent_account_ids_are_refused() {
    let mut table = Table::default();
    let long = format!("accountId={}", "F".repeat(37));
    let longer = format!("accountId={}", "F".repeat(3000));
    let twice = format!("accountId={0}&accountId={0}", demo().account);
    let characters = format!("accountId={}", "%C3%A9".repeat(36));
    for path in [CHECKOUTS, BANKS] {
        for (query, status, code) in [
            (long.as_str(), 400, "too_long"),
            (&longer, 400, "too_long"),
            (&twice, 400, "duplicate_parameter"),
            ("accountId=F5%000091", 400, "invalid_format"),
            ("accountId=%ff%fe", 400, "invalid_format"),
            (&characters, 404, "not_found"),
            ("accountId=F00000", 404, "not_found"),
            ("accountId=%27%3B--", 404, "not_found"),
            ("accountId=f50091%20", 404, "not_found"),
        ] {
            let row = Row { name: format!("{path} {query}"), status, faults: vec![("query.accountId", code)] };
            table.check(&row, &shared().client().get(&format!("{path}?{query}")));
        }
    }
    for path in [AUTHORIZATION, MFA_SESSIONS, &confirm_path(&demo().batch("validated"))] {
        let body = match path {
            AUTHORIZATION => first_body(&demo().active_card("GBP").id, "0"),
            MFA_SESSIONS => json!({"paymentBatchId": demo().batch("validated")}).to_string(),
            _ => json!({"mfa": {"provider": "sandbox", "sessionId": ABSENT, "token": "1"}}).to_string(),
        };
        for (query, status, code) in [
            ("", 400, "required"),
            ("accountId=", 400, "required"),
            ("accountid=F50091", 400, "required"),
            (&long, 400, "too_long"),
            ("accountId=F00000", 404, "not_found"),
        ] {
            let row = Row { name: format!("{path} {query}"), status, faults: vec![("query.accountId", code)] };
            table.check(&row, &shared().client().post(&format!("{path}?{query}"), &body));
        }
    }
    table.assert_passed(33);
}

/// Returns a valid first message with one member replaced by JSON text, or removed if there is none.
fn first_with(place: &str, text: Option<&str>) -> String {
    const MARK: &str = "\"the marked place\"";
    let mut body: Value = serde_json::from_str(&first_body(&demo().active_card("GBP").id, "0")).unwrap();
    let (parent, member) = place.rsplit_once('/').unwrap();
    let parent = body.pointer_mut(parent).unwrap().as_object_mut().unwrap();
    if let Some(text) = text {
        parent.insert(member.to_owned(), json!("the marked place"));
        return body.to_string().replace(MARK, text);
    }
    parent.remove(member);
    body.to_string()
}

#[test]
fn invalid_members_of_first_messages_are_refused() {
    let long = |length: usize| format!("\"{}\"", "é".repeat(length));
    let (mid, name, state, postal) = (long(37), long(256), long(41), long(11));
    let mut table = Table::default();
    for (place, text, code) in [
        ("/cardId", None, "required"),
        ("/cardId", Some("null"), "required"),
        ("/cardId", Some("7"), "invalid_type"),
        ("/cardId", Some("[]"), "invalid_type"),
        ("/cardId", Some("\"\""), "invalid_format"),
        ("/cardId", Some("\"card\""), "invalid_format"),
        ("/cardId", Some("\"0190a1b2000070008000000000000001\""), "invalid_format"),
        ("/cardId", Some("\"{0190a1b2-0000-7000-8000-000000000001}\""), "invalid_format"),
        ("/cardId", Some("\"urn:uuid:0190a1b2-0000-7000-8000-000000000001\""), "invalid_format"),
        ("/cardId", Some("\" 0190a1b2-0000-7000-8000-000000000001\""), "invalid_format"),
        ("/cardId", Some("\"0190a1b2-0000-7000-8000-00000000000g\""), "invalid_format"),
        ("/amount", None, "required"),
        ("/amount", Some("null"), "required"),
        ("/amount", Some("\"10.00\""), "invalid_type"),
        ("/amount", Some("true"), "invalid_type"),
        ("/amount", Some("[10]"), "invalid_type"),
        ("/amount", Some("{}"), "invalid_type"),
        ("/network", None, "required"),
        ("/network", Some("null"), "required"),
        ("/network", Some("\"visa\""), "invalid_value"),
        ("/network", Some("\"AMEX\""), "invalid_value"),
        ("/network", Some("\"\""), "*"),
        ("/network", Some("1"), "invalid_type"),
        ("/cardAcceptor", None, "required"),
        ("/cardAcceptor", Some("null"), "required"),
        ("/cardAcceptor", Some("[]"), "invalid_type"),
        ("/cardAcceptor", Some("\"11111\""), "invalid_type"),
        ("/cardAcceptor/mid", None, "required"),
        ("/cardAcceptor/mid", Some("null"), "required"),
        ("/cardAcceptor/mid", Some("11111"), "invalid_type"),
        ("/cardAcceptor/mid", Some("\"\""), "invalid_format"),
        ("/cardAcceptor/mid", Some(&mid), "too_long"),
        ("/cardAcceptor/name", Some(&name), "too_long"),
        ("/cardAcceptor/name", Some("1"), "invalid_type"),
        ("/cardAcceptor/city", Some(&name), "too_long"),
        ("/cardAcceptor/city", Some("{}"), "invalid_type"),
        ("/cardAcceptor/state", Some(&state), "too_long"),
        ("/cardAcceptor/postalCode", Some(&postal), "too_long"),
        ("/cardAcceptor/countryCode", Some("\"GB\""), "invalid_format"),
        ("/cardAcceptor/countryCode", Some("\"G1R\""), "invalid_format"),
        ("/cardAcceptor/countryCode", Some("\"GBRX\""), "*"),
        ("/cardAcceptor/countryCode", Some("\"\""), "invalid_format"),
        ("/cardAcceptor/countryCode", Some("\"ÄÖÜ\""), "invalid_format"),
        ("/cardAcceptor/countryCode", Some("826"), "invalid_type"),
        ("/cardAcceptor/mcc", Some("5999"), "invalid_type"),
        ("/cardAcceptor/mcc", Some("\"599\""), "invalid_format"),
        ("/cardAcceptor/mcc", Some("\"59990\""), "*"),
        ("/cardAcceptor/mcc", Some("\"59a9\""), "invalid_format"),
        ("/cardAcceptor/mcc", Some("\"٥٩٩٩\""), "invalid_format"),
        ("/cardAcceptor/mcc", Some("\"-599\""), "invalid_format"),
        ("/cardID", Some("1"), "unknown_field"),
        ("/currency", Some("\"GBP\""), "unknown_field"),
        ("/cardAcceptor/merchant", Some("1"), "unknown_field"),
        ("/cardAcceptor/MID", Some("null"), "unknown_field"),
    ] {
        let path = format!("body{}", place.replace('/', "."));
        let name = format!("{place} {}", text.unwrap_or("absent"));
        let answer = shared().client().post(AUTHORIZATION, first_with(place, text));
        table.check(&bad(name, &path, code), &answer);
    }
    table.assert_passed(54);
}

#[test]
fn the_same_members_are_checked_in_other_first_messages() {
    let mut table = Table::default();
    for path in [REFUND, ATM] {
        for (place, text, code) in [
            ("/cardId", None, "required"),
            ("/amount", Some("\"1\""), "invalid_type"),
            ("/amount", Some("0"), "out_of_range"),
            ("/network", Some("\"visa\""), "invalid_value"),
            ("/cardAcceptor/mid", None, "required"),
            ("/cardAcceptor/extra", Some("1"), "unknown_field"),
        ] {
            let expected = format!("body{}", place.replace('/', "."));
            let mut body = first_with(place, text);
            if place != "/amount" {
                body = body.replace("\"amount\":0", "\"amount\":1");
            }
            table.check(&bad(format!("{path} {place}"), &expected, code), &shared().client().post(path, body));
        }
    }
    table.assert_passed(12);
}

#[test]
fn invalid_members_of_follow_ups_are_refused() {
    let preceding = "body.precedingRelatedTransactionToken";
    let mut table = Table::default();
    for path in [ADVICE, CLEARING, REVERSAL, REFUND_CLEARING, ATM_CLEARING] {
        let given = |amount: &str| follow_body(ABSENT, amount);
        for (name, body, place, code) in [
            ("no token", r#"{"amount": 1}"#.to_owned(), preceding, "required"),
            ("token a number", given("1").replace(&format!("\"{ABSENT}\""), "7"), preceding, "invalid_type"),
            ("token no uuid", given("1").replace(ABSENT, "token"), preceding, "invalid_format"),
            ("amount a string", given("\"1\""), "body.amount", "invalid_type"),
            ("amount zero", given("0"), "body.amount", "out_of_range"),
            ("amount negative", given("-1"), "body.amount", "out_of_range"),
            ("amount too large", given("1000000001"), "body.amount", "out_of_range"),
            ("a member too many", given("1, \"cardToken\": 1"), "body.cardToken", "unknown_field"),
        ] {
            table.check(&bad(format!("{path}: {name}"), place, code), &shared().client().post(path, body));
        }
        let unknown = Row { name: format!("{path}: absent"), status: 404, faults: vec![(preceding, "not_found")] };
        table.check(&unknown, &shared().client().post(path, given("1")));
        if path != REVERSAL {
            let body = format!(r#"{{"precedingRelatedTransactionToken": "{ABSENT}"}}"#);
            let row = bad(format!("{path}: no amount"), "body.amount", "required");
            table.check(&row, &shared().client().post(path, body));
        }
        let last = given("1, \"finalClearing\": \"yes\"");
        let code = if path == CLEARING { "invalid_type" } else { "unknown_field" };
        table.check(&bad(format!("{path}: final"), "body.finalClearing", code), &shared().client().post(path, last));
    }
    table.assert_passed(54);
}

#[test]
fn invalid_confirmations_and_mfa_sessions_are_refused() {
    let mut table = Table::default();
    let confirm = confirm_path(&demo().batch("validated"));
    for (body, path, code) in [
        (r#"{"mfa": null}"#, "body.mfa", "*"),
        (r#"{"mfa": "sandbox"}"#, "body.mfa", "invalid_type"),
        (r#"{"mfa": []}"#, "body.mfa", "invalid_type"),
        (r#"{"mfa": {"provider": "sms", "sessionId": "ID", "token": "1"}}"#, "body.mfa.provider", "invalid_value"),
        (r#"{"mfa": {"provider": "TOTP", "sessionId": "ID", "token": "1"}}"#, "body.mfa.provider", "invalid_value"),
        (r#"{"mfa": {"provider": 1, "sessionId": "ID", "token": "1"}}"#, "body.mfa.provider", "invalid_type"),
        (r#"{"mfa": {"provider": "totp", "sessionId": "x", "token": "1"}}"#, "body.mfa.sessionId", "invalid_format"),
        (r#"{"mfa": {"provider": "totp", "sessionId": 5, "token": "1"}}"#, "body.mfa.sessionId", "invalid_type"),
        (r#"{"mfa": {"provider": "totp", "sessionId": "ID", "token": 123456}}"#, "body.mfa.token", "invalid_type"),
        (r#"{"mfa": {"provider": "totp", "sessionId": "ID"}}"#, "body.mfa.token", "required"),
        (r#"{"mfa": {"provider": "totp", "sessionId": "ID", "token": "1", "a": 1}}"#, "body.mfa.a", "unknown_field"),
    ] {
        table.check(&bad(body, path, code), &shared().client().post(&confirm, body.replace("ID", ABSENT)));
    }
    for (body, path, code) in [
        ("{}", "body.paymentBatchId", "required"),
        (r#"{"paymentBatchId": null}"#, "body.paymentBatchId", "required"),
        (r#"{"paymentBatchId": 7}"#, "body.paymentBatchId", "invalid_type"),
        (r#"{"paymentBatchId": "7"}"#, "body.paymentBatchId", "invalid_format"),
        (r#"{"paymentBatchId": "ID", "provider": "sms"}"#, "body.provider", "invalid_value"),
        (r#"{"paymentBatchId": "ID", "provider": 1}"#, "body.provider", "invalid_type"),
        (r#"{"paymentBatchId": "ID", "token": "1"}"#, "body.token", "unknown_field"),
    ] {
        table.check(&bad(body, path, code), &shared().client().post(MFA_SESSIONS, body.replace("ID", ABSENT)));
    }
    for id in ["x", "1", "0190a1b2000070008000000000000001", "null", &"a".repeat(37), "%20", "%7B%7D"] {
        let body = json!({"mfa": {"provider": "sandbox", "sessionId": ABSENT, "token": "000000"}}).to_string();
        let answer = shared().client().post(&confirm_path(id), body);
        table.check(&bad(format!("id {id}"), "path.paymentBatchId", "invalid_format"), &answer);
    }
    table.assert_passed(25);
}

#[test]
fn all_faults_of_a_first_message_are_reported_together() {
    let body = r#"{
        "cardId": "x", "amount": -1, "network": "visa", "colour": "red", "Amount": 1,
        "cardAcceptor": {"mid": "", "mcc": "1", "countryCode": 5, "name": ["a"], "nick": null}
    }"#;
    let expected = [
        ("query.accountId", "required"),
        ("body.cardId", "invalid_format"),
        ("body.amount", "out_of_range"),
        ("body.network", "invalid_value"),
        ("body.colour", "unknown_field"),
        ("body.Amount", "unknown_field"),
        ("body.cardAcceptor.mid", "invalid_format"),
        ("body.cardAcceptor.mcc", "invalid_format"),
        ("body.cardAcceptor.countryCode", "invalid_type"),
        ("body.cardAcceptor.name", "invalid_type"),
        ("body.cardAcceptor.nick", "unknown_field"),
    ];
    let faults = expect_faults(&shared().client().post(&format!("{AUTHORIZATION}?"), body), 400, &expected);
    for (path, message) in [
        ("body.colour", "unknown field"),
        ("body.Amount", "unknown field; did you mean \"amount\"?"),
        ("body.cardAcceptor.nick", "unknown field"),
    ] {
        let fault = faults.iter().find(|fault| fault.path == path).unwrap();
        assert_eq!(fault.message, message, "{path}");
    }
}

#[test]
fn all_faults_of_a_query_are_reported_together() {
    let answer = shared().client().get(&format!("{CHECKOUTS}?limit=0&offset=-1&type=x&status=active&status=x"));
    let expected = [
        ("query.accountId", "required"),
        ("query.limit", "out_of_range"),
        ("query.offset", "out_of_range"),
        ("query.type", "invalid_value"),
        ("query.status", "duplicate_parameter"),
    ];
    expect_faults(&answer, 400, &expected);
}

#[test]
fn all_faults_of_path_query_and_body_are_reported_together() {
    let answer = shared().client().post(
        &format!("{}?accountId={}", confirm_path("batch"), "F".repeat(40)),
        r#"{"mfa": {"provider": "sms", "sessionId": "x", "code": 1}, "token": "000000"}"#,
    );
    let expected = [
        ("path.paymentBatchId", "invalid_format"),
        ("query.accountId", "too_long"),
        ("body.mfa.provider", "invalid_value"),
        ("body.mfa.sessionId", "invalid_format"),
        ("body.mfa.token", "required"),
        ("body.mfa.code", "unknown_field"),
        ("body.token", "unknown_field"),
    ];
    expect_faults(&answer, 400, &expected);
}
