//! Card messages, credits and confirmations of batches across both instances, which behave like one.

use std::thread;

use crate::pair::{Pair, code, confirm_on, expect_one_confirmed, prevent_restarts};
use crate::support::assert::text;
use crate::support::batches::open_session;
use crate::support::load::check_journal;
use crate::support::wallet::{Balance, transaction};
use crate::support::{
    ADVICE, AUTHORIZATION, Answer, CLEARING, REVERSAL, Workspace, demo, expect_error, expect_fault, expect_json,
    together,
};

#[test]
fn a_hundred_authorizations_of_ten_on_ninety_five_approve_nine() {
    let _undisturbed = prevent_restarts();
    let pair = Pair::sandbox();
    let wallets = pair.wallets("GBP", 9_500);
    let answers = together(100, |number| {
        let wallet = &wallets[number % 2];
        wallet.client.post(AUTHORIZATION, wallet.first_body("10.00"))
    });
    let codes: Vec<_> = answers.iter().map(code).collect();
    assert_eq!(codes.iter().filter(|code| *code == "0000").count(), 9);
    assert_eq!(codes.iter().filter(|code| *code == "1016").count(), 91);
    let mut seen: Vec<_> = answers
        .iter()
        .map(transaction)
        .filter(|transaction| transaction["state"] == "PENDING")
        .map(|transaction| wallets[0].balance_in(&transaction).available)
        .collect();
    seen.sort_unstable();
    assert_eq!(seen, [500, 1_500, 2_500, 3_500, 4_500, 5_500, 6_500, 7_500, 8_500], "each saw its own balance");
    for wallet in &wallets {
        assert_eq!(wallet.balance(), Balance { ledger: 9_500 + wallet.reserved, available: 500 });
    }
    check_journal(pair.first.workspace());
}

#[test]
fn an_idempotency_key_on_both_has_one_effect() {
    let _undisturbed = prevent_restarts();
    let pair = Pair::sandbox();
    let wallets = pair.wallets("GBP", 25_000);
    for round in 1..=5 {
        let key = format!("both-{round}");
        let once = |number: usize| {
            let wallet = &wallets[number % 2];
            wallet.client.post_once(AUTHORIZATION, &key, wallet.first_body("10.00"))
        };
        let answers = together(20, once);
        let accepted: Vec<_> = answers.iter().filter(|answer| answer.status == 201).collect();
        let fresh: Vec<_> = accepted.iter().filter(|answer| !answer.replayed()).collect();
        assert_eq!(fresh.len(), 1, "{answers:?}");
        assert!(accepted.iter().all(|answer| answer.body == fresh[0].body));
        for answer in answers.iter().filter(|answer| answer.status != 201) {
            assert_eq!(expect_error(answer, 409)[0].code, "idempotency_in_flight");
        }
        for number in 0..2 {
            let again = once(number);
            assert!(again.replayed(), "{again:?}");
            assert_eq!(again.body, fresh[0].body);
        }
        assert_eq!(wallets[1].balance().available, 25_000 - 1_000 * round);
    }
}

#[test]
fn an_idempotency_key_of_one_instance_is_refused_on_the_other_for_another_request() {
    let _undisturbed = prevent_restarts();
    let pair = Pair::sandbox();
    let wallets = pair.wallets("GBP", 25_000);
    let first = wallets[0].client.post_once(AUTHORIZATION, "shared", wallets[0].first_body("10.00"));
    expect_json(&first, 201);
    let other = wallets[1].client.post_once(AUTHORIZATION, "shared", wallets[1].first_body("11.00"));
    expect_fault(&other, 422, "body.amount", "idempotency_mismatch");
    assert_eq!(wallets[0].balance().available, 24_000);
}

#[test]
fn one_of_two_confirmations_of_a_batch_succeeds() {
    let _undisturbed = prevent_restarts();
    let pair = Pair::funded();
    for batch in demo().batches("validated") {
        let sessions = [open_session(&pair.client(0), &batch), open_session(&pair.client(1), &batch)];
        // Each session is used on the instance that did not open it.
        expect_one_confirmed(&together(2, |number| confirm_on(pair.instance(number), &batch, &sessions[1 - number])));
    }
    check_journal(pair.first.workspace());
}

