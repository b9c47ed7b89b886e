//! Sends commands concurrently: as one group, if the store groups commands, or in a race.

use crate::check::{CheckResult, Failure};
use crate::commands::purchase;
use crate::expect::{expect_some, same};
use crate::factory::Handle;
use crate::seed_data::Who;
use florin_domain::card::decide::CardRefusal;
use florin_ports::{Decide, StoredResponse, WriteError, Written};
use std::fmt::Debug;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;
use std::time::Duration;

/// Work that has not been sent yet.
pub(crate) type Work<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// Duration of the slow rule behind which commands wait.
const SLOW: Duration = Duration::from_millis(80);

/// Sends all work in this order without waiting in between, and returns the answers in the same order.
pub(crate) async fn in_order<T>(mut work: Vec<Work<T>>) -> Vec<T> {
    let mut answers: Vec<Option<T>> = work.iter().map(|_| None).collect();
    poll_fn(|context| {
        for (one, answer) in work.iter_mut().zip(&mut answers) {
            if answer.is_none()
                && let Poll::Ready(done) = one.as_mut().poll(context)
            {
                *answer = Some(done);
            }
        }
        if answers.iter().all(Option::is_some) { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    answers.into_iter().flatten().collect()
}

/// Sends all work behind a command with a slow rule. A store that decides groups of commands in one transaction then
/// executes all of it as one group.
pub(crate) async fn in_one_group<T: Send + 'static>(
    handle: &Handle,
    who: Who,
    work: Vec<Work<T>>,
) -> Result<Vec<T>, Failure> {
    let mut slow = purchase(who, 0, "1")?;
    slow.decide = Arc::new(|_| {
        std::thread::sleep(SLOW);
        Err(CardRefusal::Expired)
    });
    let cards = handle.cards.clone();
    let first = tokio::spawn(async move { cards.first_message(slow).await });
    tokio::time::sleep(SLOW / 4).await;
    let answers = in_order(work).await;
    first.await.map_err(|error| Failure::new(error.to_string()))?.err();
    Ok(answers)
}

/// Starts all work concurrently, each in its own task.
pub(crate) async fn race<T: Send + 'static>(work: Vec<Work<T>>) -> Result<Vec<T>, Failure> {
    let tasks: Vec<_> = work.into_iter().map(tokio::spawn).collect();
    let mut answers = Vec::new();
    for task in tasks {
        answers.push(task.await.map_err(|error| Failure::new(error.to_string()))?);
    }
    Ok(answers)
}

/// Duration of a slow rule. Meanwhile, another command reads the records that it needs, or waits for a lock.
const DECIDING: Duration = Duration::from_millis(300);

/// Sends a second command while the rule of a first one runs.
pub(crate) struct SlowRuleRace {
    started: Arc<AtomicBool>,
    takes: Duration,
}

impl SlowRuleRace {
    /// Creates a race with a rule that is slow enough for the second command to read everything that no lock protects.
    pub(crate) fn new() -> Self {
        Self::taking(DECIDING)
    }

    /// Creates a race with a rule that takes this long.
    pub(crate) fn taking(takes: Duration) -> Self {
        Self { started: Arc::default(), takes }
    }

    /// Returns the rule of the first command, slowed down.
    pub(crate) fn slow<S: 'static, D: 'static>(&self, rule: Decide<S, D>) -> Decide<S, D> {
        let (started, takes) = (Arc::clone(&self.started), self.takes);
        Arc::new(move |situation: &S| {
            started.store(true, Ordering::Relaxed);
            std::thread::sleep(takes);
            rule(situation)
        })
    }

    /// Sends the first command, and the second one as soon as the rule of the first one runs. Returns both answers.
    pub(crate) async fn send<A: Send + 'static, B>(&self, first: Work<A>, second: Work<B>) -> Result<(A, B), Failure> {
        let first = tokio::spawn(first);
        // This polls, because a task that the rule wakes might have to wait for the thread on which the rule sleeps.
        let started = async {
            while !self.started.load(Ordering::Relaxed) {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        let started = tokio::time::timeout(DECIDING * 20, started).await;
        started.map_err(|_| Failure::new("the rule of the first command was not called"))?;
        let second = second.await;
        Ok((first.await.map_err(|error| Failure::new(error.to_string()))?, second))
    }
}

/// Expects exactly one effect from requests under one key, and its stored response for all others.
pub(crate) fn one_effect<T: Debug, R: Debug>(
    what: &str,
    answers: Vec<Result<Written<T>, WriteError<R>>>,
) -> CheckResult {
    let all = answers.len();
    let (mut effects, mut replays): (Vec<T>, Vec<StoredResponse>) = (Vec::new(), Vec::new());
    for answer in answers {
        match answer {
            Ok(Written::New(done)) => effects.push(done),
            Ok(Written::Replayed(answer)) => replays.push(answer),
            other => return Err(Failure::new(format!("{what}: {other:?}"))),
        }
    }
    same(&format!("{what}: effects and replays"), (effects.len(), replays.len()), (1, all - 1))?;
    let expected = crate::commands::answer_of(&expect_some("an effect", effects.pop())?);
    same(&format!("{what}: answers that differ"), replays.iter().filter(|answer| **answer != expected).count(), 0)
}
