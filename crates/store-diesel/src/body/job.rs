//! Jobs of the writer: something to be written, and who waits for its answer.

use super::backend::Conn;
use super::errors::Outcome;
use super::group::{Command, Footprint, WorkingSet};
use florin_ports::{StoreError, WriteError};
use tokio::sync::oneshot::{Receiver, Sender, channel};

/// What the writer is asked to do.
pub(crate) enum Job {
    /// An command, which shares its transaction with those that are queued next to it.
    Command(Box<dyn Decided>),
    /// Anything that is seldom done. It has a transaction of its own.
    Change(Box<dyn Alone>),
    /// Work on one payment batch. It has a transaction of its own, and locks what it touches as commands do.
    Task(Box<dyn Alone>),
}

impl Job {
    /// An command, and where its answer will come.
    pub(crate) fn command<C: Command>(command: C) -> (Self, Receiver<Reply<C>>) {
        let (ticket, answer) = Ticket::new();
        (Self::Command(Box::new(Task { work: command, ticket })), answer)
    }

    /// A change, and where its answer will come.
    pub(crate) fn change<T, F>(change: F) -> (Self, Receiver<Result<T, StoreError>>)
    where
        F: Fn(&mut Conn) -> Outcome<T> + Send + 'static,
        T: Send + 'static,
    {
        let (ticket, answer) = Ticket::new();
        (Self::Change(Box::new(Task { work: change, ticket })), answer)
    }

    /// Work on a payment batch, and where its answer will come.
    pub(crate) fn task<T, F>(task: F) -> (Self, Receiver<Result<T, StoreError>>)
    where
        F: Fn(&mut Conn) -> Outcome<T> + Send + 'static,
        T: Send + 'static,
    {
        let (ticket, answer) = Ticket::new();
        (Self::Task(Box::new(Task { work: task, ticket })), answer)
    }

    /// Gives the answer that was kept: what it says is durable.
    pub(crate) fn settle(&mut self) {
        match self {
            Self::Command(job) => job.settle(),
            Self::Change(job) | Self::Task(job) => job.settle(),
        }
    }

    /// Answers that the store failed, if nothing was answered yet.
    pub(crate) fn fail(&mut self, error: StoreError) {
        match self {
            Self::Command(job) => job.fail(error),
            Self::Change(job) | Self::Task(job) => job.fail(error),
        }
    }
}

/// The answer to an command.
pub(crate) type Reply<C> = Result<<C as Command>::Done, WriteError<<C as Command>::Refused>>;

/// Who waits for an answer, whatever it is.
pub(crate) trait Waiting: Send {
    /// Gives the answer that was kept.
    fn settle(&mut self);

    /// Answers that the store failed, if nothing was answered yet.
    fn fail(&mut self, error: StoreError);
}

/// An command of any type.
pub(crate) trait Decided: Waiting {
    /// Says what it must see.
    fn footprint(&self, footprint: &mut Footprint);

    /// Carries it out on the sheet, and keeps the answer.
    fn decide(&mut self, working_set: &mut WorkingSet);
}

/// A change of any type.
pub(crate) trait Alone: Waiting {
    /// Makes it, and keeps the answer. An error asks for a rollback.
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

struct Task<W, T, E> {
    work: W,
    ticket: Ticket<T, E>,
}

impl<W: Send, T: Send, E: From<StoreError> + Send> Waiting for Task<W, T, E> {
    fn settle(&mut self) {
        // A caller that went away does not want the answer any more.
        if let (Some(caller), Some(reply)) = (self.ticket.caller.take(), self.ticket.reply.take()) {
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
        self.ticket.reply = Some(self.work.execute(working_set));
    }
}

impl<F, T> Alone for Task<F, T, StoreError>
where
    F: Fn(&mut Conn) -> Outcome<T> + Send,
    T: Send,
{
    fn attempt(&mut self, conn: &mut Conn) -> Outcome<()> {
        let done = (self.work)(conn)?;
        self.ticket.reply = Some(Ok(done));
        Ok(())
    }
}
