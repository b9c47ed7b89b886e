//! Who sends a message.

use crate::idempotency::Recording;
use crate::state::App;
use florin_domain::access::Account;
use florin_ports::Mode;

/// Who sends a message, and what is recorded of it.
pub(crate) struct Sender<'a> {
    pub(crate) app: &'a App,
    pub(crate) account: &'a Account,
    pub(crate) recording: &'a Recording,
    pub(crate) mode: Mode,
}
