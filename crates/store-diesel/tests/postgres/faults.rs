//! A server that kills sessions, holds locks and disappears: answers are bounded, no message is half written, and the
//! store recovers.

use crate::Store;
use crate::database::skipped;
use crate::instances::{claim, stored_response};
use crate::proxy::{Cut, Proxy};
use crate::support::{Fixture, MINE, OTHER, authorization, authorize, fresh, id, settings_of, stamp};
use diesel::connection::SimpleConnection;
use florin_domain::money::Minor;
use florin_ports::{CardLedger, FirstMessageCommand, Readiness, Seeding, StoreError, Upkeep, WriteError, Written};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn killed_idle_sessions_cause_no_errors() {
    let fixture = Fixture::seeded().await;
    for number in 0..5 {
        authorize(&fixture.store, number, "1").await;
        fixture.open_both_readers().await;
        assert!(fixture.database.kill_sessions() >= 3);
        let read = fixture.store.budgets(&id(MINE)).await.unwrap();
        assert_eq!(read.len(), 2);
        assert_eq!(fixture.store.readiness().await, Ok(Readiness::Ready));
    }
    fixture.check_books().await;
}

/// Number of clients that write while the sessions are killed.
const CLIENTS: i64 = 16;

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn sessions_killed_under_load_leave_nothing_half_written() {
    let fixture = Arc::new(Fixture::funded(100_000_000).await);
    let other = fixture.instance();
    let running = Arc::new(AtomicBool::new(true));
    let next = Arc::new(AtomicU64::new(0));
    let written = Arc::new(AtomicI64::new(0));
    let mut clients = JoinSet::new();
    for client in 0..CLIENTS {
        let store = if client % 2 == 0 { fixture.store.clone() } else { other.clone() };
        let (running, next, written) = (Arc::clone(&running), Arc::clone(&next), Arc::clone(&written));
        clients.spawn(async move {
            let mut worst = Duration::ZERO;
            while running.load(Ordering::Relaxed) {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let account = if number % 3 == 0 { OTHER } else { MINE };
                let start = Instant::now();
                match store.first_message(authorization(account, stamp(number.into()), "0.01")).await {
                    Ok(Written::New(_)) => _ = written.fetch_add(1, Ordering::Relaxed),
                    Err(WriteError::Store(StoreError::Unavailable(_) | StoreError::OutcomeUnknown(_))) => {}
                    other => panic!("{other:?}"),
                }
                worst = worst.max(start.elapsed());
            }
            worst
        });
    }
    kill_sessions_under_load(&fixture, &written).await;
    running.store(false, Ordering::Relaxed);
    let worst = clients.join_all().await.into_iter().max().unwrap();
    let written = written.load(Ordering::Relaxed);
    assert!(worst < Duration::from_secs(6), "{worst:?}");
    // Every answered write is stored. A write whose commit was lost may be stored.
    let held = fixture.balances(MINE).await.held().0 + fixture.balances(OTHER).await.held().0;
    assert!(held >= written, "{held} {written}");
    let complete = "SELECT COUNT(*) AS value FROM card_transactions t WHERE \
        (SELECT COUNT(*) FROM card_chains c WHERE c.account_id = t.account_id AND c.id = t.token \
        AND c.held_minor = 1) = 1 AND \
        (SELECT COUNT(*) FROM journal_legs j WHERE j.account_id = t.account_id AND j.cause_id = t.token) = 1";
    assert_eq!(fixture.database.number(complete), held);
    assert_eq!(fixture.database.number("SELECT COUNT(*) AS value FROM card_transactions"), held);
    fixture.check_books().await;
    authorize(&fixture.store, 1 << 40, "1").await;
    fresh(other.first_message(authorization(MINE, stamp(1 << 41), "1")).await);
    fixture.check_books().await;
}

