//! The time of a decision and the source of its ids, passed in so that rules are pure.

use chrono::{DateTime, Utc};
use uuid::Uuid;

/// The time of a decision, and the source of its ids. With equal times and ids, a rule decides the same.
#[derive(Clone, Copy)]
pub struct Stamp<'a> {
    /// The time of the decision.
    pub now: DateTime<Utc>,
    /// Returns a new id.
    pub ids: &'a dyn Fn() -> Uuid,
}

impl Stamp<'_> {
    /// Draws a new id. The order in which a rule draws its ids is part of its result: seeded worlds repeat it.
    pub(crate) fn id(&self) -> Uuid {
        (self.ids)()
    }
}
