//! The members of a payment. One table defines them for JSON, CSV, responses and the OpenAPI document.

use florin_domain::batch::{EmailInput, PaymentInput};

/// A text member of a payment.
pub(crate) struct Column {
    /// Its path in a JSON row, and its name in the header of a CSV.
    pub(crate) name: &'static str,
    /// Its description in the OpenAPI document.
    pub(crate) meaning: &'static str,
    /// Returns the value of the member.
    pub(crate) get: fn(&PaymentInput) -> Option<&str>,
    /// Returns the place of the value, so that it can be set.
    pub(crate) slot: fn(&mut PaymentInput) -> &mut Option<String>,
}

/// The first e-mail address of a recipient. JSON accepts a list of addresses, CSV only one.
pub(crate) const EMAIL: &str = "recipient.email";
/// The columns that the header of a CSV must have.
pub(super) const REQUIRED: [&str; 4] = ["amount", "currencyCode", "recipient.name", "recipient.accountIdentifier"];

/// A member of the payment or of its recipient.
macro_rules! member {
    ($name:literal, $($field:ident).+, $meaning:literal) => {
        Column {
            name: $name,
            meaning: $meaning,
            get: |payment| payment.$($field).+.as_deref(),
            slot: |payment| &mut payment.$($field).+,
        }
    };
}

/// A member of an optional object of the recipient, which is created when the member is set.
macro_rules! object_member {
    ($name:literal, $object:ident.$field:ident, $meaning:literal) => {
        Column {
            name: $name,
            meaning: $meaning,
            get: |payment| payment.recipient.$object.as_ref()?.$field.as_deref(),
            slot: |payment| &mut payment.recipient.$object.get_or_insert_default().$field,
        }
    };
}

/// All columns, in the order of the template.
pub(crate) const COLUMNS: &[Column] = &[
    member!("amount", amount, "Amount: a decimal above zero in major units, such as `12.50`."),
    member!("currencyCode", currency_code, "Currency, an ISO 4217 code."),
    member!("fundingBudgetId", funding_budget_id, "The budget that pays. Default: the budget of the upload."),
    member!("purposeCode", purpose_code, "Purpose, as a code that the country or the currency requires."),
    member!("purpose", purpose, "Purpose, in words."),
    member!("reference", reference, "Reference on the recipient's statement."),
    member!("externalId", external_id, "Your id of the payment."),
    member!("recipient.id", recipient.id, "Your id of the recipient."),
    member!(
        "recipient.defaultReference",
        recipient.default_reference,
        "Reference of payments without one of their own."
    ),
    member!("recipient.type", recipient.kind, "`individual`, `business` or `charity`."),
    member!("recipient.name", recipient.name, "Name of the account holder."),
    member!("recipient.displayName", recipient.display_name, "Display name."),
    Column {
        name: EMAIL,
        meaning: "E-mail address. Florin stores it and sends no e-mail.",
        get: |payment| payment.recipient.subscribed_emails.first()?.email.as_deref(),
        slot: |payment| &mut first_or_new(&mut payment.recipient.subscribed_emails).email,
    },
    member!("recipient.accountIdentifier", recipient.account_identifier, "IBAN or account number."),
    member!("recipient.bankIdentifier", recipient.bank_identifier, "Sort code or BIC."),
    member!(
        "recipient.secondaryBankIdentifier",
        recipient.secondary_bank_identifier,
        "A second bank identifier, such as a branch code."
    ),
    member!(
        "recipient.intermediaryBankIdentifier",
        recipient.intermediary_bank_identifier,
        "BIC of an intermediary bank."
    ),
    member!("recipient.paymentNetwork", recipient.payment_network, "Payment network."),
    object_member!("recipient.address.addressType", address.address_type, "Type of address."),
    object_member!("recipient.address.streetName", address.street_name, "Street."),
    object_member!("recipient.address.buildingNumber", address.building_number, "Building number."),
    object_member!("recipient.address.buildingName", address.building_name, "Building name."),
    object_member!("recipient.address.postcode", address.postcode, "Postal code."),
    object_member!("recipient.address.city", address.city, "City."),
    object_member!("recipient.address.region", address.region, "County, state or province."),
    object_member!("recipient.address.countryCode", address.country_code, "Country, an ISO 3166-1 alpha-2 code."),
    object_member!("recipient.bankAddress.bankName", bank_address.bank_name, "Name of the bank."),
    object_member!("recipient.bankAddress.branch", bank_address.branch, "Branch."),
    object_member!("recipient.bankAddress.buildingName", bank_address.building_name, "Building name."),
    object_member!("recipient.bankAddress.buildingNumber", bank_address.building_number, "Building number."),
    object_member!("recipient.bankAddress.streetName", bank_address.street_name, "Street."),
    object_member!("recipient.bankAddress.city", bank_address.city, "City."),
    object_member!("recipient.bankAddress.region", bank_address.region, "County, state or province."),
    object_member!("recipient.bankAddress.postcode", bank_address.postcode, "Postal code."),
    object_member!(
        "recipient.bankAddress.countryCode",
        bank_address.country_code,
        "Country, an ISO 3166-1 alpha-2 code."
    ),
];

/// Returns the columns directly below `prefix` (such as `recipient.`), with their names in the JSON object.
pub(crate) fn of_object(prefix: &str) -> impl Iterator<Item = (&'static str, &'static Column)> {
    COLUMNS.iter().filter(|column| column.name != EMAIL).filter_map(move |column| {
        let member = column.name.strip_prefix(prefix)?;
        (!member.contains('.')).then_some((member, column))
    })
}

fn first_or_new(emails: &mut Vec<EmailInput>) -> &mut EmailInput {
    if emails.is_empty() {
        emails.push(EmailInput::default());
    }
    &mut emails[0]
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_column_has_its_own_field() {
        let names: BTreeSet<_> = COLUMNS.iter().map(|column| column.name).collect();
        assert_eq!(names.len(), COLUMNS.len());
        assert!(REQUIRED.iter().all(|name| names.contains(name)));
        for column in COLUMNS {
            let mut payment = PaymentInput::default();
            *(column.slot)(&mut payment) = Some("x".to_owned());
            let filled = COLUMNS.iter().filter(|other| (other.get)(&payment).is_some());
            assert_eq!(filled.map(|other| other.name).collect::<Vec<_>>(), [column.name]);
        }
    }

    #[test]
    fn column_names_match_the_stored_names() {
        for column in COLUMNS.iter().filter(|column| column.name != EMAIL) {
            let mut payment = PaymentInput::default();
            *(column.slot)(&mut payment) = Some("x".to_owned());
            let json = serde_json::to_value(&payment).unwrap();
            let pointer = format!("/{}", column.name.replace('.', "/"));
            assert_eq!(json.pointer(&pointer), Some(&"x".into()), "{}", column.name);
        }
    }

    #[test]
    fn objects_have_their_own_members_only() {
        let names = |prefix| of_object(prefix).map(|(name, _)| name).collect::<Vec<_>>();
        assert_eq!(names("")[..2], ["amount", "currencyCode"]);
        assert_eq!(names("").len(), 7);
        assert_eq!(names("recipient.").len(), 10);
        assert_eq!(names("recipient.address.").len(), 8);
        assert_eq!(names("recipient.bankAddress.").len(), 9);
    }
}
