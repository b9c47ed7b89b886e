//! The context in which card messages are sent.

use crate::idempotency::Recording;
use crate::state::App;
use florin_application::{MessageSender, ReleasableGuard};
use florin_domain::access::Account;
use florin_ports::Mode;

/// The context in which a message is sent: the account, what is recorded of the request, and whether it is a dry run.
pub(crate) struct SendContext<'a> {
    pub(crate) app: &'a App,
    pub(crate) account: &'a Account,
    /// The guard of the request on the account, which is released while a decision endpoint is asked.
    pub(crate) guard: Option<&'a dyn ReleasableGuard>,
    pub(crate) recording: &'a Recording,
    pub(crate) mode: Mode,
}

impl<'a> SendContext<'a> {
    /// Returns the account and the guard on it.
    pub(crate) const fn message_sender(&self) -> MessageSender<'a> {
        MessageSender { account: self.account, guard: self.guard }
    }
}
