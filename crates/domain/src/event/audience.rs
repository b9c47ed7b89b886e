//! The audience of events: who may see them.

use super::EventKind;
use std::collections::BTreeSet;

/// The audience of the events of an account. An event is written only if somebody may see it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Audience {
    /// Whether the client of the account may list events.
    pub may_list: bool,
    /// The kinds of events for which enabled subscriptions exist.
    pub subscribed: BTreeSet<EventKind>,
}

impl Audience {
    /// Returns whether somebody may see events of this kind.
    pub fn sees(&self, kind: EventKind) -> bool {
        self.may_list || self.subscribed.contains(&kind)
    }
}
