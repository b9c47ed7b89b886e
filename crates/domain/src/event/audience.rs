//! Who may see the events of an account.

use super::EventKind;

/// Who may see the events of an account. An event is written only if somebody may.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Audience {
    /// Whether the client of the account may list events.
    pub lists: bool,
}

impl Audience {
    /// Whether an event of this kind is written.
    pub const fn sees(&self, _kind: EventKind) -> bool {
        self.lists
    }
}
