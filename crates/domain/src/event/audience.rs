//! Who may see the events of an account.

use super::EventKind;
use std::collections::BTreeSet;

/// Who may see the events of an account. An event is written only if somebody may.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Audience {
    /// Whether the client of the account may list events.
    pub lists: bool,
    /// The kinds of events that enabled subscriptions get.
    pub subscribed: BTreeSet<EventKind>,
}

impl Audience {
    /// Whether an event of this kind is written.
    pub fn sees(&self, kind: EventKind) -> bool {
        self.lists || self.subscribed.contains(&kind)
    }
}
