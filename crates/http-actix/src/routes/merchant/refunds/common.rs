//! Shared parts of the operations on merchants' refunds.

use crate::declare::parameters;
use florin_domain::ids::RefundId;

/// The path parameter and the kind of object in the 404 for a refund.
pub(crate) const REFUND: (&str, &str) = ("path.refundId", "refund");

parameters! {
    /// Path parameter: a refund.
    pub(crate) struct RefundPath in Path {
        /// The id of the refund.
        "refundId" => id: RefundId,
    }
}
