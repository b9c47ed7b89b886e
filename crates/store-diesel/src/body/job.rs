//! Jobs of the writer: something to write, and the caller that waits for the answer.

use super::answer::Answer;
use super::backend::Conn;
use super::errors::Outcome;
use super::footprint::Footprint;
use super::group::Command;
use super::working_set::WorkingSet;
use chrono::{DateTime, Utc};
use florin_ports::{AttemptEnd, ClaimDeliveriesCommand, ClaimedDeliveries, StoreError, WriteError};
use tokio::sync::oneshot::{Receiver, Sender, channel};

/// The caller's side of a job: the signal that the job is done, and the answer.
pub(crate) struct Pending<T, E> {
    /// Receives `Ok` once the answer is available, or the error if the store failed.
    pub(crate) done: Receiver<Result<(), StoreError>>,
    pub(crate) answer: Answer<Result<T, E>>,
}

/// A job of the writer.
pub(crate) enum Job {
    /// A command. It shares its transaction with the commands that are queued next to it.
    Command(Box<dyn AnyCommand>),
    /// A rare change. It has its own transaction, under the lock of operators.
    Change(Box<dyn UngroupedWork>),
    /// Work that cannot run in a group. It has its own transaction, and locks rows in the same way as commands.
    Task(Box<dyn UngroupedWork>),
    /// Work for which no request waits. It locks rows like a task, and may share its transaction with the commands that
    /// follow it. One such job runs in each turn, or more if many wait.
    Background(Box<dyn UngroupedWork>),
    /// Background work that shares its transaction with the other jobs of this kind that wait.
    Delivery(DeliveryJob),
}

impl Job {
    /// Whether no request waits for it.
    pub(crate) const fn is_background(&self) -> bool {
        matches!(self, Self::Background(_) | Self::Delivery(_))
    }

    /// Returns the delivery job; `None` for a job of another kind.
    pub(crate) fn delivery(&mut self) -> Option<&mut DeliveryJob> {
        if let Self::Delivery(job) = self { Some(job) } else { None }
    }

    /// Returns the number of rows for which the job counts in a transaction of [`DeliveryJob`]s; `None` for any other
    /// job.
    pub(crate) fn delivery_rows(&self) -> Option<usize> {
        if let Self::Delivery(job) = self { Some(job.rows()) } else { None }
    }

    /// Creates the job of a command, and its pending answer.
    pub(crate) fn command<C: Command>(command: C) -> (Self, PendingReply<C>) {
        let (ticket, pending) = Ticket::new();
        (Self::Command(Box::new(QueuedWork { work: command, ticket })), pending)
    }

    /// Creates the job of a change, and its pending answer.
    pub(crate) fn change<T, F>(change: F) -> (Self, Pending<T, StoreError>)
    where
        F: Fn(&mut Conn) -> Outcome<T> + Send + 'static,
        T: Send + 'static,
    {
        let (ticket, pending) = Ticket::new();
        (Self::Change(Box::new(QueuedWork { work: change, ticket })), pending)
    }

    /// Creates the job of a task, and its pending answer.
    pub(crate) fn task<T, F>(task: F) -> (Self, Pending<T, StoreError>)
    where
        F: Fn(&mut Conn) -> Outcome<T> + Send + 'static,
        T: Send + 'static,
    {
        let (ticket, pending) = Ticket::new();
        (Self::Task(Box::new(QueuedWork { work: task, ticket })), pending)
    }

    /// Creates the job of work for which no request waits, and its pending answer.
    pub(crate) fn background<T, F>(work: F) -> (Self, Pending<T, StoreError>)
    where
        F: Fn(&mut Conn) -> Outcome<T> + Send + 'static,
        T: Send + 'static,
    {
        let (ticket, pending) = Ticket::new();
        (Self::Background(Box::new(QueuedWork { work, ticket })), pending)
    }

    /// Creates the job of a claim of deliveries, and its pending answer.
    pub(crate) fn claim(command: ClaimDeliveriesCommand) -> (Self, Pending<Option<ClaimedDeliveries>, StoreError>) {
        let (ticket, pending) = Ticket::new();
        (Self::Delivery(DeliveryJob::Claim(Box::new(QueuedWork { work: command, ticket }))), pending)
    }

    /// Creates the job that records ended attempts, and the pending number of attempts that are recorded.
    pub(crate) fn record(ended: EndedAttempts) -> (Self, Pending<u64, StoreError>) {
        let (ticket, pending) = Ticket::new();
        (Self::Delivery(DeliveryJob::Record(Box::new(QueuedWork { work: ended, ticket }))), pending)
    }

    /// Whether it was left out of its transaction, and its caller still waits.
    pub(crate) fn is_left_out(&self) -> bool {
        match self {
            Self::Delivery(DeliveryJob::Record(task)) => task.ticket.caller.is_some(),
            _ => false,
        }
    }

    /// Sends the kept answer. The commit must have succeeded before.
    pub(crate) fn settle(&mut self) {
        match self {
            Self::Command(job) => job.settle(),
            Self::Change(job) | Self::Task(job) | Self::Background(job) => job.settle(),
            Self::Delivery(job) => job.waiting().settle(),
        }
    }

