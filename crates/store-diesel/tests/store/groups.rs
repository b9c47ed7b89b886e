//! The writer's groups: commands share a transaction, and a failure of one does not affect the others.

use crate::support::{Answered, Fixture, MINE, MessageIds, authorization, fresh, stamp};
use florin_domain::card::decide::{CardRefusal, FirstSituation};
use florin_domain::money::Minor;
use florin_ports::{CardLedger, FirstMessageCommand, StoreError, Upkeep, WriteError, Written};
use florin_store_diesel::Store;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::task::JoinHandle;

/// Blocks the writer inside a rule, so that commands queued meanwhile become one group.
pub(crate) struct Gate {
    open: Sender<()>,
    blocked: JoinHandle<Answered>,
}

impl Gate {
    /// Blocks the writer.
    pub(crate) async fn shut(store: &Store) -> Self {
        let (open, opened) = channel::<()>();
        let (reached, at_gate) = tokio::sync::oneshot::channel();
        let reached = Mutex::new(Some(reached));
        let opened: Mutex<Receiver<()>> = Mutex::new(opened);
        let decide = Arc::new(move |_: &FirstSituation| {
            if let Some(reached) = reached.lock().unwrap().take() {
                reached.send(()).unwrap();
                let _ = opened.lock().unwrap().recv();
            }
            Err(CardRefusal::Expired)
        });
        let command = FirstMessageCommand { decide, ..authorization(MINE, stamp(0), "1") };
        let store = store.clone();
        let blocked = tokio::spawn(async move { store.first_message(command).await });
        at_gate.await.unwrap();
        Self { open, blocked }
    }

    /// Lets the writer continue.
    pub(crate) async fn open(self) {
        self.open.send(()).unwrap();
        assert_eq!(self.blocked.await.unwrap(), Err(WriteError::Refused(CardRefusal::Expired)));
    }
}

/// Queues a command, and returns when it is queued, so that commands are queued in the order of the calls.
pub(crate) async fn queue(store: &Store, command: FirstMessageCommand) -> JoinHandle<Answered> {
    let store = store.clone();
    queued(async move { store.first_message(command).await }).await
}

/// Starts a future that queues a command, and returns when the command is queued.
pub(crate) async fn queued<T: Send + 'static>(answer: impl Future<Output = T> + Send + 'static) -> JoinHandle<T> {
    let (queued, is_queued) = tokio::sync::oneshot::channel();
    let task = tokio::spawn(async move {
        let mut answer = std::pin::pin!(answer);
        // The first poll queues the command.
        let first = std::future::poll_fn(|context| std::task::Poll::Ready(answer.as_mut().poll(context))).await;
        queued.send(()).unwrap();
        match first {
            std::task::Poll::Ready(answer) => answer,
            std::task::Poll::Pending => answer.await,
        }
    });
    is_queued.await.unwrap();
    task
}

fn panicking() -> FirstMessageCommand {
    let decide = Arc::new(|_: &FirstSituation| panic!("a bug in a rule"));
    FirstMessageCommand { decide, ..authorization(MINE, stamp(0), "1") }
}

/// Returns an authorization that counts its decisions.
fn counted(number: u128, count: &Arc<AtomicUsize>) -> FirstMessageCommand {
    counting(authorization(MINE, stamp(number), "10"), count)
}

