//! The kinds and statuses of payments and refunds of merchants.

use super::RefundStatus;

/// Whether a payment row is a payment or a refund.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MerchantPaymentKind {
    /// Money moves from the payer to the merchant.
    Payment,
    /// Money moves from the merchant back to the payer.
    Refund,
}

impl MerchantPaymentKind {
    /// Both kinds.
    pub const ALL: [Self; 2] = [Self::Payment, Self::Refund];

    /// Returns the name in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Payment => "PAYMENT",
            Self::Refund => "REFUND",
        }
    }
}

/// The status of a payment or refund.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MerchantPaymentStatus {
    /// The payment or refund is not final.
    Pending,
    /// The money moved.
    Completed,
    /// The bank did not move the money.
    Failed,
    /// The payment or refund was given up before anybody approved it.
    Cancelled,
}

impl MerchantPaymentStatus {
    /// All statuses.
    pub const ALL: [Self; 4] = [Self::Pending, Self::Completed, Self::Failed, Self::Cancelled];

    /// Returns the status of a refund with this status. A refund that nobody has authorised is not initiated.
    pub const fn of_refund(self, is_initiated: bool) -> RefundStatus {
        match (self, is_initiated) {
            (Self::Pending, false) => RefundStatus::AwaitingAuthorisation,
            (Self::Pending, true) => RefundStatus::Pending,
            (Self::Completed, _) => RefundStatus::Completed,
            (Self::Failed, _) => RefundStatus::Failed,
            (Self::Cancelled, _) => RefundStatus::Cancelled,
        }
    }

    /// Returns the name in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "PENDING",
            Self::Completed => "COMPLETED",
            Self::Failed => "FAILED",
            Self::Cancelled => "CANCELLED",
        }
    }

    /// Returns whether a refund with this status counts against the refundable amount of its payment: it is neither
    /// failed nor cancelled.
    pub const fn counts_against_payment(self) -> bool {
        matches!(self, Self::Pending | Self::Completed)
    }

    /// Returns whether a payment or refund with this status has a completed session, so that its order is final. If a
    /// payment is not COMPLETED, another payment may still complete its session.
    pub const fn has_final_order(self, kind: MerchantPaymentKind) -> bool {
        matches!((kind, self), (MerchantPaymentKind::Refund, _) | (MerchantPaymentKind::Payment, Self::Completed))
    }
}
