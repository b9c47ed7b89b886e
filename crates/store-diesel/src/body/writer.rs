//! The writer: one thread, one connection, one transaction for all that is waiting.

use super::backend::{self, Conn, Place};
use super::errors::Failure;
use super::job::{Job, Order, Ticket};
use super::repeat;
use crate::OpenError;
use florin_ports::{StoreError, WriteError};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// At most so many jobs share a transaction.
const MOST_IN_A_GROUP: usize = 256;
/// A group is tried at most so often.
const MOST_TRIES: u32 = 10;
/// For so long a group is tried again: whoever waits for it is answered soon after.
const PATIENCE: Duration = Duration::from_secs(3);

enum Message {
    Job(Box<Job>),
    Stop,
}

/// The way to the writer thread.
pub(crate) struct Writer {
    queue: SyncSender<Message>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Writer {
    /// Starts the thread.
    pub(crate) fn start(place: Place, conn: Conn, queue: usize) -> Result<Self, OpenError> {
        let (sender, receiver) = sync_channel(queue.max(1));
        let desk = Desk { place, conn: Some(conn) };
        let thread = thread::Builder::new()
            .name("florin-writer".into())
            .spawn(move || desk.work(&receiver))
            .map_err(OpenError::NoThread)?;
        Ok(Self { queue: sender, thread: Mutex::new(Some(thread)) })
    }

    /// Queues an order and waits for its answer. Dropping the future does not take the order back.
    pub(crate) async fn submit<O: Order>(&self, order: O) -> Result<O::Done, WriteError<O::Refused>>
    where
        Job: From<Ticket<O>>,
    {
        let (ticket, answer) = Ticket::new(order);
        self.queue.try_send(Message::Job(Box::new(ticket.into()))).map_err(|error| match error {
            TrySendError::Full(_) => StoreError::Overloaded,
            TrySendError::Disconnected(_) => stopped(),
        })?;
        // The writer drops a ticket unanswered only when it dies.
        answer.await.unwrap_or_else(|_| Err(WriteError::Store(stopped())))
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
            let mut group = Vec::new();
            stop = collect(first, queue, &mut group);
            // Where the last group lost the connection in vain, this one does not wait as long again.
            let patience = if self.conn.is_some() { PATIENCE } else { Duration::ZERO };
            self.run(&mut group, Instant::now() + patience);
        }
        if let Some(Err(Failure(error))) = self.conn.as_mut().map(backend::finish) {
            tracing::warn!(%error, "the last checkpoint failed");
        }
    }

    /// Runs jobs in one transaction, and answers them. What passes is tried again until the time is up; if a job fails,
    /// each gets a transaction of its own; if the store fails, all do. Whether there is time left for others.
    fn run(&mut self, group: &mut [Job], until: Instant) -> bool {
        for tries in 1.. {
            let Err(Setback { error, at_commit }) = self.attempt(group) else {
                for job in group.iter_mut() {
                    job.work().settle();
                }
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
        let conn = match self.conn.take() {
            Some(conn) => conn,
            None => backend::connect_writer(&self.place)
                .map_err(|error| Setback { error: StoreError::Unavailable(error.to_string()), at_commit: false })?,
        };
        let conn = self.conn.insert(conn);
        let mut at_commit = false;
        let done = backend::write(conn, |conn| {
            backend::lock_ahead(conn, group)?;
            group.iter_mut().try_for_each(|job| job.work().attempt(conn).map_err(Failure))?;
            at_commit = true;
            Ok(())
        });
        done.map_err(|Failure(error)| {
            if !backend::keeps_connection(&error) {
                self.conn = None;
            }
            Setback { error, at_commit }
        })
    }
}

fn fail(jobs: &mut [Job], error: &StoreError) {
    for job in jobs {
        job.work().fail(error.clone());
    }
}

/// How long to wait before the next try: longer each time, and never as long as another program that tries again.
fn pause(tries: u32) -> Duration {
    let most = Duration::from_millis(20) * 2_u32.pow(tries.min(5));
    let chance = RandomState::new().build_hasher().finish() % 512;
    most * (512 + u32::try_from(chance).unwrap_or_default()) / 1024
}

/// What is queued now, the first of it given; whether it ends with the order to stop.
fn collect(first: Message, queue: &Receiver<Message>, group: &mut Vec<Job>) -> bool {
    let mut next = Some(first);
    while let Some(message) = next {
        match message {
            Message::Stop => return true,
            Message::Job(job) => group.push(*job),
        }
        next = if group.len() < MOST_IN_A_GROUP { queue.try_recv().ok() } else { None };
    }
    false
}
