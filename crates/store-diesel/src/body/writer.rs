//! The writer: one thread, one connection, one transaction for all orders that are waiting.

use super::backend::{self, Conn, Place};
use super::errors::{Failure, Outcome};
use super::group::{Needs, Sheet, text_of};
use super::job::Job;
use super::repeat;
use crate::OpenError;
use florin_ports::StoreError;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// At most so many jobs share a transaction.
const MOST_IN_A_GROUP: usize = 256;
/// A group is tried at most so often.
const MOST_TRIES: u32 = 10;
/// For so long a group is tried again: whoever waits for it is answered soon after.
const PATIENCE: Duration = Duration::from_secs(3);

enum Message {
    Job(Job),
    Stop,
}

/// The way to the writer thread.
pub(crate) struct Writer {
    queue: SyncSender<Message>,
    room: usize,
    waiting: Arc<AtomicUsize>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Writer {
    /// Starts the thread.
    pub(crate) fn start(place: Place, conn: Conn, queue: usize) -> Result<Self, OpenError> {
        let room = queue.max(1);
        let (sender, receiver) = sync_channel(room);
        let waiting = Arc::new(AtomicUsize::new(0));
        let desk = Desk { place, conn: Some(conn), waiting: Arc::clone(&waiting) };
        let thread = thread::Builder::new()
            .name("florin-writer".into())
            .spawn(move || desk.work(&receiver))
            .map_err(OpenError::NoThread)?;
        Ok(Self { queue: sender, room, waiting, thread: Mutex::new(Some(thread)) })
    }

    /// Queues a job and waits for its answer. Dropping the future does not take the job back.
    pub(crate) async fn submit<T, E: From<StoreError>>(
        &self,
        (job, answer): (Job, oneshot::Receiver<Result<T, E>>),
    ) -> Result<T, E> {
        // Counted before it is there to be taken: the count is never below zero.
        self.waiting.fetch_add(1, Ordering::Relaxed);
        self.queue.try_send(Message::Job(job)).map_err(|error| {
            self.waiting.fetch_sub(1, Ordering::Relaxed);
            match error {
                TrySendError::Full(_) => StoreError::Overloaded,
                TrySendError::Disconnected(_) => stopped(),
            }
        })?;
        // The writer drops a job unanswered only when it dies.
        answer.await.unwrap_or_else(|_| Err(stopped().into()))
    }

    /// Whether a job would be refused for lack of room.
    pub(crate) fn is_full(&self) -> bool {
        self.waiting.load(Ordering::Relaxed) >= self.room
    }

    /// Whether the thread lives.
    pub(crate) fn is_alive(&self) -> bool {
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner);
        thread.as_ref().is_some_and(|thread| !thread.is_finished())
    }

    /// Lets the writer finish what is queued, and waits for its end.
    pub(crate) fn stop(&self) {
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(thread) = thread else { return };
        // Where it is gone already, there is nothing to stop.
        let _ = self.queue.send(Message::Stop);
        if thread.join().is_err() {
            tracing::error!("the writer had died");
        }
    }
}

fn stopped() -> StoreError {
    StoreError::Unavailable("the writer has stopped".into())
}

/// Where the writer works.
struct Desk {
    place: Place,
    /// None after it was lost, until there is a new one.
    conn: Option<Conn>,
    waiting: Arc<AtomicUsize>,
}

/// Why a group was not written.
struct Setback {
    error: StoreError,
    /// All that was left was to commit: if the connection was lost, nobody knows whether it did.
    at_commit: bool,
}

impl Desk {
    /// Takes group after group until it is told to stop, or all ways to it are gone.
    fn work(mut self, queue: &Receiver<Message>) {
        let mut stop = false;
        while !stop {
            let Ok(first) = queue.recv() else { break };
            let mut jobs = Vec::new();
            stop = collect(first, queue, &mut jobs);
            self.waiting.fetch_sub(jobs.len(), Ordering::Relaxed);
            for group in jobs.chunk_by_mut(|one, next| matches!((one, next), (Job::Order(_), Job::Order(_)))) {
                self.run_safely(group);
            }
        }
        if let Some(Err(Failure(error))) = self.conn.as_mut().map(backend::finish) {
            tracing::warn!(%error, "the last checkpoint failed");
        }
    }

    /// Runs jobs in one transaction, and answers them, whatever happens.
    fn run_safely(&mut self, group: &mut [Job]) {
        // Where the last group lost the connection in vain, this one does not wait as long again.
        let patience = if self.conn.is_some() { PATIENCE } else { Duration::ZERO };
        let done = catch_unwind(AssertUnwindSafe(|| self.run(group, Instant::now() + patience)));
        if let Err(panic) = done {
            self.conn = None;
            let error = panicked(panic.as_ref());
            tracing::error!(%error, jobs = group.len(), "a group was not answered");
            fail(group, &error);
        }
    }

