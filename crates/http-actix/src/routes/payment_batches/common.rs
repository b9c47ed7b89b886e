//! Shared parts of the operations on payment batches.

use crate::declare::parameters;
use florin_application::Requirement;
use florin_domain::access::Scope;
use florin_domain::batch::{Direction, PaymentStatus};
use florin_domain::ids::PaymentBatchId;

pub(super) const READ: Requirement = Requirement::of(Scope::PaymentBatchesRead);
pub(super) const WRITE: Requirement = Requirement::of(Scope::PaymentBatchesWrite);

parameters! {
    /// Path parameter: a payment batch.
    pub(crate) struct BatchPath in Path {
        /// The id of the payment batch.
        "paymentBatchId" => id: PaymentBatchId,
    }
}

parameters! {
    /// The sort order of a list.
    pub(crate) struct SortParameter in Query {
        /// `asc` or `desc`: batches by creation time, payments and alerts by input index. Default: `desc`.
        "sort" => direction: Option<Direction>,
    }
}

parameters! {
    /// The filter of payments by status.
    pub(crate) struct StatusesParameter in Query {
        /// Only payments with one of these statuses, comma-separated.
        "statuses" => statuses: Vec<PaymentStatus>,
    }
}
