//! Checks of texts that Florin only passes on: their lengths (the limits of ISO 20022, where it defines them), and that
//! they contain no control characters.

use super::PaymentInput;
use super::findings::Findings;
use super::recipient::MAX_EMAILS;
use crate::batch::{AlertCode, BankAddressInput, PostalAddressInput, RecipientInput};

/// A text of a payment that is passed on without being interpreted.
struct PassedText {
    place: &'static str,
    /// Maximum number of characters. `None`: the limit depends on the payment network.
    max: Option<usize>,
    get: fn(&PaymentInput) -> Option<&String>,
}

macro_rules! texts {
    ($($place:literal $max:expr, $get:expr;)*) => { &[$(PassedText { place: $place, max: $max, get: $get }),*] };
}

fn of_recipient(input: &PaymentInput, get: fn(&RecipientInput) -> Option<&String>) -> Option<&String> {
    get(&input.recipient)
}

fn of_address(input: &PaymentInput, get: fn(&PostalAddressInput) -> Option<&String>) -> Option<&String> {
    input.recipient.address.as_ref().and_then(get)
}

fn of_bank_address(input: &PaymentInput, get: fn(&BankAddressInput) -> Option<&String>) -> Option<&String> {
    input.recipient.bank_address.as_ref().and_then(get)
}

const TEXTS: &[PassedText] = texts! {
    "purposeCode" Some(35), |input| input.purpose_code.as_ref();
    "purpose" Some(140), |input| input.purpose.as_ref();
    "reference" None, |input| input.reference.as_ref();
    "externalId" Some(255), |input| input.external_id.as_ref();
    "recipient.id" Some(36), |input| of_recipient(input, |r| r.id.as_ref());
    "recipient.defaultReference" Some(140), |input| of_recipient(input, |r| r.default_reference.as_ref());
    "recipient.name" Some(140), |input| of_recipient(input, |r| r.name.as_ref());
    "recipient.displayName" Some(140), |input| of_recipient(input, |r| r.display_name.as_ref());
    "recipient.secondaryBankIdentifier" Some(35), |input| of_recipient(input, |r| r.secondary_bank_identifier.as_ref());
    "recipient.address.addressType" Some(35), |input| of_address(input, |a| a.address_type.as_ref());
    "recipient.address.streetName" Some(70), |input| of_address(input, |a| a.street_name.as_ref());
    "recipient.address.buildingNumber" Some(16), |input| of_address(input, |a| a.building_number.as_ref());
    "recipient.address.buildingName" Some(140), |input| of_address(input, |a| a.building_name.as_ref());
    "recipient.address.postcode" Some(16), |input| of_address(input, |a| a.postcode.as_ref());
    "recipient.address.city" Some(35), |input| of_address(input, |a| a.city.as_ref());
    "recipient.address.region" Some(35), |input| of_address(input, |a| a.region.as_ref());
    "recipient.bankAddress.bankName" Some(140), |input| of_bank_address(input, |a| a.bank_name.as_ref());
    "recipient.bankAddress.branch" Some(140), |input| of_bank_address(input, |a| a.branch.as_ref());
    "recipient.bankAddress.buildingName" Some(140), |input| of_bank_address(input, |a| a.building_name.as_ref());
    "recipient.bankAddress.buildingNumber" Some(16), |input| of_bank_address(input, |a| a.building_number.as_ref());
    "recipient.bankAddress.streetName" Some(70), |input| of_bank_address(input, |a| a.street_name.as_ref());
    "recipient.bankAddress.city" Some(35), |input| of_bank_address(input, |a| a.city.as_ref());
    "recipient.bankAddress.region" Some(35), |input| of_bank_address(input, |a| a.region.as_ref());
    "recipient.bankAddress.postcode" Some(16), |input| of_bank_address(input, |a| a.postcode.as_ref());
};

/// The place and the maximum length of the name of an e-mail subscriber.
const SUBSCRIBER: (&str, usize) = ("recipient.subscribedEmails.name", 140);

/// Returns the maximum number of characters of the text at a place such as `recipient.name`. A longer text causes an
/// alert. `None`: there is no text at this place, or the limit depends on the payment network.
pub fn max_text_length(place: &str) -> Option<usize> {
    if place == SUBSCRIBER.0 {
        return Some(SUBSCRIBER.1);
    }
    TEXTS.iter().find(|text| text.place == place)?.max
}

pub(super) fn texts(input: &PaymentInput, findings: &mut Findings<'_>) {
    for text in TEXTS {
        check(text.place, (text.get)(input), text.max, findings);
    }
    for subscriber in input.recipient.subscribed_emails.iter().take(MAX_EMAILS) {
        check(SUBSCRIBER.0, subscriber.name.as_ref(), Some(SUBSCRIBER.1), findings);
    }
}

fn check(place: &str, text: Option<&String>, max: Option<usize>, findings: &mut Findings<'_>) {
    let Some(text) = text else { return };
    if text.chars().any(char::is_control) {
        findings
            .add(AlertCode::TextInvalid, format!("{place} must not contain control characters, such as line breaks"));
    }
    // The number of bytes is at least the number of characters, so most texts need no counting.
    if let Some(max) = max.filter(|max| text.len() > *max && text.chars().nth(*max).is_some()) {
        findings.add(
            AlertCode::TextTooLong,
            format!("{place} must be at most {max} characters (got {})", text.chars().count()),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The document with the table of the lengths.
    const DOCUMENT: &str = include_str!("../../../../../docs/PAYMENT-BATCHES.md");

    /// The rows of the table: a length, and the fields with this length. Fields of the two addresses have no prefix.
    fn documented() -> Vec<(usize, Vec<&'static str>)> {
        let (_, table) = DOCUMENT.split_once("\n| Characters | Fields |\n").unwrap();
        let row = |line: &'static str| {
            let (length, fields) = line.trim_matches('|').split_once('|')?;
            let length = length.trim().parse::<usize>().ok()?;
            Some((length, fields.split('`').skip(1).step_by(2).collect::<Vec<_>>()))
        };
        table.lines().take_while(|line| line.starts_with('|')).filter_map(row).collect()
    }

    fn is_named(field: &str, place: &str) -> bool {
        let of_address = |prefix: &str| place.strip_prefix(prefix) == Some(field);
        place == field || ["recipient.address.", "recipient.bankAddress."].into_iter().any(of_address)
    }

    #[test]
    fn lengths_are_documented() {
        let texts = TEXTS.iter().filter_map(|text| Some((text.place, text.max?))).chain([SUBSCRIBER]);
        let texts: Vec<_> = texts.collect();
        let rows = documented();
        for (place, max) in &texts {
            let lengths = rows.iter().filter(|(_, fields)| fields.iter().any(|field| is_named(field, place)));
            assert_eq!(lengths.map(|(length, _)| *length).collect::<Vec<_>>(), [*max], "{place}");
        }
        for (length, fields) in &rows {
            for field in fields {
                let found = texts.iter().any(|(place, max)| max == length && is_named(field, place));
                assert!(found, "{field} has another length than {length}");
            }
        }
    }

    #[test]
    fn lengths_are_found_by_field() {
        assert_eq!(max_text_length("recipient.name"), Some(140));
        assert_eq!(max_text_length("recipient.subscribedEmails.name"), Some(140));
        assert_eq!((max_text_length("reference"), max_text_length("amount")), (None, None));
    }
}
