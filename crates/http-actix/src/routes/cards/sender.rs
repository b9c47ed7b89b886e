//! The context in which a message is sent.

use crate::idempotency::Recording;
use crate::state::App;
use florin_domain::access::Account;
use florin_ports::Mode;

/// The context in which a message is sent: the account, what is recorded of the request, and whether it is a dry run.
pub(crate) struct Sender<'a> {
    pub(crate) app: &'a App,
    pub(crate) account: &'a Account,
    pub(crate) recording: &'a Recording,
    pub(crate) mode: Mode,
}
