//! Concurrent commands: in one group, if the store groups commands, and in a race.

use crate::check::{Failure, Proof};
use crate::commands::purchase;
use crate::expect::{same, there};
use crate::factory::Handle;
use crate::world::Who;
use florin_domain::card::decide::CardRefusal;
use florin_ports::{Answer, WriteError, Written};
use std::fmt::Debug;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
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

/// Expects exactly one effect from requests under one key, and its stored answer for all others.
pub(crate) fn one_effect<T: Debug, R: Debug>(what: &str, answers: Vec<Result<Written<T>, WriteError<R>>>) -> Proof {
    let all = answers.len();
    let (mut effects, mut replays): (Vec<T>, Vec<Answer>) = (Vec::new(), Vec::new());
    for answer in answers {
        match answer {
            Ok(Written::New(done)) => effects.push(done),
            Ok(Written::Replayed(answer)) => replays.push(answer),
            other => return Err(Failure::new(format!("{what}: {other:?}"))),
        }
    }
    same(&format!("{what}: effects and replays"), (effects.len(), replays.len()), (1, all - 1))?;
    let wanted = crate::commands::answer_of(&there("an effect", effects.pop())?);
    same(&format!("{what}: answers that differ"), replays.iter().filter(|answer| **answer != wanted).count(), 0)
}
