//! Two instances on one database see each other's changes, and overwrite none of them.

use crate::batches::{confirm, open};
use crate::support::{Answered, Fixture, MINE, OTHER, authorization, client, fresh, gbp, id, noon, stamp};
use diesel::connection::SimpleConnection;
use florin_domain::card::{CardTransaction, TransactionState};
use florin_domain::mfa::{MfaProviderName, MfaSession, MfaVerdict};
use florin_domain::money::Minor;
use florin_ports::{
    CardLedger, FirstMessageCommand, IdempotencyClaim, IdempotencyKey, MfaSessions, OpenMfaSessionCommand,
    PaymentBatches, RecordedBody, RecordedRequest, Seeding, StoredResponse, WriteError, Written,
};
use std::sync::Arc;
use tokio::task::JoinSet;

/// Returns a claim of a key for a request with this body.
pub(crate) fn claim<T: 'static>(key: &str, body: &str, answer: fn(&T) -> StoredResponse) -> IdempotencyClaim<T> {
    let body = RecordedBody::Json(body.into());
    let request = RecordedRequest { method: "POST".into(), path: "/v2/x".into(), query: "{}".into(), body };
    let request = Arc::new(request);
    let key = IdempotencyKey::parse(key.as_bytes()).unwrap();
    IdempotencyClaim { client: client(MINE), account: id(MINE), key, request, at: noon(), response: Arc::new(answer) }
}

pub(crate) fn stored_response(message: &CardTransaction) -> StoredResponse {
    StoredResponse { status: 201, body: message.token.to_string() }
}

