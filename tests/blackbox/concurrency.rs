//! Concurrent requests: money is never spent twice, requests with one idempotency key take effect once, a batch is
//! confirmed once.

use std::thread;

use crate::support::assert::text;
use crate::support::batches::{confirm, funded_server, open_session};
use crate::support::wallet::{Balance, transaction};
use crate::support::{
    ADVICE, AUTHORIZATION, Answer, CLEARING, Client, REVERSAL, Server, Wallet, demo, expect_error, expect_fault,
    expect_json, together,
};

fn code(answer: &Answer) -> String {
    text(&transaction(answer), "/response/code").to_owned()
}

#[test]
fn a_hundred_authorizations_of_ten_on_ninety_five_approve_nine() {
    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "GBP", 9_500);
    let answers = together(100, |_| wallet.client.post(AUTHORIZATION, wallet.first_body("10.00")));
    let codes: Vec<_> = answers.iter().map(code).collect();
    assert_eq!(codes.iter().filter(|code| *code == "0000").count(), 9);
    assert_eq!(codes.iter().filter(|code| *code == "1016").count(), 91);
    assert_eq!(wallet.balance(), Balance { ledger: 9_500 + wallet.reserved, available: 500 });
    let mut seen: Vec<_> = answers
        .iter()
        .map(transaction)
        .filter(|transaction| transaction["state"] == "PENDING")
        .map(|transaction| wallet.balance_in(&transaction).available)
        .collect();
    seen.sort_unstable();
    assert_eq!(seen, [500, 1_500, 2_500, 3_500, 4_500, 5_500, 6_500, 7_500, 8_500], "each saw its own balance");
}

#[test]
fn several_cards_of_one_budget_share_its_money() {
    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "GBP", 9_500);
    let cards: Vec<_> = demo()
        .active_cards("GBP")
        .filter(|card| card.budget == wallet.card.budget)
        .map(|card| Wallet { card: card.clone(), ..wallet.clone() })
        .collect();
    let answers = together(60, |number| {
        let wallet = &cards[number % cards.len()];
        wallet.client.post(AUTHORIZATION, wallet.first_body("10.00"))
    });
    let approved = answers.iter().filter(|answer| code(answer) == "0000").count();
    assert_eq!(wallet.balance().available, 9_500 - 1_000 * i64::try_from(approved).unwrap());
    // Cards of the demo may have a spending limit, so fewer than nine may be approved, but never more.
    assert!((1..=9).contains(&approved), "{approved} were approved");
}

#[test]
fn fifty_equal_requests_with_one_idempotency_key_have_one_effect() {
    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "GBP", 25_000);
    let once = || wallet.client.post_once(AUTHORIZATION, "fifty", wallet.first_body("10.00"));
    let answers = together(50, |_| once());
    let (mut fresh, mut replayed, mut waiting) = (Vec::new(), Vec::new(), 0);
    for answer in &answers {
        match answer.status {
            201 if answer.replayed() => replayed.push(answer),
            201 => fresh.push(answer),
            _ => {
                assert_eq!(expect_error(answer, 409)[0].code, "idempotency_in_flight");
                assert!(answer.header("retry-after").is_some(), "{answer:?}");
                waiting += 1;
            }
        }
    }
    assert_eq!(fresh.len(), 1, "{} replayed, {waiting} refused as in flight", replayed.len());
    assert!(replayed.iter().all(|answer| answer.body == fresh[0].body));
    assert_eq!(wallet.balance().available, 24_000);
    let after = once();
    assert!(after.replayed());
    assert_eq!(after.body, fresh[0].body);
}

#[test]
fn different_requests_with_one_idempotency_key_have_one_effect() {
    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "GBP", 25_000);
    let answers = together(20, |number| {
        wallet.client.post_once(AUTHORIZATION, "many", wallet.first_body(&(number + 1).to_string()))
    });
    let accepted_answers: Vec<_> = answers.iter().filter(|answer| answer.status == 201).collect();
    assert_eq!(accepted_answers.len(), 1);
    for answer in answers.iter().filter(|answer| answer.status != 201) {
        let (status, expected) = match answer.status {
            409 => (409, "idempotency_in_flight"),
            _ => (422, "idempotency_mismatch"),
        };
        assert_eq!(expect_error(answer, status)[0].code, expected);
    }
    let balance = wallet.balance_in(&transaction(accepted_answers[0]));
    assert_eq!(wallet.balance(), balance);
}

