//! The time of a decision and the source of its ids. They are arguments, so that rules are pure.

use chrono::{DateTime, Utc};
use uuid::Uuid;

/// The time of a decision, and the source of its ids. With the same time and ids, a rule makes the same decision.
#[derive(Clone, Copy)]
pub struct Stamp<'a> {
    /// The time of the decision.
    pub now: DateTime<Utc>,
    /// Returns a new id.
    pub ids: &'a dyn Fn() -> Uuid,
}

impl Stamp<'_> {
    /// Returns a new id. The order in which a rule uses its ids is part of its result: seeded worlds repeat it.
    pub(crate) fn id(&self) -> Uuid {
        (self.ids)()
    }
}
