//! The writer: one thread, one connection, one transaction for all that is waiting.

use super::backend::{self, Conn};
use super::errors::Failure;
use super::job::{Job, Order, Ticket};
use crate::OpenError;
use crate::settings::Location;
use florin_ports::{StoreError, WriteError};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, JoinHandle};

/// At most so many jobs share a transaction.
const MOST_IN_A_GROUP: usize = 256;

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
    pub(crate) fn start(location: Location, conn: Conn, queue: usize) -> Result<Self, OpenError> {
        let (sender, receiver) = sync_channel(queue.max(1));
        let desk = Desk { location, conn };
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
    location: Location,
    conn: Conn,
}

impl Desk {
    /// Takes group after group until it is told to stop, or all ways to it are gone.
    fn work(mut self, queue: &Receiver<Message>) {
        let mut stop = false;
        while !stop {
            let Ok(first) = queue.recv() else { break };
            let mut group = Vec::new();
            stop = collect(first, queue, &mut group);
            self.run(&mut group);
        }
        if let Err(Failure(error)) = backend::finish(&mut self.conn) {
            tracing::warn!(%error, "the last checkpoint failed");
        }
    }

    /// Runs jobs in one transaction. If one fails, each gets a transaction of its own; if the store fails, all do.
    fn run(&mut self, group: &mut [Job]) {
        let done = backend::write(&mut self.conn, |conn| {
            group.iter_mut().try_for_each(|job| job.work().attempt(conn).map_err(Failure))
        });
        match done {
            Ok(()) => group.iter_mut().for_each(|job| job.work().settle()),
            Err(Failure(error @ StoreError::Unavailable(_))) => {
                tracing::error!(%error, jobs = group.len(), "a group was not written");
                for job in group {
                    job.work().fail(error.clone());
                }
                self.reconnect();
            }
            Err(Failure(error)) => match group {
                [job] => job.work().fail(error),
                jobs => jobs.chunks_mut(1).for_each(|job| self.run(job)),
            },
        }
    }

    /// Takes a new connection: the old one may be in a state that nothing can be said of.
    fn reconnect(&mut self) {
        match backend::connect_writer(&self.location) {
            Ok(conn) => self.conn = conn,
            Err(error) => tracing::error!(%error, "the writer keeps its old connection"),
        }
    }
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