#[test]
fn a_session_confirms_once() {
    let _undisturbed = prevent_restarts();
    let pair = Pair::funded();
    for batch in demo().batches("validated").into_iter().take(4) {
        let session = open_session(&pair.client(0), &batch);
        expect_one_confirmed(&together(2, |number| confirm_on(pair.instance(number), &batch, &session)));
    }
}

#[test]
fn a_chain_begun_on_one_instance_continues_on_the_other() {
    let _undisturbed = prevent_restarts();
    let pair = Pair::sandbox();
    let [first, second] = pair.wallets("GBP", 25_000);
    for [first, second] in [[&first, &second], [&second, &first]] {
        let before = first.balance();
        let token = first.token(AUTHORIZATION, "10.00");
        second.follow_ok(ADVICE, &token, "8.00");
        first.follow_ok(REVERSAL, &token, "3.00");
        let cleared = second.follow_ok(CLEARING, &token, "5.00");
        assert_eq!(text(&cleared, "/state"), "COMPLETION");
        let expected = Balance { ledger: before.ledger - 500, available: before.available - 500 };
        assert_eq!((first.balance(), second.balance()), (expected, expected));
        let late = first.follow(CLEARING, &token, "1.00");
        expect_fault(&late, 409, "body.precedingRelatedTransactionToken", "already_cleared");
    }
}

/// Sends 20 messages that end the same hold. One must succeed, and the others must be refused with this code.
/// `expected` is the available balance afterwards, in pence.
fn end_once(path: &str, code: &str, expected: i64) {
    let _undisturbed = prevent_restarts();
    let pair = Pair::sandbox();
    let wallets = pair.wallets("GBP", 25_000);
    let token = wallets[0].token(AUTHORIZATION, "10");
    let answers: Vec<Answer> = together(20, |number| wallets[number % 2].follow(path, &token, "10"));
    assert_eq!(answers.iter().filter(|answer| answer.status == 201).count(), 1, "{path}");
    for answer in answers.iter().filter(|answer| answer.status != 201) {
        expect_fault(answer, 409, "body.precedingRelatedTransactionToken", code);
    }
    assert_eq!(wallets[1].balance().available, expected);
}

#[test]
fn a_hold_is_cleared_once() {
    end_once(CLEARING, "already_cleared", 24_000);
}

#[test]
fn a_hold_is_reversed_once() {
    end_once(REVERSAL, "already_reversed", 25_000);
}

#[test]
fn concurrent_chains_over_both_add_up() {
    let _undisturbed = prevent_restarts();
    let pair = Pair::sandbox();
    let wallets = pair.wallets("GBP", 100_000);
    thread::scope(|scope| {
        for worker in 0..8_usize {
            let wallets = &wallets;
            scope.spawn(move || {
                for number in 0..10 {
                    let (one, other) = (&wallets[(worker + number) % 2], &wallets[(worker + number + 1) % 2]);
                    let token = one.token(AUTHORIZATION, "5.00");
                    other.follow_ok(ADVICE, &token, "4.00");
                    one.follow_ok(REVERSAL, &token, "1.00");
                    other.follow_ok(CLEARING, &token, "2.99");
                    one.credit("0.01");
                }
            });
        }
    });
    let expected = 100_000 - 80 * 299 + 80;
    let expected = Balance { ledger: expected + wallets[0].reserved, available: expected };
    assert_eq!((wallets[0].balance(), wallets[1].balance()), (expected, expected));
    check_journal(pair.first.workspace());
}

#[test]
fn credits_over_both_are_numbered_without_duplicates_or_gaps() {
    let _undisturbed = prevent_restarts();
    let pair = Pair::on(Workspace::demo());
    let wallets = pair.wallets("GBP", 25_000);
    let answers = together(40, |number| {
        let wallet = &wallets[number % 2];
        let body = crate::support::wallet::credit_body(&wallet.card.budget, "0.01", "GBP");
        wallet.client.post(crate::support::CREDIT, body)
    });
    let mut numbers: Vec<_> =
        answers.iter().map(|answer| crate::pair::number(&expect_json(answer, 200)["boxTransactionId"])).collect();
    numbers.sort_unstable();
    assert!(numbers.windows(2).all(|two| two[1] == two[0] + 1), "{numbers:?}");
    assert_eq!(wallets[0].balance().available, 25_040);
}
