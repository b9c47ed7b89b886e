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

/// Filter of batches, sorted by time of creation, then by id, both in the same direction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BatchFilter {
    /// With these ids.
    pub ids: Vec<PaymentBatchId>,
    /// In one of these states.
    pub statuses: Vec<PaymentBatchStatus>,
    /// Whether hidden batches are included.
    pub include_hidden: bool,
    /// The direction.
    pub direction: Direction,
}

/// Filter of the payments of a batch, sorted by input index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PaymentFilter {
    /// In one of these states.
    pub statuses: Vec<PaymentStatus>,
    /// Of one of these orders.
    pub orders: Vec<OrderId>,
    /// The direction.
    pub direction: Direction,
}

/// Filter of the alerts of a batch, sorted by input index (those without a row first), then in the order found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AlertFilter {
    /// Of this kind.
    pub kind: Option<AlertKind>,
    /// With this code.
    pub code: Option<AlertCode>,
    /// Found at this time or later.
    pub from: Option<DateTime<Utc>>,
    /// Found at this time or earlier.
    pub to: Option<DateTime<Utc>>,
    /// The direction.
    pub direction: Direction,
}
