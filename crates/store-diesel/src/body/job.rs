//! Jobs of the writer: typed orders with a way to answer.

use super::backend::Conn;
use super::errors::Outcome;
use florin_ports::{
    ConfirmOrder, CreditOrder, ExpiryOrder, FirstMessageOrder, FollowUpOrder, OpenSessionOrder, StoreError, WriteError,
};
use std::any::Any;
use std::convert::Infallible;
use std::panic::{AssertUnwindSafe, catch_unwind};
use tokio::sync::oneshot::{Receiver, Sender, channel};

/// Something to be written in one transaction, which other orders may share.
pub(crate) trait Order: Send + 'static {
    /// What it comes to.
    type Done: Send + 'static;
    /// How its rule may refuse.
    type Refused: Send + 'static;

    /// Loads, decides, stores. It may be called again after a rollback. `WriteError::Store` rolls back; every other end is
    /// an answer, and what was written up to it is kept.
    fn carry_out(&self, conn: &mut Conn) -> Result<Self::Done, WriteError<Self::Refused>>;
}

/// The answer to an order.
pub(crate) type Reply<O> = Result<<O as Order>::Done, WriteError<<O as Order>::Refused>>;

/// An order, and who waits for it.
pub(crate) struct Ticket<O: Order> {
    pub(crate) order: O,
    caller: Option<Sender<Reply<O>>>,
    reply: Option<Reply<O>>,
}

impl<O: Order> Ticket<O> {
    /// A ticket, and where its answer will come.
    pub(crate) fn new(order: O) -> (Self, Receiver<Reply<O>>) {
        let (caller, answer) = channel();
        (Self { order, caller: Some(caller), reply: None }, answer)
    }
}

/// An order of any type, as the writer sees it.
pub(crate) trait Work: Send {
    /// Carries the order out and keeps the answer. An error asks for a rollback.
    fn attempt(&mut self, conn: &mut Conn) -> Result<(), StoreError>;

    /// Gives the answer that was kept: what it says is durable.
    fn settle(&mut self);

    /// Answers that the store failed.
    fn fail(&mut self, error: StoreError);
}

impl<O: Order> Work for Ticket<O> {
    fn attempt(&mut self, conn: &mut Conn) -> Result<(), StoreError> {
        let order = &self.order;
        // Nothing of a half-done order is seen again: the transaction is rolled back.
        match catch_unwind(AssertUnwindSafe(|| order.carry_out(conn))) {
            Err(panic) => Err(StoreError::Corrupt(format!("a decision panicked: {}", text_of(panic.as_ref())))),
            Ok(Err(WriteError::Store(error))) => Err(error),
            Ok(reply) => {
                self.reply = Some(reply);
                Ok(())
            }
        }
    }

    fn settle(&mut self) {
        // A caller that went away does not want the answer any more.
        if let (Some(caller), Some(reply)) = (self.caller.take(), self.reply.take()) {
            let _ = caller.send(reply);
        }
    }

    fn fail(&mut self, error: StoreError) {
        if let Some(caller) = self.caller.take() {
            let _ = caller.send(Err(WriteError::Store(error)));
        }
    }
}

fn text_of(panic: &(dyn Any + Send)) -> &str {
    panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message")
}

/// What the writer is asked to do. Orders that move money keep their types, so that a whole group of them can be loaded,
/// decided and stored with a few statements.
pub(crate) enum Job {
    FirstMessage(Ticket<FirstMessageOrder>),
    FollowUp(Ticket<FollowUpOrder>),
    Expiry(Ticket<ExpiryOrder>),
    Credit(Ticket<CreditOrder>),
    Confirm(Ticket<ConfirmOrder>),
    OpenSession(Ticket<OpenSessionOrder>),
    /// Anything that is seldom done.
    Admin(Box<dyn Work>),
}

impl Job {
    /// The order in it.
    pub(crate) fn work(&mut self) -> &mut dyn Work {
        match self {
            Self::FirstMessage(ticket) => ticket,
            Self::FollowUp(ticket) => ticket,
            Self::Expiry(ticket) => ticket,
            Self::Credit(ticket) => ticket,
            Self::Confirm(ticket) => ticket,
            Self::OpenSession(ticket) => ticket,
            Self::Admin(work) => work.as_mut(),
        }
    }
}

macro_rules! jobs {
    ($($variant:ident($order:ty),)*) => {$(
        impl From<Ticket<$order>> for Job {
            fn from(ticket: Ticket<$order>) -> Self {
                Self::$variant(ticket)
            }
        }
    )*};
}

jobs! {
    FirstMessage(FirstMessageOrder),
    FollowUp(FollowUpOrder),
    Expiry(ExpiryOrder),
    Credit(CreditOrder),
    Confirm(ConfirmOrder),
    OpenSession(OpenSessionOrder),
}

/// A change with no rule to decide: it is made, or it fails.
pub(crate) struct Admin<F>(pub(crate) F);

impl<F, T> Order for Admin<F>
where
    F: Fn(&mut Conn) -> Outcome<T> + Send + 'static,
    T: Send + 'static,
{
    type Done = T;
    type Refused = Infallible;

    fn carry_out(&self, conn: &mut Conn) -> Result<T, WriteError<Infallible>> {
        Ok((self.0)(conn)?)
    }
}

impl<F, T> From<Ticket<Admin<F>>> for Job
where
    F: Fn(&mut Conn) -> Outcome<T> + Send + 'static,
    T: Send + 'static,
{
    fn from(ticket: Ticket<Admin<F>>) -> Self {
        Self::Admin(Box::new(ticket))
    }
}
