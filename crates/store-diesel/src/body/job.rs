//! Jobs of the writer: something to write, and the caller that waits for the answer.

use super::backend::Conn;
use super::errors::Outcome;
use super::footprint::Footprint;
use super::group::Command;
use super::working_set::WorkingSet;
use chrono::{DateTime, Utc};
use florin_ports::{AttemptEnd, ClaimDeliveriesCommand, ClaimedDeliveries, StoreError, WriteError};
use tokio::sync::oneshot::{Receiver, Sender, channel};

/// A job of the writer.
pub(crate) enum Job {
    /// A command. It shares its transaction with the commands that are queued next to it.
    Command(Box<dyn Decided>),
    /// A rare change. It has its own transaction.
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

    /// Returns the work that shares a transaction with other work of its kind.
    pub(crate) fn delivery(&mut self) -> Option<&mut DeliveryJob> {
        if let Self::Delivery(job) = self { Some(job) } else { None }
    }

    /// Returns the number of rows for which the job counts in a transaction of [`DeliveryJob`]s. `None`: it is another
    /// job.
    pub(crate) fn delivery_rows(&self) -> Option<usize> {
        if let Self::Delivery(job) = self { Some(job.rows()) } else { None }
    }

    /// Creates the job of a command, and the receiver of its answer.
    pub(crate) fn command<C: Command>(command: C) -> (Self, Receiver<Reply<C>>) {
        let (ticket, answer) = Ticket::new();
        (Self::Command(Box::new(Task { work: command, ticket })), answer)
    }

    /// Creates the job of a change, and the receiver of its answer.
    pub(crate) fn change<T, F>(change: F) -> (Self, Receiver<Result<T, StoreError>>)
    where
        F: Fn(&mut Conn) -> Outcome<T> + Send + 'static,
        T: Send + 'static,
    {
        let (ticket, answer) = Ticket::new();
        (Self::Change(Box::new(Task { work: change, ticket })), answer)
    }

    /// Creates the job of a task, and the receiver of its answer.
    pub(crate) fn task<T, F>(task: F) -> (Self, Receiver<Result<T, StoreError>>)
    where
        F: Fn(&mut Conn) -> Outcome<T> + Send + 'static,
        T: Send + 'static,
    {
        let (ticket, answer) = Ticket::new();
        (Self::Task(Box::new(Task { work: task, ticket })), answer)
    }

    /// Creates the job of work for which no request waits, and the receiver of its answer.
    pub(crate) fn background<T, F>(work: F) -> (Self, Receiver<Result<T, StoreError>>)
    where
        F: Fn(&mut Conn) -> Outcome<T> + Send + 'static,
        T: Send + 'static,
    {
        let (ticket, answer) = Ticket::new();
        (Self::Background(Box::new(Task { work, ticket })), answer)
    }

    /// Creates the job of a claim of deliveries, and the receiver of its answer.
    pub(crate) fn claim(
        command: ClaimDeliveriesCommand,
    ) -> (Self, Receiver<Result<Option<ClaimedDeliveries>, StoreError>>) {
        let (ticket, answer) = Ticket::new();
        (Self::Delivery(DeliveryJob::Claim(Box::new(Task { work: command, ticket }))), answer)
    }

    /// Creates the job that records ended attempts, and the receiver of their number.
    pub(crate) fn record(ended: EndedAttempts) -> (Self, Receiver<Result<u64, StoreError>>) {
        let (ticket, answer) = Ticket::new();
        (Self::Delivery(DeliveryJob::Record(Box::new(Task { work: ended, ticket }))), answer)
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
pub(crate) type ClaimTask = Task<ClaimDeliveriesCommand, Option<ClaimedDeliveries>, StoreError>;

/// Ended attempts to record, and the caller that waits for their number.
pub(crate) type RecordTask = Task<EndedAttempts, u64, StoreError>;

/// Work of the deliverer that shares its transaction.
pub(crate) enum DeliveryJob {
    /// Claims deliveries of one subscription.
    Claim(Box<ClaimTask>),
    /// Records ended attempts.
    Record(Box<RecordTask>),
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

/// A caller that waits for an answer of any type.
pub(crate) trait Waiting: Send {
    /// Sends the kept answer.
    fn settle(&mut self);

    /// Answers that the store failed, unless an answer was sent already.
    fn fail(&mut self, error: StoreError);
}

/// A command of any type.
pub(crate) trait Decided: Waiting {
    /// Adds the keys of the rows that the command reads and locks.
    fn footprint(&self, footprint: &mut Footprint);

    /// Executes it on the working set, and keeps the answer.
    fn decide(&mut self, working_set: &mut WorkingSet);
}

/// A change of any type.
pub(crate) trait UngroupedWork: Waiting {
    /// Makes the change, and keeps the answer. The caller rolls back after an error.
    fn attempt(&mut self, conn: &mut Conn) -> Outcome<()>;
}

struct Ticket<T, E> {
    caller: Option<Sender<Result<T, E>>>,
    reply: Option<Result<T, E>>,
}

impl<T, E> Ticket<T, E> {
    fn new() -> (Self, Receiver<Result<T, E>>) {
        let (caller, answer) = channel();
        (Self { caller: Some(caller), reply: None }, answer)
    }
}

/// Work of any kind, and the caller that waits for its answer.
pub(crate) struct Task<W, T, E> {
    work: W,
    ticket: Ticket<T, E>,
}

impl<W, T, E> Task<W, T, E> {
    /// Returns the work.
    pub(crate) const fn work(&self) -> &W {
        &self.work
    }

    /// Drops the kept answer of an attempt that was rolled back.
    pub(crate) fn forget(&mut self) {
        self.ticket.reply = None;
    }

    /// Keeps the answer until [`Waiting::settle`].
    pub(crate) fn keep(&mut self, reply: Result<T, E>) {
        self.ticket.reply = Some(reply);
    }
}

impl<W: Send, T: Send, E: From<StoreError> + Send> Waiting for Task<W, T, E> {
    fn settle(&mut self) {
        // Without an answer, the job was left out, and its caller waits on.
        if let Some(reply) = self.ticket.reply.take()
            && let Some(caller) = self.ticket.caller.take()
        {
            // Ignored if the caller no longer waits for the answer.
            let _ = caller.send(reply);
        }
    }

    fn fail(&mut self, error: StoreError) {
        if let Some(caller) = self.ticket.caller.take() {
            let _ = caller.send(Err(error.into()));
        }
    }
}

impl<C: Command> Decided for Task<C, C::Done, WriteError<C::Refused>> {
    fn footprint(&self, footprint: &mut Footprint) {
        self.work.footprint(footprint);
    }

    fn decide(&mut self, working_set: &mut WorkingSet) {
        let reply = self.work.execute(working_set);
        self.keep(reply);
    }
}

impl<F, T> UngroupedWork for Task<F, T, StoreError>
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
