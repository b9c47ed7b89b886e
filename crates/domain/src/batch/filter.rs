//! Filters and sort directions of lists. An empty list of values selects everything.

use super::{AlertCode, AlertKind, PaymentBatchStatus, PaymentStatus};
use crate::ids::{OrderId, PaymentBatchId};
use chrono::{DateTime, Utc};

/// The sort direction of a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Smallest first.
    Ascending,
    /// Largest first.
    #[default]
    Descending,
}

impl Direction {
    /// Both directions.
    pub const ALL: [Self; 2] = [Self::Ascending, Self::Descending];

    /// Returns the name in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ascending => "asc",
            Self::Descending => "desc",
        }
    }
}

/// Selects and sorts batches: by time of creation, then by id, both in the same direction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BatchFilter {
    /// The ids to select.
    pub ids: Vec<PaymentBatchId>,
    /// The statuses to select.
    pub statuses: Vec<PaymentBatchStatus>,
    /// Whether hidden batches are included.
    pub include_hidden: bool,
    /// The sort direction.
    pub direction: Direction,
}

/// Selects payments of a batch, and sorts them by input index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PaymentFilter {
    /// The statuses to select.
    pub statuses: Vec<PaymentStatus>,
    /// The orders to select.
    pub orders: Vec<OrderId>,
    /// The sort direction.
    pub direction: Direction,
}

/// Selects alerts of a batch, and sorts them by input index (alerts without a row first), then in the order in which
/// they were found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AlertFilter {
    /// The kind to select.
    pub kind: Option<AlertKind>,
    /// The code to select.
    pub code: Option<AlertCode>,
    /// Selects alerts that were found at this time or later.
    pub from: Option<DateTime<Utc>>,
    /// Selects alerts that were found at this time or earlier.
    pub to: Option<DateTime<Utc>>,
    /// The sort direction.
    pub direction: Direction,
}
