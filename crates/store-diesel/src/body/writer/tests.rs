//! Tests that the writer survives panics, keeps the order of arrival, and refuses jobs when its queue is full.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use super::body::backend::{self, Conn};
use super::body::footprint::Footprint;
use super::body::group::Command;
use super::body::job::{EndedAttempts, Job};
use super::body::store::Store;
use super::body::tables::access::clients;
use super::body::types::Id;
use super::body::working_set::WorkingSet;
use super::shares_transaction;
use backend::testing::with_store;
use chrono::DateTime;
use diesel::prelude::*;
use florin_domain::ids::{LeaseId, WebhookId};
use florin_ports::{ClaimDeliveriesCommand, StoreError, WriteError};
use std::convert::Infallible;
use std::future::Future;
use std::pin::pin;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::task::Poll;
use tokio::task::JoinHandle;
use uuid::Uuid;

/// A command that decides nothing. If `buggy`, it panics outside a rule.
struct Idle {
    buggy: bool,
}

impl Command for Idle {
    type Done = ();
    type Refused = Infallible;

    fn footprint(&self, _: &mut Footprint) {}

    fn execute(&self, _: &mut WorkingSet) -> Result<(), WriteError<Infallible>> {
        assert!(!self.buggy, "a bug outside of a rule");
        Ok(())
    }
}

/// Polls the work once, so that its job is queued before this returns.
async fn queued<T: Send + 'static>(work: impl Future<Output = T> + Send + 'static) -> JoinHandle<T> {
    let mut work = Box::pin(work);
    let polled = std::future::poll_fn(|context| Poll::Ready(work.as_mut().poll(context))).await;
    tokio::spawn(async move {
        match polled {
            Poll::Ready(done) => done,
            Poll::Pending => work.await,
        }
    })
}

async fn command(store: &Store, buggy: bool) -> JoinHandle<Result<(), WriteError<Infallible>>> {
    let store = store.clone();
    queued(async move { store.submit(Idle { buggy }).await }).await
}

/// Blocks the writer until the sender is used.
async fn busy(store: &Store) -> (Sender<()>, JoinHandle<Result<(), StoreError>>) {
    let (go_on, signal) = channel();
    let (reached, is_busy) = tokio::sync::oneshot::channel();
    let (signal, reached) = (Mutex::new(signal), Mutex::new(Some(reached)));
    let store = store.clone();
    let work = queued(async move {
        let wait = move |_: &mut Conn| {
            if let Some(reached) = reached.lock().unwrap().take() {
                reached.send(()).unwrap();
                signal.lock().unwrap().recv().unwrap();
            }
            Ok(())
        };
        store.change(wait).await
    });
    let work = work.await;
    is_busy.await.unwrap();
    (go_on, work)
}

fn in_time<T>(test: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async { tokio::time::timeout(std::time::Duration::from_secs(20), pin!(test)).await.unwrap() })
}

fn insert(conn: &mut Conn, id: u128) -> usize {
    let row = (clients::id.eq(Id(Uuid::from_u128(id))), clients::name.eq("x"), clients::allowed_networks.eq(""));
    diesel::insert_into(clients::table).values(row).execute(conn).unwrap()
}

async fn count(store: &Store) -> i64 {
    store.change(|conn| Ok(clients::table.count().get_result(conn)?)).await.unwrap()
}

#[test]
fn a_panic_in_a_change_is_rolled_back_and_the_writer_continues() {
    with_store(8, |store| {
        in_time(async {
            let bug = |conn: &mut Conn| -> super::Outcome<()> {
                insert(conn, 1);
                panic!("half way");
            };
            for _ in 0..3 {
                let error = store.change(bug).await.unwrap_err();
                assert!(matches!(&error, StoreError::Corrupt(text) if text.contains("half way")), "{error:?}");
                assert_eq!(count(&store).await, 0);
            }
            assert!(store.check_writer().is_ok());
            assert_eq!(store.change(|conn| Ok(insert(conn, 1))).await, Ok(1));
            assert_eq!(count(&store).await, 1);
        });
    });
}