    /// Answers that the store failed, unless an answer was sent already.
    pub(crate) fn fail(&mut self, error: StoreError) {
        match self {
            Self::Command(job) => job.fail(error),
            Self::Change(job) | Self::Task(job) | Self::Background(job) => job.fail(error),
            Self::Delivery(job) => job.waiting().fail(error),
        }
    }
}

/// Ended attempts to deliver events, of one call.
pub(crate) struct EndedAttempts {
    pub(crate) ends: Vec<AttemptEnd>,
    /// The real time.
    pub(crate) now: DateTime<Utc>,
}

/// A claim of deliveries, and the caller that waits for it.
pub(crate) type QueuedClaim = QueuedWork<ClaimDeliveriesCommand, Option<ClaimedDeliveries>, StoreError>;

/// Ended attempts to record, and the caller that waits for the number that were recorded.
pub(crate) type QueuedRecord = QueuedWork<EndedAttempts, u64, StoreError>;

/// Work on deliveries that shares its transaction with other such work.
pub(crate) enum DeliveryJob {
    /// Claims deliveries of one subscription.
    Claim(Box<QueuedClaim>),
    /// Records ended attempts.
    Record(Box<QueuedRecord>),
}

impl DeliveryJob {
    /// A claim counts as one row: a transaction limits the rows that all its claims take.
    fn rows(&self) -> usize {
        match self {
            Self::Claim(_) => 1,
            Self::Record(task) => task.work.ends.len(),
        }
    }

    fn waiting(&mut self) -> &mut dyn Waiting {
        match self {
            Self::Claim(task) => &mut **task,
            Self::Record(task) => &mut **task,
        }
    }
}

/// The answer to a command.
pub(crate) type Reply<C> = Result<<C as Command>::Done, WriteError<<C as Command>::Refused>>;

/// The pending answer to a command.
pub(crate) type PendingReply<C> = Pending<<C as Command>::Done, WriteError<<C as Command>::Refused>>;

/// A caller that waits for an answer of any type.
pub(crate) trait Waiting: Send {
    /// Wakes the caller if its answer is available. Otherwise, the caller keeps waiting.
    fn settle(&mut self);

    /// Answers that the store failed, unless an answer was sent already.
    fn fail(&mut self, error: StoreError);
}

/// A command of any type.
pub(crate) trait AnyCommand: Waiting {
    /// Adds the keys of the rows that the command reads and locks.
    fn footprint(&self, footprint: &mut Footprint);

    /// Executes it on the working set, and keeps the answer.
    fn decide(&mut self, working_set: &mut WorkingSet);
}

/// Work of any type with its own transaction: a change, a task or background work.
pub(crate) trait UngroupedWork: Waiting {
    /// Does the work, and keeps the answer. The caller rolls back after an error.
    fn attempt(&mut self, conn: &mut Conn) -> Outcome<()>;
}

/// The job's side of a [`Pending`].
struct Ticket<T, E> {
    caller: Option<Sender<Result<(), StoreError>>>,
    answer: Answer<Result<T, E>>,
}

impl<T, E> Ticket<T, E> {
    fn new() -> (Self, Pending<T, E>) {
        let ((caller, done), answer) = (channel(), Answer::empty());
        (Self { caller: Some(caller), answer: answer.clone() }, Pending { done, answer })
    }
}

/// Work of any kind, and the caller that waits for its answer.
pub(crate) struct QueuedWork<W, T, E> {
    work: W,
    ticket: Ticket<T, E>,
}

impl<W, T, E> QueuedWork<W, T, E> {
    /// Returns the work.
    pub(crate) const fn work(&self) -> &W {
        &self.work
    }

    /// Drops the kept answer of an attempt that was rolled back.
    pub(crate) fn forget(&mut self) {
        drop(self.ticket.answer.take());
    }

    /// Keeps the answer until [`Waiting::settle`].
    pub(crate) fn keep(&mut self, reply: Result<T, E>) {
        self.ticket.answer.keep(reply);
    }
}

impl<W: Send, T: Send, E: Send> Waiting for QueuedWork<W, T, E> {
    fn settle(&mut self) {
        // Without an answer, the job was left out, and its caller keeps waiting.
        if self.ticket.answer.is_kept()
            && let Some(caller) = self.ticket.caller.take()
        {
            // Ignored if the caller no longer waits for the answer.
            let _ = caller.send(Ok(()));
        }
    }

    fn fail(&mut self, error: StoreError) {
        if let Some(caller) = self.ticket.caller.take() {
            let _ = caller.send(Err(error));
        }
    }
}

impl<C: Command> AnyCommand for QueuedWork<C, C::Done, WriteError<C::Refused>> {
    fn footprint(&self, footprint: &mut Footprint) {
        self.work.footprint(footprint);
    }

    fn decide(&mut self, working_set: &mut WorkingSet) {
        let reply = self.work.execute(working_set);
        self.keep(reply);
    }
}

impl<F, T> UngroupedWork for QueuedWork<F, T, StoreError>
where
    F: Fn(&mut Conn) -> Outcome<T> + Send,
    T: Send,
{
    fn attempt(&mut self, conn: &mut Conn) -> Outcome<()> {
        let done = (self.work)(conn)?;
        self.keep(Ok(done));
        Ok(())
    }
}
