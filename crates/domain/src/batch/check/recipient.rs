//! Checks of recipients.

use super::PaymentInput;
use super::findings::{Findings, given, shown};
use crate::batch::AlertCode;

const TYPES: [&str; 3] = ["individual", "business", "charity"];
/// Maximum number of e-mail addresses of a recipient.
pub(super) const MAX_EMAILS: usize = 10;

pub(super) fn recipient(input: &PaymentInput, findings: &mut Findings<'_>) {
    let recipient = &input.recipient;
    if given(recipient.name.as_ref()).is_none() {
        findings.add(AlertCode::RecipientNameRequired, "recipient.name is required");
    }
    if let Some(kind) = given(recipient.kind.as_ref()).filter(|kind| !TYPES.contains(kind)) {
        let message = format!("recipient.type must be one of {} (got \"{}\")", TYPES.join(", "), shown(kind));
        findings.add(AlertCode::RecipientTypeUnknown, message);
    }
    emails(input, findings);
}

fn emails(input: &PaymentInput, findings: &mut Findings<'_>) {
    let emails = &input.recipient.subscribed_emails;
    if emails.len() > MAX_EMAILS {
        findings.add(
            AlertCode::EmailInvalid,
            format!("recipient.subscribedEmails must have at most {MAX_EMAILS} entries (got {})", emails.len()),
        );
    }
    for subscriber in emails.iter().take(MAX_EMAILS) {
        let email = given(subscriber.email.as_ref());
        if !email.is_some_and(is_email) {
            let email = shown(email.unwrap_or_default());
            findings.add(
                AlertCode::EmailInvalid,
                format!(
                    "recipient.subscribedEmails.email must be an e-mail address such as ann@example.com \
                     (got \"{email}\")"
                ),
            );
        }
    }
}

/// Returns whether a text is an e-mail address in the form that mail servers accept in practice: ASCII, with a
/// dot-atom, an `@`, and a domain of at least two labels (RFC 5321).
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