#[test]
fn of_two_confirmations_of_a_batch_one_succeeds() {
    let server = funded_server();
    let client = server.client();
    for batch in demo().batches("validated") {
        let sessions = [open_session(&client, &batch), open_session(&client, &batch)];
        let answers = together(2, |number| confirm(&client, &batch, &sessions[number], "000000"));
        expect_one_confirmed(&answers);
    }
}

fn expect_one_confirmed(answers: &[Answer]) {
    let confirmed: Vec<_> = answers.iter().filter(|answer| answer.status == 200).collect();
    assert_eq!(confirmed.len(), 1, "{answers:?}");
    expect_json(confirmed[0], 200);
    let refused = answers.iter().find(|answer| answer.status != 200).unwrap();
    expect_fault(refused, 409, "path.paymentBatchId", "invalid_state");
}

#[test]
fn an_mfa_session_confirms_once() {
    let server = funded_server();
    let client = server.client();
    for batch in demo().batches("validated").into_iter().take(4) {
        let session = open_session(&client, &batch);
        expect_one_confirmed(&together(2, |_| confirm(&client, &batch, &session, "000000")));
    }
}

#[test]
fn concurrent_wrong_tokens_are_all_counted() {
    let server = funded_server();
    let client = server.client();
    let batch = demo().batch("validated");
    let session = open_session(&client, &batch);
    let answers = together(12, |_| confirm(&client, &batch, &session, "000001"));
    let codes: Vec<_> = answers.iter().map(|answer| expect_error(answer, 403)[0].code.clone()).collect();
    assert_eq!(codes.iter().filter(|code| *code == "mfa_failed").count(), 5, "{codes:?}");
    assert_eq!(codes.iter().filter(|code| *code == "mfa_locked").count(), 7, "{codes:?}");
}

/// Sends one follow-up many times. Expects that one is accepted, and that the others are refused with `refusal`,
/// because the chain has ended. `available` is the available balance afterwards, in pence.
fn expect_accepted_once(path: &str, refusal: &str, available: i64) {
    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "GBP", 25_000);
    let token = wallet.token(AUTHORIZATION, "10");
    let answers = together(20, |_| wallet.follow(path, &token, "10"));
    let accepted = answers.iter().filter(|answer| answer.status == 201).count();
    assert_eq!(accepted, 1, "{path}");
    for answer in answers.iter().filter(|answer| answer.status != 201) {
        expect_fault(answer, 409, "body.precedingRelatedTransactionToken", refusal);
    }
    assert_eq!(wallet.balance().available, available);
}

#[test]
fn a_hold_is_cleared_once() {
    expect_accepted_once(CLEARING, "already_cleared", 24_000);
}

#[test]
fn a_hold_is_reversed_once() {
    expect_accepted_once(REVERSAL, "already_reversed", 25_000);
}

#[test]
fn of_a_clearing_and_a_reversal_of_a_hold_one_succeeds() {
    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "GBP", 25_000);
    for _ in 0..5 {
        let before = wallet.balance();
        let token = wallet.token(AUTHORIZATION, "10");
        let paths = [CLEARING, REVERSAL];
        let answers = together(2, |number| wallet.follow(paths[number], &token, "10"));
        let cleared = answers[0].status == 201;
        assert_ne!(cleared, answers[1].status == 201, "{answers:?}");
        let spent = if cleared { 1_000 } else { 0 };
        let expected = Balance { ledger: before.ledger - spent, available: before.available - spent };
        assert_eq!(wallet.balance(), expected);
    }
}

#[test]
fn many_concurrent_messages_on_one_budget_add_up() {
    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "GBP", 100_000);
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..10 {
                    let token = wallet.token(AUTHORIZATION, "5.00");
                    wallet.follow_ok(ADVICE, &token, "4.00");
                    wallet.follow_ok(REVERSAL, &token, "1.00");
                    wallet.follow_ok(CLEARING, &token, "2.99");
                    wallet.credit("0.01");
                }
            });
        }
    });
    let expected = 100_000 - 80 * 299 + 80;
    assert_eq!(wallet.balance(), Balance { ledger: expected + wallet.reserved, available: expected });
}

#[test]
fn reads_continue_during_writes() {
    let server = Server::sandbox();
    let wallet = Wallet::with(&server, "GBP", 100_000);
    let read = |client: &Client| expect_json(&client.get(crate::support::CHECKOUTS), 200);
    let expected = read(&wallet.client);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..20).for_each(|_| drop(wallet.authorize("0.01"))));
            scope.spawn(|| (0..20).for_each(|_| assert_eq!(read(&wallet.client), expected)));
        }
    });
    assert_eq!(wallet.balance().available, 100_000 - 80);
}
