//! Messages that the original API does not have: increments, reversals of refunds, forced declines.

use serde_json::{Value, json};

use crate::openapi::assert_documented;
use crate::support::assert::text;
use crate::support::record::{assert_record, expected};
use crate::support::wallet::{follow_body, transaction};
use crate::support::{
    ADVICE, ATM, ATM_CLEARING, AUTHORIZATION, CLEARING, INCREMENT, REFUND, REFUND_CLEARING, REFUND_REVERSAL, REVERSAL,
    Server, Wallet, chain_path, expect_fault, expect_faults, expect_json,
};

const PRECEDING: &str = "body.precedingRelatedTransactionToken";

fn reverse_refund(wallet: &Wallet, token: &str) -> crate::support::Answer {
    wallet.client.post(REFUND_REVERSAL, format!(r#"{{"precedingRelatedTransactionToken": "{token}"}}"#))
}

/// Returns a first message with one additional member.
fn with(wallet: &Wallet, amount: &str, member: &str) -> String {
    wallet.first_body(amount).replacen('{', &format!("{{{member}, "), 1)
}

#[test]
fn an_increment_has_every_member() {
    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "GBP", 25_000);
    let token = wallet.token(AUTHORIZATION, "10");
    let answer = wallet.follow(INCREMENT, &token, "2.50");
    assert_documented("post", INCREMENT, &answer);
    let ledger = wallet.format_ledger(25_000);
    let mut want = expected("authorization.incremental", "PENDING");
    (want.requested, want.amount, want.impacted) = ("2.50", "2.50", "-2.50");
    (want.ledger, want.available, want.preceding) = (&ledger, "237.50", Some(token.as_str()));
    let more = transaction(&answer);
    assert_record(&more, &wallet.card, &want);
    let cleared = wallet.follow_ok(CLEARING, text(&more, "/token"), "12.50");
    assert_eq!(text(&cleared, "/gpa/availableBalance"), "237.50");
    expect_fault(&wallet.follow(INCREMENT, &token, "1"), 409, PRECEDING, "already_cleared");
}

#[test]
fn an_increment_can_be_declined() {
    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "GBP", 2_000);
    let token = wallet.token(AUTHORIZATION, "10");
    let declined = wallet.follow_ok(INCREMENT, &token, "10.01");
    assert_eq!((text(&declined, "/state"), text(&declined, "/response/code")), ("DECLINED", "1016"));
    assert_eq!(text(&declined, "/gpa/impactedAmount"), "0.00");
    let named = wallet.follow(CLEARING, text(&declined, "/token"), "1");
    expect_fault(&named, 409, PRECEDING, "wrong_transaction_kind");
    let chain = expect_json(&wallet.client.get(&chain_path(&token)), 200);
    let last = &chain["messages"][1]["explanation"]["rules"].as_array().unwrap().last().unwrap().clone();
    assert_eq!((&last["rule"], &last["wantedAmount"]), (&json!("available_balance"), &json!("10.01")));
    assert_eq!(chain["hold"]["heldAmount"], "10.00");
    expect_fault(&wallet.follow(INCREMENT, &token, "0"), 400, "body.amount", "out_of_range");
}

/// Checks what the extensions add to the table in contract 5.4.
#[test]
fn increments_and_refund_reversals_follow_only_their_own_chains() {
    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "GBP", 25_000);
    for (first, allowed) in [(AUTHORIZATION, INCREMENT), (ATM, ATM_CLEARING), (REFUND, REFUND_REVERSAL)] {
        for path in [INCREMENT, REFUND_REVERSAL] {
            let token = wallet.token(first, "1");
            let answer =
                if path == INCREMENT { wallet.follow(path, &token, "1") } else { reverse_refund(&wallet, &token) };
            if path == allowed {
                expect_json(&answer, 201);
            } else {
                expect_fault(&answer, 409, PRECEDING, "wrong_transaction_kind");
            }
        }
    }
    let token = wallet.token(AUTHORIZATION, "5");
    let more = text(&wallet.follow_ok(INCREMENT, &token, "1"), "/token").to_owned();
    for (path, amount) in [(ADVICE, "4"), (INCREMENT, "2"), (REVERSAL, "1"), (CLEARING, "1")] {
        expect_json(&wallet.follow(path, &more, amount), 201);
    }
}

