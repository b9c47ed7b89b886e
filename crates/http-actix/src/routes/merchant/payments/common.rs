//! Shared parts of the operations on merchants' payments.

use crate::declare::parameters;
use chrono::NaiveDate;
use florin_domain::checkout::{MerchantPaymentFilter, MerchantPaymentKind, MerchantPaymentStatus, PaymentSort};
use florin_domain::ids::{CheckoutSessionId, MerchantPaymentId};
use florin_domain::merchant::CheckoutType;
use florin_domain::text::Text;

/// The path parameter and the kind of object in the 404 for a payment.
pub(crate) const PAYMENT: (&str, &str) = ("path.paymentId", "payment");

parameters! {
    /// Path parameter: a payment.
    pub(crate) struct PaymentPath in Path {
        /// The id of the payment.
        "paymentId" => id: MerchantPaymentId,
    }
}

parameters! {
    /// The filters of payments and refunds, and their order.
    pub(crate) struct PaymentParameters in Query {
        /// Only payments created on this day or later, in UTC.
        "startDate" => from: Option<NaiveDate>,
        /// Only payments created on this day or earlier, in UTC.
        "endDate" => to: Option<NaiveDate>,
        /// Only payments from payers (`PAYMENT`), or only refunds to them (`REFUND`).
        "type" => kind: Option<MerchantPaymentKind>,
        /// Only payments through checkouts of this type.
        "checkoutType" => checkout_type: Option<CheckoutType>,
        /// Only payments with this status.
        "status" => status: Option<MerchantPaymentStatus>,
        /// Only payments of this session.
        "checkoutSessionId" => session: Option<CheckoutSessionId>,
        /// Only payments of sessions with this reference.
        "merchantReference" => merchant_reference: Option<Text<1, 128>>,
        /// Only refunds of this payment.
        "refundedPaymentId" => refunded: Option<MerchantPaymentId>,
        /// The order: `createdAt` is oldest first, `-createdAt` is newest first. Default: `-createdAt`.
        "sort" => sort: Option<PaymentSort>,
    }
}

impl PaymentParameters {
    /// Returns the filter and the order.
    pub(super) fn into_parts(self) -> (MerchantPaymentFilter, PaymentSort) {
        let filter = MerchantPaymentFilter {
            from: self.from,
            to: self.to,
            kind: self.kind,
            checkout_type: self.checkout_type,
            status: self.status,
            session: self.session,
            merchant_reference: self.merchant_reference.map(Text::into_string),
            refunded: self.refunded,
        };
        (filter, self.sort.unwrap_or_default())
    }
}
