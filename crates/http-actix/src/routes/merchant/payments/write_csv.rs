//! Writes payments and refunds of merchants as CSV.

use crate::payments::{csv_writer, finish_csv, guarded};
use crate::views::{Amount, Time};
use florin_domain::checkout::ListedPayment;
use serde::Serialize;
use std::borrow::Cow;
use uuid::Uuid;

/// A row. Its members are the columns.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Row<'a> {
    id: Uuid,
    #[serde(rename = "type")]
    kind: &'static str,
    checkout_type: &'static str,
    status: &'static str,
    amount: Amount,
    currency_code: &'static str,
    checkout_session_id: Uuid,
    refunded_payment_id: Option<Uuid>,
    refund_id: Option<Uuid>,
    order_id: Option<Uuid>,
    merchant_reference: Option<Cow<'a, str>>,
    payer_bank_name: Cow<'a, str>,
    is_refundable: bool,
    initiated_at: Option<Time>,
    completed_at: Option<Time>,
    created_at: Time,
}

impl<'a> From<&'a ListedPayment> for Row<'a> {
    fn from(payment: &'a ListedPayment) -> Self {
        Self {
            id: payment.id.0,
            kind: payment.kind().as_str(),
            checkout_type: payment.checkout_type.as_str(),
            status: payment.status.as_str(),
            amount: Amount(payment.amount),
            currency_code: payment.amount.currency.code(),
            checkout_session_id: payment.session.0,
            refunded_payment_id: payment.refund.map(|refund| refund.payment.0),
            refund_id: payment.refund.map(|refund| refund.id.0),
            order_id: payment.order.map(|id| id.0),
            merchant_reference: payment.merchant_reference.as_deref().map(guarded),
            payer_bank_name: guarded(&payment.bank_name),
            is_refundable: payment.is_refundable,
            initiated_at: payment.initiated_at.map(Time),
            completed_at: payment.completed_at.map(Time),
            created_at: Time(payment.created_at),
        }
    }
}

/// The columns, in the order of the members of a row.
const COLUMNS: [&str; 16] = [
    "id",
    "type",
    "checkoutType",
    "status",
    "amount",
    "currencyCode",
    "checkoutSessionId",
    "refundedPaymentId",
    "refundId",
    "orderId",
    "merchantReference",
    "payerBankName",
    "isRefundable",
    "initiatedAt",
    "completedAt",
    "createdAt",
];

/// Writes a header row, then a row for each payment.
pub(super) fn write(payments: &[ListedPayment]) -> Result<Vec<u8>, csv::Error> {
    let mut writer = csv_writer();
    writer.write_record(COLUMNS)?;
    for payment in payments {
        writer.serialize(Row::from(payment))?;
    }
    finish_csv(writer)
}
