//! The members of a payment as it is typed: one table for JSON, CSV, answers and the interface document.

use florin_domain::batch::{EmailInput, PaymentInput};

/// A text of a payment.
pub(crate) struct Column {
    /// Its place in JSON below the row, and its name in the header of a CSV.
    pub(crate) name: &'static str,
    /// What it says, for the interface document.
    pub(crate) meaning: &'static str,
    /// Its value.
    pub(crate) get: fn(&PaymentInput) -> Option<&str>,
    /// Where its value goes.
    pub(crate) slot: fn(&mut PaymentInput) -> &mut Option<String>,
}

/// The first e-mail address. In JSON there is a list of them, in CSV there is one.
pub(crate) const EMAIL: &str = "recipient.email";
/// Must be in the header of a CSV.
pub(super) const REQUIRED: [&str; 4] = ["amount", "currencyCode", "recipient.name", "recipient.accountIdentifier"];

macro_rules! own {
    ($name:literal, $($field:ident).+, $meaning:literal) => {
        Column {
            name: $name,
            meaning: $meaning,
            get: |payment| payment.$($field).+.as_deref(),
            slot: |payment| &mut payment.$($field).+,
        }
    };
}

macro_rules! inside {
    ($name:literal, $object:ident.$field:ident, $meaning:literal) => {
        Column {
            name: $name,
            meaning: $meaning,
            get: |payment| payment.recipient.$object.as_ref()?.$field.as_deref(),
            slot: |payment| &mut payment.recipient.$object.get_or_insert_default().$field,
        }
    };
}

/// All of them, in the order of the template.
pub(crate) const COLUMNS: &[Column] = &[
    own!("amount", amount, "A decimal above zero, in major units: `12.50`."),
    own!("currencyCode", currency_code, "ISO 4217, alphabetic."),
    own!("fundingBudgetId", funding_budget_id, "The budget that pays; else the default of the upload."),
    own!("purposeCode", purpose_code, "What the payment is for, as a code of the recipient's country."),
    own!("purpose", purpose, "What the payment is for, in words."),
    own!("reference", reference, "What the recipient sees on a statement."),
    own!("externalId", external_id, "The client's own id of the payment."),
    own!("recipient.id", recipient.id, "The client's own id of the recipient."),
    own!("recipient.defaultReference", recipient.default_reference, "The reference where the payment has none."),
    own!("recipient.type", recipient.kind, "`individual`, `business` or `charity`."),
    own!("recipient.name", recipient.name, "The name that the account is in."),
    own!("recipient.displayName", recipient.display_name, "The name that the client's staff sees."),
    Column {
        name: EMAIL,
        meaning: "Who is told.",
        get: |payment| payment.recipient.subscribed_emails.first()?.email.as_deref(),
        slot: |payment| &mut first(&mut payment.recipient.subscribed_emails).email,
    },
    own!("recipient.accountIdentifier", recipient.account_identifier, "IBAN or account number."),
    own!("recipient.bankIdentifier", recipient.bank_identifier, "Sort code or BIC."),
    own!("recipient.secondaryBankIdentifier", recipient.secondary_bank_identifier, "Such as a branch code."),
    own!("recipient.intermediaryBankIdentifier", recipient.intermediary_bank_identifier, "BIC of a bank on the way."),
    own!("recipient.paymentNetwork", recipient.payment_network, "How the payment is to travel."),
    inside!("recipient.address.addressType", address.address_type, "What sort of address."),
    inside!("recipient.address.streetName", address.street_name, "Street."),
    inside!("recipient.address.buildingNumber", address.building_number, "Number in the street."),
    inside!("recipient.address.buildingName", address.building_name, "Name of the building."),
    inside!("recipient.address.postcode", address.postcode, "Postal code."),
    inside!("recipient.address.city", address.city, "Town."),
    inside!("recipient.address.region", address.region, "County, state or province."),
    inside!("recipient.address.countryCode", address.country_code, "ISO 3166-1 alpha-2."),
    inside!("recipient.bankAddress.bankName", bank_address.bank_name, "The bank."),
    inside!("recipient.bankAddress.branch", bank_address.branch, "Its branch."),
    inside!("recipient.bankAddress.buildingName", bank_address.building_name, "Name of the building."),
    inside!("recipient.bankAddress.buildingNumber", bank_address.building_number, "Number in the street."),
    inside!("recipient.bankAddress.streetName", bank_address.street_name, "Street."),
    inside!("recipient.bankAddress.city", bank_address.city, "Town."),
    inside!("recipient.bankAddress.region", bank_address.region, "County, state or province."),
    inside!("recipient.bankAddress.postcode", bank_address.postcode, "Postal code."),
    inside!("recipient.bankAddress.countryCode", bank_address.country_code, "ISO 3166-1 alpha-2."),
];

/// The columns of an object, named as in JSON: those below `prefix` (`recipient.`) and no deeper.
pub(crate) fn of_object(prefix: &str) -> impl Iterator<Item = (&'static str, &'static Column)> {
    COLUMNS.iter().filter(|column| column.name != EMAIL).filter_map(move |column| {
        let member = column.name.strip_prefix(prefix)?;
        (!member.contains('.')).then_some((member, column))
    })
}

fn first(emails: &mut Vec<EmailInput>) -> &mut EmailInput {
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
    fn every_column_has_a_place_of_its_own() {
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
    fn every_column_is_named_as_it_is_stored() {
        for column in COLUMNS.iter().filter(|column| column.name != EMAIL) {
            let mut payment = PaymentInput::default();
            *(column.slot)(&mut payment) = Some("x".to_owned());
            let json = serde_json::to_value(&payment).unwrap();
            let place = format!("/{}", column.name.replace('.', "/"));
            assert_eq!(json.pointer(&place), Some(&"x".into()), "{}", column.name);
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
