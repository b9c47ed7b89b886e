//! Items on which something is due.

use chrono::{DateTime, Utc};

/// An item on which something is due. The order is by time, then by item.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Due<T> {
    /// When it is due.
    pub at: DateTime<Utc>,
    /// The item.
    pub item: T,
}
