//! Filters and sort directions of lists. An empty list of values matches any.

use super::{AlertCode, AlertKind, PaymentBatchStatus, PaymentStatus};
use crate::ids::{OrderId, PaymentBatchId};
use chrono::{DateTime, Utc};

/// The sort direction of a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Direction {
    /// The smallest first.
    Ascending,
    /// The largest first.
    #[default]
    Descending,
}

impl Direction {
    /// Both directions.
    pub const ALL: [Self; 2] = [Self::Ascending, Self::Descending];

    /// The name callers use.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ascending => "asc",
            Self::Descending => "desc",
        }
    }
}

/// A filter of batches, sorted by time of creation, then by id, both in the same direction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BatchFilter {
    /// The ids to match.
    pub ids: Vec<PaymentBatchId>,
    /// The states to match.
    pub statuses: Vec<PaymentBatchStatus>,
    /// Whether hidden batches are included.
    pub include_hidden: bool,
    /// The direction.
    pub direction: Direction,
}

/// A filter of the payments of a batch, sorted by input index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PaymentFilter {
    /// The states to match.
    pub statuses: Vec<PaymentStatus>,
    /// The orders to match.
    pub orders: Vec<OrderId>,
    /// The direction.
    pub direction: Direction,
}

/// A filter of the alerts of a batch, sorted by input index (those without a row first), then in the order found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AlertFilter {
    /// The kind to match.
    pub kind: Option<AlertKind>,
    /// The code to match.
    pub code: Option<AlertCode>,
    /// The earliest time found, inclusive.
    pub from: Option<DateTime<Utc>>,
    /// The latest time found, inclusive.
    pub to: Option<DateTime<Utc>>,
    /// The direction.
    pub direction: Direction,
}