    /// Runs jobs in one transaction, and answers them. What passes is tried again until the time is up; if storing them
    /// fails, each gets a transaction of its own; if the store fails, all do. Whether there is time left for others.
    fn run(&mut self, group: &mut [Job], until: Instant) -> bool {
        for tries in 1.. {
            let Err(Setback { error, at_commit }) = self.attempt(group) else {
                group.iter_mut().for_each(Job::settle);
                return true;
            };
            let alone = group.len() == 1;
            if matches!(error, StoreError::Unavailable(_)) {
                let again = !at_commit && tries < MOST_TRIES && backend::worth_another_try(&error);
                if !again || Instant::now() >= until {
                    tracing::error!(%error, at_commit, jobs = group.len(), "a group was not written");
                    fail(group, &error);
                    return Instant::now() < until;
                }
                tracing::warn!(%error, tries, jobs = group.len(), "a group is tried again");
                thread::sleep(pause(tries));
            } else if !alone {
                return self.run_each(group, until);
            } else if tries >= MOST_TRIES || !repeat::is_taken(&error) {
                fail(group, &error);
                return true;
            }
        }
        true
    }

    /// Runs jobs in transactions of their own. When the store fails and the time is up, the rest is not tried.
    fn run_each(&mut self, jobs: &mut [Job], until: Instant) -> bool {
        for index in 0..jobs.len() {
            let (_, rest) = jobs.split_at_mut(index);
            let Some((job, rest)) = rest.split_first_mut() else { break };
            if !self.run(std::slice::from_mut(job), until) {
                fail(rest, &StoreError::Unavailable("the store failed for others before".into()));
                return false;
            }
        }
        true
    }

    /// Runs jobs in one transaction, on a new connection if the old one was lost.
    fn attempt(&mut self, group: &mut [Job]) -> Result<(), Setback> {
        let mut conn = match self.conn.take() {
            Some(conn) => conn,
            None => backend::connect_writer(&self.place)
                .map_err(|error| Setback { error: StoreError::Unavailable(error.to_string()), at_commit: false })?,
        };
        let mut at_commit = false;
        // After a panic nothing can be said of the connection: it goes away, and what it had begun is rolled back.
        let done = catch_unwind(AssertUnwindSafe(|| {
            let done = backend::write(&mut conn, |conn| {
                write(conn, group)?;
                at_commit = true;
                Ok(())
            });
            (done, conn)
        }));
        let error = match done {
            Ok((Ok(()), conn)) => {
                self.conn = Some(conn);
                return Ok(());
            }
            Ok((Err(Failure(error)), conn)) => {
                self.conn = backend::keeps_connection(&error).then_some(conn);
                error
            }
            Err(panic) => panicked(panic.as_ref()),
        };
        Err(Setback { error, at_commit })
    }
}

/// All of a group but the commit.
fn write(conn: &mut Conn, group: &mut [Job]) -> Outcome<()> {
    let mut needs = Needs::default();
    for job in group.iter_mut() {
        match job {
            Job::Order(order) => order.needs(&mut needs),
            Job::Change(change) => {
                backend::lock_operators(conn)?;
                change.attempt(conn)?;
            }
            Job::Task(task) => task.attempt(conn)?,
        }
    }
    let mut sheet = Sheet::load(conn, &needs)?;
    for job in group {
        if let Job::Order(order) = job {
            order.decide(&mut sheet);
        }
    }
    sheet.store(conn)
}

fn panicked(panic: &(dyn std::any::Any + Send)) -> StoreError {
    StoreError::Corrupt(format!("the writer panicked: {}", text_of(panic)))
}

fn fail(jobs: &mut [Job], error: &StoreError) {
    for job in jobs {
        job.fail(error.clone());
    }
}

/// How long to wait before the next try: longer each time, and never as long as another program that tries again.
fn pause(tries: u32) -> Duration {
    let most = Duration::from_millis(20) * 2_u32.pow(tries.min(5));
    let chance = RandomState::new().build_hasher().finish() % 512;
    most * (512 + u32::try_from(chance).unwrap_or_default()) / 1024
}

/// What is queued now, the first of it given; whether it ends with the order to stop.
fn collect(first: Message, queue: &Receiver<Message>, jobs: &mut Vec<Job>) -> bool {
    let mut next = Some(first);
    while let Some(message) = next {
        match message {
            Message::Stop => return true,
            Message::Job(job) => jobs.push(job),
        }
        next = if jobs.len() < MOST_IN_A_GROUP { queue.try_recv().ok() } else { None };
    }
    false
}

#[cfg(test)]
mod tests;