fn stored_session(session: &MfaSession) -> StoredResponse {
    StoredResponse { status: 201, body: session.id.to_string() }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_100_authorizations_of_10_on_95_on_two_instances_exactly_9_are_approved() {
    let fixture = Fixture::seeded().await;
    let stores = [fixture.store.clone(), fixture.instance()];
    let mut tasks: JoinSet<Answered> = JoinSet::new();
    for number in 0..100_u128 {
        let store = stores[usize::from(number % 2 == 0)].clone();
        tasks.spawn(async move { store.first_message(authorization(MINE, stamp(number), "10")).await });
    }
    let states: Vec<_> = tasks.join_all().await.into_iter().map(|answer| fresh(answer).state).collect();
    let count = |expected| states.iter().filter(|state| **state == expected).count();
    assert_eq!((count(TransactionState::Pending), count(TransactionState::Declined)), (9, 91));
    let balances = fixture.balances(MINE).await;
    assert_eq!((balances.available(), balances.held()), (Minor(500), Minor(9_000)));
    fixture.check_books().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn one_key_on_two_instances_has_one_effect() {
    let fixture = Fixture::seeded().await;
    let stores = [fixture.store.clone(), fixture.instance()];
    for round in 0..5_u128 {
        let mut tasks: JoinSet<Answered> = JoinSet::new();
        for number in 0..20_u128 {
            let store = stores[usize::from(number % 2 == 0)].clone();
            let claim = Some(claim(&format!("k{round}"), "{}", stored_response));
            let stamp = stamp(round * 100 + number);
            tasks.spawn(async move {
                store.first_message(FirstMessageCommand { claim, ..authorization(MINE, stamp, "10") }).await
            });
        }
        let answers = tasks.join_all().await.into_iter().map(Result::unwrap);
        let (first, repeated): (Vec<_>, Vec<_>) = answers.partition(|answer| matches!(answer, Written::New(_)));
        let [Written::New(first)] = &first[..] else { panic!("{first:?}") };
        assert_eq!(repeated, vec![Written::Replayed(stored_response(first)); 19]);
    }
    assert_eq!(fixture.balances(MINE).await.held(), Minor(5_000));
    fixture.check_books().await;
}

/// The two requests share no lock: only the record itself prevents a second effect.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn one_key_for_different_requests_has_one_effect() {
    let fixture = Fixture::seeded().await;
    let other = fixture.instance();
    for round in 0..20_u128 {
        let key = format!("k{round}");
        let session = OpenMfaSessionCommand {
            claim: Some(claim(&key, "open", stored_session)),
            ..open(MINE, MINE, round, MfaProviderName::Sandbox)
        };
        let message = FirstMessageCommand {
            claim: Some(claim(&key, "pay", stored_response)),
            ..authorization(MINE, stamp(round), "0.01")
        };
        let (opened, paid) = tokio::join!(fixture.store.open(session), other.first_message(message));
        match (&opened, &paid) {
            (Ok(Written::New(_)), Err(WriteError::Mismatch(other))) => {
                assert_eq!(other.body, RecordedBody::Json("open".into()));
            }
            (Err(WriteError::Mismatch(other)), Ok(Written::New(_))) => {
                assert_eq!(other.body, RecordedBody::Json("pay".into()));
            }
            both => panic!("{both:?}"),
        }
    }
    let effects = fixture
        .database
        .number("SELECT (SELECT COUNT(*) FROM mfa_sessions) + (SELECT COUNT(*) FROM card_transactions) AS value");
    assert_eq!(effects, 20);
    assert_eq!(fixture.database.number("SELECT COUNT(*) AS value FROM idempotency_records"), 20);
}

/// Another instance stores a record after the store has searched for it, and before the store stores its own record.
#[tokio::test(flavor = "multi_thread")]
async fn a_write_waits_for_a_record_that_another_instance_is_storing() {
    let fixture = Fixture::seeded().await;
    let mut other = fixture.database.connect();
    let record = format!(
        "BEGIN; INSERT INTO idempotency_records VALUES \
        ('F1', '{}', 'k', 'POST', '/v2/x', '{{}}', 'json', '{{}}', 201, 'theirs', '2026-09-01T12:00:00Z')",
        client(MINE)
    );
    other.batch_execute(&record).unwrap();
    let store = fixture.store.clone();
    let waiting = tokio::spawn(async move {
        let claim = Some(claim("k", "{}", stored_response));
        store.first_message(FirstMessageCommand { claim, ..authorization(MINE, stamp(1), "10") }).await
    });
    tokio::time::sleep(std::time::Duration::from_millis(300)).await;
    assert!(!waiting.is_finished());
    other.batch_execute("COMMIT").unwrap();
    assert_eq!(waiting.await.unwrap(), Ok(Written::Replayed(StoredResponse { status: 201, body: "theirs".into() })));
    assert_eq!(fixture.balances(MINE).await.held(), Minor(0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn one_key_on_two_instances_opens_one_session() {
    let fixture = Fixture::seeded().await;
    let stores = [fixture.store.clone(), fixture.instance()];
    let mut tasks = JoinSet::new();
    for number in 0..20_u128 {
        let store = stores[usize::from(number % 2 == 0)].clone();
        let claim = Some(claim("k", "{}", stored_session));
        let command = OpenMfaSessionCommand { claim, ..open(MINE, MINE, number, MfaProviderName::Sandbox) };
        tasks.spawn(async move { store.open(command).await });
    }
    let answers = tasks.join_all().await;
    assert!(answers.iter().all(Result::is_ok), "{answers:?}");
    assert_eq!(fixture.database.number("SELECT COUNT(*) AS value FROM mfa_sessions"), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn one_of_two_concurrent_confirmations_on_two_instances_wins() {
    let fixture = Fixture::seeded().await;
    let stores = [fixture.store.clone(), fixture.instance()];
    for number in 1..=20 {
        fresh(fixture.store.open(open(MINE, MINE, number, MfaProviderName::Sandbox)).await);
    }
    let right = MfaVerdict::Correct { step: None };
    let mut tasks = JoinSet::new();
    for number in 1..=20_u128 {
        let store = stores[usize::from(number % 2 == 0)].clone();
        tasks.spawn(async move { store.confirm(confirm(number, number, MfaProviderName::Sandbox, right)).await });
    }
    let answers = tasks.join_all().await;
    assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 1, "{answers:?}");
    assert!(answers.iter().all(|answer| matches!(answer, Ok(_) | Err(WriteError::Refused(_)))), "{answers:?}");
    assert_eq!(fixture.balances(MINE).await.reserved(), Minor(1_000));
    fixture.check_books().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn each_instance_reads_what_the_other_commits() {
    let fixture = Fixture::seeded().await;
    let other = fixture.instance();
    for number in 0..50 {
        let (writer, reader) = if number % 2 == 0 { (&fixture.store, &other) } else { (&other, &fixture.store) };
        fresh(writer.first_message(authorization(OTHER, stamp(number), "0.01")).await);
        let budgets = reader.budgets(&id(OTHER)).await.unwrap();
        let held = budgets[0].in_currency(gbp()).unwrap().held().0;
        assert_eq!(held, i64::try_from(number).unwrap() + 1);
    }
}
