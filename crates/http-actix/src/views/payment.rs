//! Payments of batches in responses.

use super::Time;
use crate::payments::RecipientShape;
use crate::payments::columns::of_object;
use florin_domain::batch::{EmailInput, Payment, PaymentInput};
use serde::ser::{Serialize, SerializeMap, Serializer};
use utoipa::ToSchema;

/// A payment of a batch.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = Payment)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PaymentView {
    /// The id of the payment.
    #[schema(format = Uuid)]
    id: String,
    /// The id of the batch that contains the payment.
    #[schema(format = Uuid)]
    payment_batch_id: String,
    /// The id of the order that the payment belongs to; null if the payment has an Error alert.
    #[schema(required, format = Uuid)]
    order_id: Option<String>,
    /// `created`: the payment has an Error alert. `validated`: the payment has no Error alert. `confirmed`: the money
    /// is reserved. `started`: sent to the bank, or about to be. `completed`: paid. `failed`: refused by the bank.
    /// `returned`: paid, then returned by the recipient's bank. `cancelled`: cancelled with its batch.
    #[schema(pattern = "^(created|validated|confirmed|started|completed|failed|returned|cancelled)$")]
    status: &'static str,
    /// The amount that the recipient receives. If the payment has an Error alert: the value as sent.
    #[schema(required)]
    amount: Option<String>,
    /// The currency (ISO 4217, alphabetic). If the payment has an Error alert: the value as sent.
    #[schema(required)]
    currency_code: Option<String>,
    /// The id of the funding budget. If the payment has an Error alert: the value as sent.
    #[schema(required)]
    funding_budget_id: Option<String>,
    /// The purpose, as a code that the country or the currency requires.
    #[schema(required)]
    purpose_code: Option<String>,
    /// The purpose, in words.
    #[schema(required)]
    purpose: Option<String>,
    /// The reference on the recipient's statement.
    #[schema(required)]
    reference: Option<String>,
    /// Your id of the payment.
    #[schema(required)]
    external_id: Option<String>,
    /// Fees on top of the amount, in its currency; null if the payment has an Error alert.
    #[schema(required)]
    fees: Option<String>,
    /// Who pays the fees of intermediary banks. Always `SHA`: they are shared.
    #[schema(pattern = "^SHA$")]
    charges: &'static str,
    /// Why the payment failed or was returned; null for other payments.
    #[schema(required, pattern = "^(account_closed|account_not_found|name_mismatch|rejected_by_bank|compliance)$")]
    failure_reason: Option<&'static str>,
    /// When the payment was uploaded.
    #[schema(value_type = String, format = DateTime)]
    created_at: Time,
    /// When the payment was last changed.
    #[schema(value_type = String, format = DateTime)]
    updated_at: Time,
    /// Row number in the upload, from 0.
    #[schema(minimum = 0)]
    input_index: u32,
    /// The recipient, as sent.
    #[schema(value_type = RecipientShape)]
    recipient: RecipientView,
}

impl From<Payment> for PaymentView {
    fn from(payment: Payment) -> Self {
        let status = payment.status().as_str();
        let input = payment.input;
        let (amount, currency, budget, fees, order) = match payment.state.terms() {
            Some(terms) => (
                Some(terms.amount.of(terms.currency).to_string()),
                Some(terms.currency.code().to_owned()),
                Some(terms.budget.to_string()),
                Some(terms.fee.of(terms.currency).to_string()),
                Some(terms.order.to_string()),
            ),
            None => (input.amount.clone(), input.currency_code.clone(), input.funding_budget_id.clone(), None, None),
        };
        Self {
            id: payment.id.to_string(),
            payment_batch_id: payment.batch.to_string(),
            order_id: order,
            status,
            amount,
            currency_code: currency,
            funding_budget_id: budget,
            purpose_code: input.purpose_code.clone(),
            purpose: input.purpose.clone(),
            reference: input.reference.clone(),
            external_id: input.external_id.clone(),
            fees,
            charges: "SHA",
            failure_reason: payment.state.failure().map(florin_domain::batch::FailureReason::as_str),
            created_at: Time(payment.created_at),
            updated_at: Time(payment.updated_at),
            input_index: payment.index,
            recipient: RecipientView(input),
        }
    }
}

/// The recipient with all its members. Members that were not sent are null.
struct RecipientView(PaymentInput);

impl Serialize for RecipientView {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Object { payment: &self.0, prefix: "recipient." }.serialize(serializer)
    }
}

/// The JSON object of the columns with names that begin with `prefix`.
struct Object<'a> {
    payment: &'a PaymentInput,
    prefix: &'static str,
}

impl Serialize for Object<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { payment, prefix } = *self;
        let mut map = serializer.serialize_map(None)?;
        for (name, column) in of_object(prefix) {
            map.serialize_entry(name, &(column.get)(payment))?;
        }
        if prefix == "recipient." {
            let recipient = &payment.recipient;
            let emails: Vec<_> = recipient.subscribed_emails.iter().map(Email).collect();
            map.serialize_entry("subscribedEmails", &emails)?;
            let address = recipient.address.as_ref().map(|_| Object { payment, prefix: "recipient.address." });
            map.serialize_entry("address", &address)?;
            let bank = recipient.bank_address.as_ref().map(|_| Object { payment, prefix: "recipient.bankAddress." });
            map.serialize_entry("bankAddress", &bank)?;
        }
        map.end()
    }
}

struct Email<'a>(&'a EmailInput);

impl Serialize for Email<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("name", &self.0.name)?;
        map.serialize_entry("email", &self.0.email)?;
        map.end()
    }
}
