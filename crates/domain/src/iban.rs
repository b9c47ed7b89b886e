//! International bank account numbers (ISO 13616).

use iban::{BaseIban, IbanLike, ParseIbanError};

/// A valid IBAN: its form and check digits are right, and it has the form that the registry prescribes for its country.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Iban(BaseIban);

const WRONG_CHECKSUM: &str = "its check digits or its form are wrong";
const WRONG_FORM: &str = "its length or its form is wrong for its country";

impl Iban {
    /// Parses an IBAN in electronic form. The error completes the sentence "must be a valid IBAN: …".
    pub(crate) fn parse(text: &str) -> Result<Self, &'static str> {
        let base = match text.parse::<iban::Iban>() {
            Ok(iban) => BaseIban::from(iban),
            Err(ParseIbanError::UnknownCountry(base)) => {
                let fits = of_registry(base.country_code()).ok_or("its country has no IBANs")?;
                if !fits(base.bban_unchecked().as_bytes()) {
                    return Err(WRONG_FORM);
                }
                base
            }
            Err(ParseIbanError::InvalidBban(_)) => return Err(WRONG_FORM),
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

/// Returns the check of account numbers for a country of the registry that the library does not support.
fn of_registry(country: &str) -> Option<fn(&[u8]) -> bool> {
    match country {
        "HN" => Some(|bban| has_form(bban, 20, u8::is_ascii_digit)),
        "PK" => Some(|bban| has_form(bban, 16, u8::is_ascii_alphanumeric)),
        _ => None,
    }
}

/// Returns whether the account number is four letters and then `length` characters of the given kind.
fn has_form(bban: &[u8], length: usize, rest: fn(&u8) -> bool) -> bool {
    let Some((bank, account)) = bban.split_at_checked(4) else { return false };
    bank.iter().all(u8::is_ascii_uppercase) && account.len() == length && account.iter().all(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Examples from the registry: for the countries that are checked here, and for some that the library checks.
    #[test]
    fn the_examples_of_the_registry_are_valid() {
        for example in [
            "GB29NWBK60161331926819",
            "DE89370400440532013000",
            "MC5811222000010123456789030",
            "OM810180000001299123456",
            "YE15CBYE0001018861234567891234",
            "NI45BAPR00000013000003558124",
            "PK36SCBL0000001123456702",
            "HN88CABF00000000000250005469",
        ] {
            assert_eq!(Iban::parse(example).map(|iban| iban.electronic_str().to_owned()), Ok(example.to_owned()));
        }
    }

    #[test]
    fn invalid_ones_say_why() {
        for (text, why) in [
            ("PK37SCBL0000001123456702", "check digits"),
            ("PK25SCBL000000112345670", "for its country"),
            ("HN43CABF0000000000025000546X", "for its country"),
            ("US88370400440532013000", "no IBANs"),
            ("GB28NWBK60161331926819", "check digits"),
        ] {
            let said = Iban::parse(text).unwrap_err();
            assert!(said.contains(why), "{text}: {said}");
        }
    }

    /// The check digits 00, 01 and 99 leave the same remainder as 97, 98 and 02.
    #[test]
    fn impossible_check_digits_are_refused() {
        let mut seen = 0;
        for account in 0..100_000 {
            let bban = format!("NWBK601613319{account:05}");
            for digits in ["00", "01", "99"] {
                let text = format!("GB{digits}{bban}");
                if text.parse::<iban::Iban>().is_ok() {
                    seen += 1;
                    assert_eq!(Iban::parse(&text), Err(WRONG_CHECKSUM));
                }
            }
        }
        assert!(seen > 100, "{seen}");
    }

    #[test]
    fn parts_of_a_british_one() {
        let of = |text: &str| Iban::parse(text).unwrap();
        assert_eq!(of("GB29NWBK60161331926819").british(), Some(("601613", "31926819")));
        assert_eq!(of("DE89370400440532013000").british(), None);
    }
}