#[test]
fn a_refund_can_be_reversed() {
    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "GBP", 25_000);
    let token = wallet.token(REFUND, "10");
    let answer = reverse_refund(&wallet, &token);
    assert_documented("post", REFUND_REVERSAL, &answer);
    let reversed = transaction(&answer);
    let ledger = wallet.format_ledger(25_000);
    let mut want = expected("refund.authorization.reversal", "CLEARED");
    (want.ledger, want.available, want.preceding) = (&ledger, "250.00", Some(token.as_str()));
    assert_record(&reversed, &wallet.card, &want);
    expect_fault(&wallet.follow(REFUND_CLEARING, &token, "1"), 409, PRECEDING, "already_reversed");
    expect_fault(&reverse_refund(&wallet, &token), 409, PRECEDING, "already_reversed");
    expect_fault(&reverse_refund(&wallet, text(&reversed, "/token")), 409, PRECEDING, "wrong_transaction_kind");
    let chain = expect_json(&wallet.client.get(&chain_path(&token)), 200);
    assert_eq!((&chain["hold"]["endedBy"], &chain["journal"]), (&json!("reversed"), &json!([])));
    assert_eq!(chain["messages"][0]["transaction"]["state"], "CLEARED");
    let cleared = wallet.token(REFUND, "10");
    wallet.follow_ok(REFUND_CLEARING, &cleared, "10");
    expect_fault(&reverse_refund(&wallet, &cleared), 409, PRECEDING, "already_cleared");
    let body = follow_body(&cleared, "10");
    expect_fault(&wallet.client.post(REFUND_REVERSAL, body), 400, "body.amount", "unknown_field");
}

#[test]
fn repeats_of_extensions_have_one_effect() {
    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "GBP", 25_000);
    let token = wallet.token(AUTHORIZATION, "10");
    let first = wallet.client.post_once(INCREMENT, "more", follow_body(&token, "1"));
    let again = wallet.client.post_once(INCREMENT, "more", follow_body(&token, "1"));
    assert!(!first.replayed() && again.replayed());
    assert_eq!((first.status, &first.body), (again.status, &again.body));
    assert_eq!(wallet.balance().available, 23_900);
    let refund = wallet.token(REFUND, "10");
    let body = format!(r#"{{"precedingRelatedTransactionToken": "{refund}"}}"#);
    let first = wallet.client.post_once(REFUND_REVERSAL, "back", &body);
    let again = wallet.client.post_once(REFUND_REVERSAL, "back", &body);
    assert!(!first.replayed() && again.replayed(), "{again:?}");
    let other = wallet.client.post_once(INCREMENT, "more", follow_body(&token, "2"));
    expect_fault(&other, 422, "body.amount", "idempotency_mismatch");
}

#[test]
fn objects_of_other_accounts_are_absent() {
    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "GBP", 25_000);
    let (purchase, refund) = (wallet.token(AUTHORIZATION, "10"), wallet.token(REFUND, "10"));
    expect_fault(&server.other().post(INCREMENT, follow_body(&purchase, "1")), 404, PRECEDING, "not_found");
    let body = format!(r#"{{"precedingRelatedTransactionToken": "{refund}"}}"#);
    expect_fault(&server.other().post(REFUND_REVERSAL, body), 404, PRECEDING, "not_found");
}