#[test]
fn a_panic_outside_of_a_rule_fails_only_its_command() {
    with_store(8, |store| {
        in_time(async {
            let (go_on, busy) = busy(&store).await;
            let group = [command(&store, false).await, command(&store, true).await, command(&store, false).await];
            go_on.send(()).unwrap();
            busy.await.unwrap().unwrap();
            let [one, two, three] = group;
            one.await.unwrap().unwrap();
            let error = two.await.unwrap().unwrap_err();
            let is_bug = |text: &str| text.contains("a bug outside of a rule");
            assert!(matches!(&error, WriteError::Store(StoreError::Corrupt(text)) if is_bug(text)), "{error:?}");
            three.await.unwrap().unwrap();
            assert_eq!(count(&store).await, 0);
        });
    });
}

#[test]
fn changes_and_commands_keep_the_order_of_arrival() {
    with_store(64, |store| {
        in_time(async {
            let (go_on, busy) = busy(&store).await;
            let seen = Arc::new(Mutex::new(Vec::new()));
            let mut work = Vec::new();
            for number in 0..6 {
                let (store, seen) = (store.clone(), Arc::clone(&seen));
                work.push(
                    queued(async move {
                        if number % 3 == 2 {
                            let seen = Arc::clone(&seen);
                            let change = move |_: &mut Conn| {
                                seen.lock().unwrap().push(number);
                                Ok(())
                            };
                            store.change(change).await.unwrap();
                        } else {
                            store.submit(Reporting { number, seen }).await.unwrap();
                        }
                    })
                    .await,
                );
            }
            go_on.send(()).unwrap();
            busy.await.unwrap().unwrap();
            for work in work {
                work.await.unwrap();
            }
            assert_eq!(*seen.lock().unwrap(), [0, 1, 2, 3, 4, 5]);
        });
    });
}

/// A command that reports when it is executed.
struct Reporting {
    number: u32,
    seen: Arc<Mutex<Vec<u32>>>,
}

impl Command for Reporting {
    type Done = ();
    type Refused = Infallible;

    fn footprint(&self, _: &mut Footprint) {}

    fn execute(&self, _: &mut WorkingSet) -> Result<(), WriteError<Infallible>> {
        self.seen.lock().unwrap().push(self.number);
        Ok(())
    }
}

#[test]
fn a_full_queue_is_reported_without_a_write() {
    with_store(2, |store| {
        in_time(async {
            assert!(!store.queue_is_full());
            let (go_on, busy) = busy(&store).await;
            let one = command(&store, false).await;
            assert!(!store.queue_is_full());
            let two = command(&store, false).await;
            assert!(store.queue_is_full());
            let refused = command(&store, false).await.await.unwrap();
            assert_eq!(refused, Err(WriteError::Store(StoreError::Overloaded)));
            assert!(store.queue_is_full());
            go_on.send(()).unwrap();
            busy.await.unwrap().unwrap();
            one.await.unwrap().unwrap();
            two.await.unwrap().unwrap();
            assert!(!store.queue_is_full());
        });
    });
}

#[test]
fn claims_and_ended_attempts_share_a_transaction() {
    let now = DateTime::UNIX_EPOCH;
    let (webhook, lease) = (WebhookId(Uuid::nil()), LeaseId(Uuid::nil()));
    let claim = || Job::claim(ClaimDeliveriesCommand { webhook, lease, now, until: now, max: 1 }).0;
    let record = || Job::record(EndedAttempts { ends: Vec::new(), now }).0;
    let others = [Job::background(|_| Ok(())).0, Job::task(|_| Ok(())).0, Job::change(|_| Ok(())).0];
    assert!(shares_transaction(&claim(), &record()) && shares_transaction(&record(), &claim()));
    assert!(others.iter().all(|other| !shares_transaction(&claim(), other) && !shares_transaction(other, &claim())));
    let command = Job::command(Idle { buggy: false }).0;
    assert_eq!(shares_transaction(&claim(), &command), backend::WRITERS == 1);
}
