//! Payments as uploaded, before any check. Invalid values are stored, so that clients can correct them.

use serde::{Deserialize, Serialize};

/// One payment as uploaded. A field is `None` if it was not sent or its cell was empty.
///
/// Stores keep it as JSON with the field names of the API. Missing fields are read as `None` and unknown fields are
/// ignored, so older and newer versions can read each other's data.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PaymentInput {
    /// The amount, as a decimal in major units.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub amount: Option<String>,
    /// The currency: ISO 4217, alphabetic.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub currency_code: Option<String>,
    /// The id of the budget that pays.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub funding_budget_id: Option<String>,
    /// The purpose of the payment: a code of the recipient's central bank.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub purpose_code: Option<String>,
    /// The purpose of the payment, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub purpose: Option<String>,
    /// The reference on the recipient's statement.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// The client's id for the payment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external_id: Option<String>,
    /// The recipient.
    pub recipient: RecipientInput,
}

/// A recipient as uploaded.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RecipientInput {
    /// The client's id for the recipient.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The reference of payments that have none of their own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_reference: Option<String>,
    /// The type: `individual`, `business` or `charity`.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The name of the account holder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The name that is shown to the client's staff.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub display_name: Option<String>,
    /// E-mail addresses that belong to the recipient. Florin sends no e-mail.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub subscribed_emails: Vec<EmailInput>,
    /// The IBAN or account number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub account_identifier: Option<String>,
    /// The sort code or BIC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bank_identifier: Option<String>,
    /// A second identifier of the bank, such as a branch code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secondary_bank_identifier: Option<String>,
    /// The BIC of an intermediary bank.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub intermediary_bank_identifier: Option<String>,
    /// The payment network. `None`: Florin selects it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payment_network: Option<String>,
    /// The recipient's address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<PostalAddressInput>,
    /// The address of the recipient's bank.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bank_address: Option<BankAddressInput>,
}

/// An e-mail address of a recipient, with a name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct EmailInput {
    /// The name of the person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The e-mail address of the person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
}

/// The address of a recipient as uploaded.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PostalAddressInput {
    /// The type of address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address_type: Option<String>,
    /// Street.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub street_name: Option<String>,
    /// Number in the street.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub building_number: Option<String>,
    /// Name of the building.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub building_name: Option<String>,
    /// Postal code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub postcode: Option<String>,
    /// Town.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub city: Option<String>,
    /// County, state or province.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<String>,
    /// The country: ISO 3166-1 alpha-2.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub country_code: Option<String>,
}

/// The address of a bank as uploaded.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct BankAddressInput {
    /// The name of the bank.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bank_name: Option<String>,
    /// The branch of the bank.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// Name of the building.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub building_name: Option<String>,
    /// Number in the street.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub building_number: Option<String>,
    /// Street.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub street_name: Option<String>,
    /// Town.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub city: Option<String>,
    /// County, state or province.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<String>,
    /// Postal code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub postcode: Option<String>,
    /// The country: ISO 3166-1 alpha-2.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub country_code: Option<String>,
}

impl PaymentInput {
    /// Returns the payment's reference, or else the recipient's default reference, trimmed. `None`: both are missing or
    /// blank.
    pub fn effective_reference(&self) -> Option<&str> {
        let given = |text: &Option<String>| text.as_deref().map(str::trim).is_some_and(|text| !text.is_empty());
        let places = [&self.reference, &self.recipient.default_reference];
        places.into_iter().find(|place| given(place)).and_then(|place| place.as_deref()).map(str::trim)
    }
}
