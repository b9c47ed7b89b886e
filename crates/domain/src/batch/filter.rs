//! Which of many are wanted. An empty list of values wants any.

use super::{AlertCode, AlertKind, PaymentBatchStatus, PaymentStatus};
use crate::ids::{OrderId, PaymentBatchId};
use chrono::{DateTime, Utc};

/// Which way a list runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Direction {
    /// The smallest first.
    Ascending,
    /// The largest first.
    #[default]
    Descending,
}

impl Direction {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Ascending, Self::Descending];

    /// The name callers use.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ascending => "asc",
            Self::Descending => "desc",
        }
    }
}

/// Which batches of an account are wanted. By time of creation, then by id, both in the same direction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BatchFilter {
    /// These.
    pub ids: Vec<PaymentBatchId>,
    /// In one of these states.
    pub statuses: Vec<PaymentBatchStatus>,
    /// Hidden ones too.
    pub include_hidden: bool,
    /// Which way.
    pub direction: Direction,
}

/// Which payments of a batch are wanted. By input index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PaymentFilter {
    /// In one of these states.
    pub statuses: Vec<PaymentStatus>,
    /// Of one of these orders.
    pub orders: Vec<OrderId>,
    /// Which way.
    pub direction: Direction,
}

/// Which alerts of a batch are wanted. By input index (those of no row are the smallest), then as they were found.
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
    /// Which way.
    pub direction: Direction,
}
