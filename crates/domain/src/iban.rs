//! International bank account numbers (ISO 13616).

use iban::{BaseIban, IbanLike, ParseIbanError};

/// A valid IBAN: its check digits are correct, and it has the form that the IBAN registry of SWIFT prescribes for its
/// country.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Iban(BaseIban);

const NO_IBANS: &str = "its country has no IBANs";
const WRONG_CHECKSUM: &str = "its check digits or its form are wrong";
const WRONG_FORM: &str = "its length or its form is wrong for its country";

impl Iban {
    /// Parses an IBAN in electronic form. The error completes the sentence "must be a valid IBAN: …".
    pub(crate) fn parse(text: &str) -> Result<Self, &'static str> {
        let base = match text.parse::<iban::Iban>() {
            Ok(iban) => BaseIban::from(iban),
            Err(ParseIbanError::InvalidBban(base)) => of_registry(base, WRONG_FORM)?,
            Err(ParseIbanError::UnknownCountry(base)) => of_registry(base, NO_IBANS)?,
            Err(ParseIbanError::InvalidBaseIban { .. }) => return Err(WRONG_CHECKSUM),
        };
        // Check digits are computed as 98 minus a remainder from 0 to 96. So 00, 01 and 99 never occur, but the library
        // accepts them.
        if (2..=98).contains(&base.check_digits()) { Ok(Self(base)) } else { Err(WRONG_CHECKSUM) }
    }

    /// Returns the country code at its beginning.
    pub(crate) fn country_code(&self) -> &str {
        self.0.country_code()
    }

    /// Returns its characters without spaces.
    pub(crate) fn electronic_str(&self) -> &str {
        self.0.electronic_str()
    }

    /// Returns the sort code and the account number of a UK account. `None` for other countries.
    pub(crate) fn british(&self) -> Option<(&str, &str)> {
        let bban = (self.country_code() == "GB").then(|| self.0.bban_unchecked())?;
        bban.get(4..)?.split_at_checked(6)
    }
}

/// A kind of characters.
type Kind = fn(&u8) -> bool;

const LETTER: Kind = u8::is_ascii_uppercase;
const DIGIT: Kind = u8::is_ascii_digit;
const LETTER_OR_DIGIT: Kind = u8::is_ascii_alphanumeric;

/// Accepts an IBAN that the library refuses, if it has the form that release 103 of the registry (September 2026)
/// prescribes for its country. Countries whose form the library knows are refused with the given error.
fn of_registry(base: BaseIban, error: &'static str) -> Result<BaseIban, &'static str> {
    let form: &[(usize, Kind)] = match base.country_code() {
        // The library does not know bank identifiers with letters.
        "BR" => &[(8, LETTER_OR_DIGIT), (15, DIGIT), (1, LETTER), (1, LETTER_OR_DIGIT)],
        "HN" => &[(4, LETTER), (20, DIGIT)],
        "PK" => &[(4, LETTER), (16, LETTER_OR_DIGIT)],
        _ => return Err(error),
    };
    if has_form(base.bban_unchecked().as_bytes(), form) { Ok(base) } else { Err(WRONG_FORM) }
}

/// Returns whether an account number has a form. Each entry of `form` is a number of consecutive characters, and their
/// kind.
fn has_form(bban: &[u8], form: &[(usize, Kind)]) -> bool {
    let mut kinds = form.iter().flat_map(|&(count, kind)| std::iter::repeat_n(kind, count));
    let fits = bban.iter().all(|byte| kinds.next().is_some_and(|kind| kind(byte)));
    fits && kinds.next().is_none()
}

#[cfg(test)]
mod tests;
