//! Commands of one group see the changes of earlier commands, although none of them is stored yet.

use crate::batches::{confirm, open};
use crate::credits::credit;
use crate::groups::{Gate, queue, queued};
use crate::support::{
    Fixture, MINE, MessageIds, OTHER, amount, authorization, budget, follow_up, fresh, gbp, id, noon, seed_data, stamp,
};
use chrono::TimeDelta;
use florin_domain::batch::{ConfirmRefusal, PaymentBatchStatus};
use florin_domain::card::decide::{CardRefusal, FollowUp, decide_expiry};
use florin_domain::card::{LimitWindow, TransactionState};
use florin_domain::mfa::{MfaProviderName, MfaVerdict};
use florin_domain::money::Minor;
use florin_domain::test_support::a_limit;
use florin_ports::{CardLedger, Credits, DueHold, ExpiryCommand, MfaSessions, PaymentBatches, Seeding, WriteError};
use std::sync::Arc;

fn advice(text: &str) -> FollowUp {
    FollowUp::Advice { amount: amount(text) }
}

#[tokio::test(flavor = "multi_thread")]
async fn all_messages_of_a_chain_can_be_in_one_group() {
    let fixture = Fixture::seeded().await;
    let gate = Gate::shut(&fixture.store).await;
    let authorized = queue(&fixture.store, authorization(MINE, stamp(1), "10")).await;
    let mut follow_ups = Vec::new();
    let clearing = |text, is_final| FollowUp::Clearing { amount: amount(text), is_final };
    let messages =
        [(1, 2, advice("30")), (2, 3, clearing("5", false)), (2, 4, clearing("7", true)), (1, 5, advice("1"))];
    for (named, number, message) in messages {
        let store = fixture.store.clone();
        let command = follow_up(MINE, stamp(named).token, stamp(number), message);
        follow_ups.push(queued(async move { store.follow_up(command).await }).await);
    }
    let next = queue(&fixture.store, authorization(MINE, stamp(6), "1")).await;
    gate.open().await;
    assert_eq!(fresh(authorized.await.unwrap()).available_balance, Minor(8_500));
    let mut answers = Vec::new();
    for follow_up in follow_ups {
        answers.push(follow_up.await.unwrap());
    }
    assert_eq!(answers.pop().unwrap(), Err(WriteError::Refused(CardRefusal::AlreadyCleared)));
    let available: Vec<_> = answers.into_iter().map(|answer| fresh(answer).available_balance.0).collect();
    assert_eq!(available, [6_500, 6_500, 8_300]);
    assert_eq!(fresh(next.await.unwrap()).available_balance, Minor(8_200));
    let balances = fixture.balances(MINE).await;
    assert_eq!((balances.available(), balances.held(), balances.ledger()), (Minor(8_200), Minor(100), Minor(8_300)));
    // The final state was stored, so the next group refuses the same message.
    let late = fixture.store.follow_up(follow_up(MINE, stamp(2).token, stamp(7), advice("1"))).await;
    assert_eq!(late, Err(WriteError::Refused(CardRefusal::AlreadyCleared)));
    fixture.check_books().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hold_expires_once_in_a_group() {
    let fixture = Fixture::seeded().await;
    fresh(fixture.store.first_message(authorization(MINE, stamp(1), "10")).await);
    let gate = Gate::shut(&fixture.store).await;
    let mut sweeps = Vec::new();
    for number in 2..5 {
        let store = fixture.store.clone();
        let late = MessageIds { now: noon() + TimeDelta::days(7), ..stamp(number) };
        let decide = Arc::new(move |situation: &_| late.rule(|stamp| decide_expiry(situation, stamp)));
        let command = ExpiryCommand { hold: DueHold { account: id(MINE), chain: stamp(1).token }, decide };
        sweeps.push(queued(async move { store.expire(command).await }).await);
    }
    gate.open().await;
    let mut expired = Vec::new();
    for sweep in sweeps {
        expired.push(sweep.await.unwrap());
    }
    assert_eq!(expired, [Ok(true), Ok(false), Ok(false)]);
    assert_eq!(fixture.balances(MINE).await.held(), Minor(0));
    fixture.check_books().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_limit_is_used_up_within_a_group() {
    let fixture = Fixture::empty();
    let mut data = seed_data(9_500);
    data.accounts[0].cards[0].limits = vec![a_limit(LimitWindow::Month, "25.00 GBP")];
    fixture.store.seed(data).await.unwrap();
    let gate = Gate::shut(&fixture.store).await;
    let mut answers = Vec::new();
    for number in 1..=3 {
        answers.push(queue(&fixture.store, authorization(MINE, stamp(number), "10")).await);
    }
    gate.open().await;
    let mut states = Vec::new();
    for answer in answers {
        states.push(fresh(answer.await.unwrap()).state);
    }
    assert_eq!(states, [TransactionState::Pending, TransactionState::Pending, TransactionState::Declined]);
    let next = fresh(fixture.store.first_message(authorization(MINE, stamp(4), "5.01")).await);
    assert_eq!(next.state, TransactionState::Declined);
    let last = fresh(fixture.store.first_message(authorization(MINE, stamp(5), "5")).await);
    assert_eq!(last.state, TransactionState::Pending);
}

#[tokio::test(flavor = "multi_thread")]
async fn credits_of_a_group_are_numbered_sequentially() {
    let fixture = Fixture::seeded().await;
    let gate = Gate::shut(&fixture.store).await;
    let mut credits = Vec::new();
    for (number, account) in [(1, MINE), (2, OTHER), (3, MINE), (4, MINE)] {
        let store = fixture.store.clone();
        let command = credit(account, budget(account), number, "1", gbp());
        credits.push(queued(async move { store.credit(command).await }).await);
    }
    let spent = queue(&fixture.store, authorization(MINE, stamp(1), "98")).await;
    gate.open().await;
    let mut numbers = Vec::new();
    for credit in credits {
        let credit = fresh(credit.await.unwrap());
        numbers.push((credit.box_transaction_id, credit.balances.available().0));
    }
    assert_eq!(numbers, [(1, 9_600), (1, 9_600), (2, 9_700), (3, 9_800)]);
    assert_eq!(fresh(spent.await.unwrap()).available_balance, Minor(0));
    fixture.check_books().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_opened_in_a_group_confirms_in_it_once() {
    let fixture = Fixture::seeded().await;
    let provider = MfaProviderName::Totp;
    let gate = Gate::shut(&fixture.store).await;
    let store = fixture.store.clone();
    let opened = queued(async move { store.open(open(MINE, MINE, 1, provider)).await }).await;
    let mut confirmations = Vec::new();
    let right = MfaVerdict::Correct { step: Some(7) };
    for (number, verdict) in [(1, MfaVerdict::Wrong), (2, right), (3, right)] {
        let store = fixture.store.clone();
        let command = confirm(1, number, provider, verdict);
        confirmations.push(queued(async move { store.confirm(command).await }).await);
    }
    gate.open().await;
    fresh(opened.await.unwrap());
    let mut answers = Vec::new();
    for confirmation in confirmations {
        answers.push(confirmation.await.unwrap());
    }
    assert!(matches!(answers[0], Err(WriteError::Refused(ConfirmRefusal::Mfa(_)))), "{:?}", answers[0]);
    assert!(matches!(answers[2], Err(WriteError::Refused(ConfirmRefusal::State(_)))), "{:?}", answers[2]);
    assert_eq!(fresh(answers.swap_remove(1)).status(), PaymentBatchStatus::Confirmed);
    let enrolment = fixture.store.enrolment(&id(MINE)).await.unwrap().unwrap();
    assert_eq!((enrolment.wrong_at.len(), enrolment.used_steps), (1, vec![7]));
    assert_eq!(fixture.balances(MINE).await.reserved(), Minor(1_000));
    fixture.check_books().await;
}