#[test]
fn a_decline_can_be_forced_by_code() {
    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "GBP", 25_000);
    let codes = [
        ("1806", "Card not active"),
        ("1003", "Card suspended"),
        ("1001", "Card expired"),
        ("1817", "Usage limit reached"),
        ("1016", "Not sufficient funds"),
        ("1004", "Card stolen"),
        ("1005", "Card lost"),
        ("1809", "Incorrect PIN"),
    ];
    for ((code, memo), path) in codes.into_iter().zip([AUTHORIZATION, ATM, REFUND].into_iter().cycle()) {
        let member = format!(r#""sandbox": {{"decline": "{code}"}}"#);
        let answer = wallet.client.post(path, with(&wallet, "10", &member));
        assert_documented("post", path, &answer);
        let declined = transaction(&answer);
        assert_eq!(declined["state"], "DECLINED");
        assert_eq!(declined["response"], json!({"code": code, "memo": memo}));
        let chain = expect_json(&wallet.client.get(&chain_path(text(&declined, "/token"))), 200);
        let why = json!({"code": code, "rules": [{"rule": "forced", "passed": false, "code": code}]});
        assert_eq!(chain["messages"][0]["explanation"], why);
    }
    assert_eq!(wallet.balance().available, 25_000);
    let token = wallet.token(AUTHORIZATION, "10");
    let forced = follow_body(&token, "1").replacen('{', r#"{"sandbox": {"decline": "1005"}, "#, 1);
    assert_eq!(text(&transaction(&wallet.client.post(INCREMENT, forced)), "/response/code"), "1005");
    // An empty `sandbox` forces nothing.
    for member in [r#""sandbox": null"#, r#""sandbox": {}"#, r#""sandbox": {"decline": null}"#] {
        let approved = transaction(&wallet.client.post(AUTHORIZATION, with(&wallet, "1", member)));
        assert_eq!(text(&approved, "/response/code"), "0000", "{member}");
    }
}

#[test]
fn faults_of_extensions_are_reported_with_all_others() {
    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "GBP", 25_000);
    let member = concat!(
        r#""sandbox": {"decline": "0000", "x": 1}, "currencyCode": "usd", "#,
        r#""partialApproval": 1, "acquirerFeeAmount": 1"#
    );
    let answer = wallet.client.post(AUTHORIZATION, with(&wallet, "-1", member));
    let expected = [
        ("body.amount", "out_of_range"),
        ("body.currencyCode", "invalid_format"),
        ("body.partialApproval", "invalid_type"),
        ("body.acquirerFeeAmount", "unknown_field"),
        ("body.sandbox.decline", "invalid_value"),
        ("body.sandbox.x", "unknown_field"),
    ];
    expect_faults(&answer, 400, &expected);
    for path in [ATM, REFUND] {
        let answer = wallet.client.post(path, with(&wallet, "1", r#""partialApproval": true"#));
        expect_fault(&answer, 400, "body.partialApproval", "unknown_field");
    }
    let answer = wallet.client.post(ATM, with(&wallet, "1", r#""acquirerFeeAmount": 0.001"#));
    expect_fault(&answer, 400, "body.acquirerFeeAmount", "too_many_decimals");
    let answer =
        wallet.client.post(ADVICE, follow_body(crate::support::ABSENT, "1").replacen('{', r#"{"sandbox": {}, "#, 1));
    expect_fault(&answer, 400, "body.sandbox", "unknown_field");
    assert_eq!(wallet.balance().available, 25_000);
}

#[test]
fn extensions_in_a_request_add_no_members_to_its_record() {
    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "GBP", 25_000);
    let plain = wallet.authorize("10");
    let extended: Value =
        transaction(&wallet.client.post(
            AUTHORIZATION,
            with(&wallet, "10", r#""currencyCode": "USD", "partialApproval": true, "sandbox": {}"#),
        ));
    let declined = wallet.authorize("100000");
    for record in [&extended, &declined] {
        assert_eq!(crate::support::assert::members(record), crate::support::assert::members(&plain));
    }
}