/// Kills all sessions 40 times. After each time, it waits until a new session has written: until more writes have been
/// answered than the clients can have had in progress.
async fn kill_sessions_under_load(fixture: &Arc<Fixture>, written: &AtomicI64) {
    for _ in 0..40 {
        let fixture = Arc::clone(fixture);
        tokio::task::spawn_blocking(move || fixture.database.kill_sessions()).await.unwrap();
        let required = written.load(Ordering::Relaxed) + CLIENTS + 1;
        let start = Instant::now();
        tokio::time::sleep(Duration::from_millis(50)).await;
        while written.load(Ordering::Relaxed) < required {
            assert!(start.elapsed() < Duration::from_secs(30), "no write succeeds after the sessions were killed");
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lock_timeout_is_unavailable_and_recovers() {
    let fixture = Fixture::seeded().await;
    let mut other = fixture.database.connect();
    other.batch_execute("BEGIN; UPDATE balances SET held_minor = held_minor").unwrap();
    let start = Instant::now();
    let answer = fixture.store.first_message(authorization(MINE, stamp(1), "10")).await;
    assert!(matches!(answer, Err(WriteError::Store(StoreError::Unavailable(_)))), "{answer:?}");
    assert!(start.elapsed() < Duration::from_secs(6), "{:?}", start.elapsed());
    // Reads continue meanwhile.
    assert_eq!(fixture.balances(MINE).await.available(), Minor(9_500));
    other.batch_execute("ROLLBACK").unwrap();
    authorize(&fixture.store, 1, "10").await;
    fixture.check_books().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deadlock_is_retried() {
    let fixture = Fixture::seeded().await;
    let mut other = fixture.database.connect();
    // The other session has locked the second budget, and locks the first budget while the store waits.
    other.batch_execute("BEGIN; SELECT 1 FROM balances WHERE account_id = 'F2' FOR UPDATE").unwrap();
    let gate = crate::groups::Gate::shut(&fixture.store).await;
    let one = crate::groups::queue(&fixture.store, authorization(MINE, stamp(1), "10")).await;
    let two = crate::groups::queue(&fixture.store, authorization(OTHER, stamp(2), "10")).await;
    gate.open().await;
    let rival = tokio::task::spawn_blocking(move || {
        std::thread::sleep(Duration::from_millis(300));
        // The server aborts one of the two transactions. The store retries its own.
        let _ = other.batch_execute("SELECT 1 FROM balances WHERE account_id = 'F1' FOR UPDATE");
        other.batch_execute("ROLLBACK").unwrap();
    });
    fresh(one.await.unwrap());
    fresh(two.await.unwrap());
    rival.await.unwrap();
    fixture.check_books().await;
}

/// The session dies while its group waits for a lock and holds half of its locks.
#[tokio::test(flavor = "multi_thread")]
async fn a_connection_lost_within_a_group_is_replaced_and_the_group_written_once() {
    let fixture = Fixture::seeded().await;
    let mut other = fixture.database.connect();
    other.batch_execute("BEGIN; SELECT 1 FROM balances WHERE account_id = 'F2' FOR UPDATE").unwrap();
    let gate = crate::groups::Gate::shut(&fixture.store).await;
    let one = crate::groups::queue(&fixture.store, authorization(MINE, stamp(1), "10")).await;
    let two = crate::groups::queue(&fixture.store, authorization(OTHER, stamp(2), "10")).await;
    let three = crate::groups::queue(&fixture.store, authorization(MINE, stamp(3), "10")).await;
    gate.open().await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert!(!one.is_finished() && !two.is_finished());
    // This also kills the session that holds the lock.
    assert!(fixture.database.kill_sessions() >= 2);
    for answer in [one, two, three] {
        fresh(answer.await.unwrap());
    }
    assert_eq!(fixture.balances(MINE).await.held(), Minor(2_000));
    assert_eq!(fixture.balances(OTHER).await.held(), Minor(1_000));
    fixture.check_books().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_idempotency_record_resolves_an_unknown_commit_outcome() {
    let fixture = Fixture::seeded().await;
    let Some(proxy) = Proxy::to(&fixture.database.url) else {
        skipped("the server of DATABASE_URL has no TCP port to put a proxy before");
        return;
    };
    let store = Store::open(&settings_of(&proxy.url)).unwrap();
    let command = |number, key: &str| FirstMessageCommand {
        claim: Some(claim(key, "{}", stored_response)),
        ..authorization(MINE, stamp(number), "10")
    };
    proxy.cut(Cut::After);
    let lost = store.first_message(command(1, "after")).await;
    assert!(matches!(lost, Err(WriteError::Store(StoreError::OutcomeUnknown(_)))), "{lost:?}");
    let again = store.first_message(command(2, "after")).await.unwrap();
    assert!(matches!(&again, Written::Replayed(answer) if answer.body == stamp(1).token.to_string()), "{again:?}");
    assert_eq!(fixture.balances(MINE).await.held(), Minor(1_000));

    proxy.cut(Cut::Before);
    let lost = store.first_message(command(3, "before")).await;
    assert!(matches!(lost, Err(WriteError::Store(StoreError::OutcomeUnknown(_)))), "{lost:?}");
    fresh(store.first_message(command(4, "before")).await);
    assert_eq!(fixture.balances(MINE).await.held(), Minor(2_000));
    fixture.check_books().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unreachable_server_is_reported_in_time() {
    let fixture = Fixture::seeded().await;
    // New sessions are refused, and existing ones are killed.
    fixture.database.keep_sessions_away();
    fixture.database.kill_sessions();
    for _ in 0..3 {
        let start = Instant::now();
        let answer = fixture.store.first_message(authorization(MINE, stamp(1), "10")).await;
        assert!(matches!(answer, Err(WriteError::Store(StoreError::Unavailable(_)))), "{answer:?}");
        let read = fixture.store.budgets(&id(MINE)).await;
        assert!(matches!(read, Err(StoreError::Unavailable(_))), "{read:?}");
        assert!(start.elapsed() < Duration::from_secs(6), "{:?}", start.elapsed());
    }
    fixture.database.allow_sessions();
    authorize(&fixture.store, 1, "10").await;
    assert_eq!(fixture.balances(MINE).await.held(), Minor(1_000));
    fixture.check_books().await;
}
