//! Checks of recipients, and of strings that Florin only passes on.

use super::PaymentInput;
use super::findings::{Findings, given, shown};
use crate::batch::AlertCode;

const TYPES: [&str; 3] = ["individual", "business", "charity"];
/// Maximum number of e-mail addresses notified of a payment.
const MAX_EMAILS: usize = 10;

pub(super) fn recipient(input: &PaymentInput, findings: &mut Findings<'_>) {
    let recipient = &input.recipient;
    if given(recipient.name.as_ref()).is_none() {
        findings.say(AlertCode::RecipientNameRequired, "recipient.name is required");
    }
    if let Some(kind) = given(recipient.kind.as_ref()).filter(|kind| !TYPES.contains(kind)) {
        let message = format!("recipient.type must be one of {} (got \"{}\")", TYPES.join(", "), shown(kind));
        findings.say(AlertCode::RecipientTypeUnknown, message);
    }
    emails(input, findings);
}

fn emails(input: &PaymentInput, findings: &mut Findings<'_>) {
    let emails = &input.recipient.subscribed_emails;
    if emails.len() > MAX_EMAILS {
        findings.say(
            AlertCode::EmailInvalid,
            format!("recipient.subscribedEmails must have at most {MAX_EMAILS} entries (got {})", emails.len()),
        );
    }
    for subscriber in emails.iter().take(MAX_EMAILS) {
        let email = given(subscriber.email.as_ref());
        if !email.is_some_and(is_email) {
            let email = shown(email.unwrap_or_default());
            findings.say(
                AlertCode::EmailInvalid,
                format!("recipient.subscribedEmails.email must be an e-mail address such as ann@example.com (got \"{email}\")"),
            );
        }
    }
}

/// Whether a text has the form that mail servers accept in practice: a dot-atom, an `@`, and a domain of at least two
/// labels (RFC 5321), in ASCII.
fn is_email(text: &str) -> bool {
    let Some((local, domain)) = text.rsplit_once('@') else { return false };
    let atom = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-/=?^_`{|}~".contains(&byte);
    let local_fits =
        (1..=64).contains(&local.len()) && local.split('.').all(|part| !part.is_empty() && part.bytes().all(atom));
    let label = |label: &str| {
        (1..=63).contains(&label.len())
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    let labels = domain.split('.').count();
    text.len() <= 254 && local_fits && labels >= 2 && domain.split('.').all(label)
}

/// Checks strings that are only passed on: their lengths (those of ISO 20022 if it has one) and no control characters.
pub(super) fn texts(input: &PaymentInput, findings: &mut Findings<'_>) {
    let r = &input.recipient;
    let mut check = |place: &str, text: &Option<String>, max: usize| check_text(place, text.as_ref(), max, findings);
    check("purposeCode", &input.purpose_code, 35);
    check("purpose", &input.purpose, 140);
    // The network limits its length.
    check("reference", &input.reference, usize::MAX);
    check("externalId", &input.external_id, 255);
    check("recipient.id", &r.id, 36);
    check("recipient.defaultReference", &r.default_reference, 140);
    check("recipient.name", &r.name, 140);
    check("recipient.displayName", &r.display_name, 140);
    check("recipient.secondaryBankIdentifier", &r.secondary_bank_identifier, 35);
    if let Some(address) = &r.address {
        check("recipient.address.addressType", &address.address_type, 35);
        check("recipient.address.streetName", &address.street_name, 70);
        check("recipient.address.buildingNumber", &address.building_number, 16);
        check("recipient.address.buildingName", &address.building_name, 140);
        check("recipient.address.postcode", &address.postcode, 16);
        check("recipient.address.city", &address.city, 35);
        check("recipient.address.region", &address.region, 35);
    }
    if let Some(address) = &r.bank_address {
        check("recipient.bankAddress.bankName", &address.bank_name, 140);
        check("recipient.bankAddress.branch", &address.branch, 140);
        check("recipient.bankAddress.buildingName", &address.building_name, 140);
        check("recipient.bankAddress.buildingNumber", &address.building_number, 16);
        check("recipient.bankAddress.streetName", &address.street_name, 70);
        check("recipient.bankAddress.city", &address.city, 35);
        check("recipient.bankAddress.region", &address.region, 35);
        check("recipient.bankAddress.postcode", &address.postcode, 16);
    }
    for subscriber in r.subscribed_emails.iter().take(MAX_EMAILS) {
        check("recipient.subscribedEmails.name", &subscriber.name, 140);
    }
}

fn check_text(place: &str, text: Option<&String>, max: usize, findings: &mut Findings<'_>) {
    let Some(text) = text else { return };
    if text.chars().any(char::is_control) {
        findings
            .say(AlertCode::TextInvalid, format!("{place} must not contain control characters, such as line breaks"));
    }
    // A text has at least as many bytes as characters, so most texts need no counting.
    if text.len() > max && text.chars().nth(max).is_some() {
        findings.say(
            AlertCode::TextTooLong,
            format!("{place} must be at most {max} characters (got {})", text.chars().count()),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn email_address_format() {
        for good in ["ann@example.com", "a.b+c@mail.example.co.uk", "x@xn--bcher-kva.example"] {
            assert!(is_email(good), "{good}");
        }
        for wrong in
            ["", "@", "ann", "ann@", "@example.com", "ann@example", "a..b@example.com", "a b@example.com", "a@-b.com"]
        {
            assert!(!is_email(wrong), "{wrong}");
        }
    }
}
