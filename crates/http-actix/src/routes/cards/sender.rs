//! The context in which a message is sent.

use crate::idempotency::Recording;
use crate::state::App;
use florin_application::{AccountTurn, CardSender};
use florin_domain::access::Account;
use florin_ports::Mode;

/// The context in which a message is sent: the account, what is recorded of the request, and whether it is a dry run.
pub(crate) struct Sender<'a> {
    pub(crate) app: &'a App,
    pub(crate) account: &'a Account,
    /// The turn of the request on the account, which is given back while a decision endpoint is asked.
    pub(crate) turn: Option<&'a dyn AccountTurn>,
    pub(crate) recording: &'a Recording,
    pub(crate) mode: Mode,
}

impl<'a> Sender<'a> {
    /// Returns the account with the turn on it.
    pub(crate) const fn on_account(&self) -> CardSender<'a> {
        CardSender { account: self.account, turn: self.turn }
    }
}