/// Counts the decisions of a command.
pub(crate) fn counting(command: FirstMessageCommand, count: &Arc<AtomicUsize>) -> FirstMessageCommand {
    let (rule, count) = (command.decide, Arc::clone(count));
    let decide = Arc::new(move |situation: &FirstSituation| {
        count.fetch_add(1, Ordering::Relaxed);
        rule(situation)
    });
    FirstMessageCommand { decide, ..command }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failing_command_does_not_fail_its_group() {
    let fixture = Fixture::seeded().await;
    fresh(fixture.store.first_message(authorization(MINE, stamp(9), "10")).await);
    let gate = Gate::shut(&fixture.store).await;
    let decided = Arc::new(AtomicUsize::new(0));
    let one = queue(&fixture.store, counted(1, &decided)).await;
    // The journal id of the second command is already in use, so it fails after its message and its chain were
    // inserted.
    let half = MessageIds { journal: stamp(9).journal, ..stamp(2) };
    let two = queue(&fixture.store, authorization(MINE, half, "10")).await;
    let three = queue(&fixture.store, panicking()).await;
    let four = queue(&fixture.store, counted(4, &decided)).await;
    gate.open().await;
    assert_eq!(fresh(one.await.unwrap()).available_balance, Minor(7_500));
    let error = two.await.unwrap().unwrap_err();
    assert!(matches!(error, WriteError::Store(StoreError::Duplicate(_))), "{error:?}");
    let error = three.await.unwrap().unwrap_err();
    assert!(matches!(&error, WriteError::Store(StoreError::Corrupt(text)) if text.contains("a bug in a rule")));
    assert_eq!(fresh(four.await.unwrap()).available_balance, Minor(6_500));
    // The transaction of the group failed, so every command ran again in its own transaction: each of the two counted
    // commands was decided twice.
    assert_eq!(decided.load(Ordering::Relaxed), 4);
    // The failed commands left no changes.
    fresh(fixture.store.first_message(authorization(MINE, stamp(2), "10")).await);
    assert_eq!(fixture.balances(MINE).await.held(), Minor(4_000));
    fixture.check_books().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_command_does_not_affect_its_group() {
    let fixture = Fixture::seeded().await;
    let gate = Gate::shut(&fixture.store).await;
    let decided = Arc::new(AtomicUsize::new(0));
    let one = queue(&fixture.store, counted(1, &decided)).await;
    let decide = Arc::new(|_: &FirstSituation| Err(CardRefusal::Expired));
    let two = queue(&fixture.store, FirstMessageCommand { decide, ..authorization(MINE, stamp(2), "1") }).await;
    let three = queue(&fixture.store, counted(3, &decided)).await;
    gate.open().await;
    assert_eq!(fresh(one.await.unwrap()).available_balance, Minor(8_500));
    assert_eq!(two.await.unwrap(), Err(WriteError::Refused(CardRefusal::Expired)));
    // Commands of one group see each other's changes, in the order of arrival.
    assert_eq!(fresh(three.await.unwrap()).available_balance, Minor(7_500));
    assert_eq!(decided.load(Ordering::Relaxed), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_panic_of_a_rule_does_not_affect_its_group() {
    let fixture = Fixture::seeded().await;
    let gate = Gate::shut(&fixture.store).await;
    let decided = Arc::new(AtomicUsize::new(0));
    let one = queue(&fixture.store, counted(1, &decided)).await;
    let two = queue(&fixture.store, panicking()).await;
    let mut unanswerable = counted(3, &decided);
    unanswerable.claim = Some(crate::repeats::claim_that_panics("k"));
    let three = queue(&fixture.store, unanswerable).await;
    let four = queue(&fixture.store, counted(4, &decided)).await;
    gate.open().await;
    assert_eq!(fresh(one.await.unwrap()).available_balance, Minor(8_500));
    for panicked in [two, three] {
        let error = panicked.await.unwrap().unwrap_err();
        assert!(matches!(error, WriteError::Store(StoreError::Corrupt(_))), "{error:?}");
    }
    assert_eq!(fresh(four.await.unwrap()).available_balance, Minor(7_500));
    // Each command was decided once: nothing was rolled back.
    assert_eq!(decided.load(Ordering::Relaxed), 3);
    fixture.check_books().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_writer_survives_a_panic_of_a_rule() {
    let fixture = Fixture::seeded().await;
    for _ in 0..3 {
        let error = fixture.store.first_message(panicking()).await.unwrap_err();
        assert!(matches!(error, WriteError::Store(StoreError::Corrupt(_))), "{error:?}");
    }
    fresh(fixture.store.first_message(authorization(MINE, stamp(1), "10")).await);
    fixture.store.readiness().await.unwrap();
    fixture.check_books().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_queue_refuses_immediately() {
    let fixture = Fixture::with_queue(2);
    florin_ports::Seeding::seed(&fixture.store, crate::support::seed_data(9_500)).await.unwrap();
    let gate = Gate::shut(&fixture.store).await;
    let one = queue(&fixture.store, authorization(MINE, stamp(1), "10")).await;
    let two = queue(&fixture.store, authorization(MINE, stamp(2), "10")).await;
    assert!(fixture.store.is_overloaded());
    let three = fixture.store.first_message(authorization(MINE, stamp(3), "10"));
    let three = tokio::time::timeout(Duration::from_millis(50), three).await.unwrap();
    assert_eq!(three, Err(WriteError::Store(StoreError::Overloaded)));
    gate.open().await;
    fresh(one.await.unwrap());
    fresh(two.await.unwrap());
    assert!(!fixture.store.is_overloaded());
    assert_eq!(fixture.balances(MINE).await.held(), Minor(2_000));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_caller_does_not_cancel_its_write() {
    let fixture = Fixture::seeded().await;
    let gate = Gate::shut(&fixture.store).await;
    let gone = queue(&fixture.store, authorization(MINE, stamp(1), "10")).await;
    gone.abort();
    assert!(gone.await.unwrap_err().is_cancelled());
    gate.open().await;
    let next = fresh(fixture.store.first_message(authorization(MINE, stamp(2), "10")).await);
    assert_eq!(next.available_balance, Minor(7_500));
}

#[tokio::test(flavor = "multi_thread")]
async fn closing_drains_the_queue_and_rejects_new_commands() {
    let fixture = Fixture::seeded().await;
    let gate = Gate::shut(&fixture.store).await;
    let queued = queue(&fixture.store, authorization(MINE, stamp(1), "10")).await;
    let store = fixture.store.clone();
    let closing = tokio::task::spawn_blocking(move || store.close());
    tokio::time::sleep(Duration::from_millis(50)).await;
    gate.open().await;
    fresh(queued.await.unwrap());
    closing.await.unwrap();
    fixture.store.close();
    let late = fixture.store.first_message(authorization(MINE, stamp(2), "10")).await;
    assert!(matches!(late, Err(WriteError::Store(StoreError::Unavailable(_)))), "{late:?}");
    assert!(matches!(fixture.store.readiness().await, Err(StoreError::Unavailable(_))));
    // Reads continue.
    assert_eq!(fixture.balances(MINE).await.held(), Minor(1_000));
}

/// More commands than fit into two groups.
const MANY: u32 = 600;

#[tokio::test(flavor = "multi_thread")]
async fn groups_run_in_the_order_of_arrival() {
    let fixture = Fixture::seeded().await;
    let gate = Gate::shut(&fixture.store).await;
    let mut commands = Vec::new();
    for number in 1..=MANY {
        commands.push(queue(&fixture.store, authorization(MINE, stamp(number.into()), "0.10")).await);
    }
    gate.open().await;
    let mut available = Minor(9_500);
    for command in commands {
        available = Minor(available.0 - 10);
        assert_eq!(fresh(command.await.unwrap()).available_balance, available);
    }
    assert_eq!(fixture.balances(MINE).await.available(), available);
    fixture.check_books().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_idempotency_key_used_in_two_groups_takes_effect_once() {
    let fixture = Fixture::seeded().await;
    let gate = Gate::shut(&fixture.store).await;
    let decided = Arc::new(AtomicUsize::new(0));
    let mut commands = Vec::new();
    for number in 1..=MANY {
        // Commands 2 and 3 share a key, then 4 and 5, and so on. Groups end after an even command, so they split pairs.
        let key = format!("key-{}", number / 2);
        let claim = Some(crate::repeats::claim_of(&key));
        let command = FirstMessageCommand { claim, ..authorization(MINE, stamp(number.into()), "0.10") };
        commands.push(queue(&fixture.store, counting(command, &decided)).await);
    }
    gate.open().await;
    let mut replayed = 0;
    for command in commands {
        replayed += u32::from(matches!(command.await.unwrap().unwrap(), Written::Replayed(_)));
    }
    assert_eq!(replayed, MANY / 2 - 1);
    // No command was decided again.
    assert_eq!(decided.load(Ordering::Relaxed), MANY as usize / 2 + 1);
    assert_eq!(fixture.balances(MINE).await.held(), Minor((i64::from(MANY) / 2 + 1) * 10));
    fixture.check_books().await;
}
