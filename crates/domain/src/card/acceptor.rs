//! Card acceptors: the merchants and machines that accept cards.

use crate::fault::Flaw;
use crate::text::Text;

/// A card acceptor as a caller sends it. Only `mid` is required.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AcceptorInput {
    /// Merchant identifier.
    pub mid: Text<1, 36>,
    /// Name.
    pub name: Option<Text<0, 255>>,
    /// City.
    pub city: Option<Text<0, 255>>,
    /// State or county.
    pub state: Option<Text<0, 40>>,
    /// Postal code.
    pub postal_code: Option<Text<0, 10>>,
    /// Country, an ISO 3166-1 alpha-3 code.
    pub country_code: Option<String>,
    /// ISO 18245 merchant category code.
    pub mcc: Option<String>,
}

/// A card acceptor as recorded: the values that the caller sent, and the sandbox's defaults for absent values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Acceptor {
    /// Merchant id (MID). A numeric id is padded with leading zeros to 15 digits.
    pub mid: String,
    /// Name.
    pub name: String,
    /// City.
    pub city: String,
    /// State or county.
    pub state: String,
    /// Postal code.
    pub postal_code: String,
    /// Country, an ISO 3166-1 alpha-3 code.
    pub country_code: String,
    /// ISO 18245 merchant category code.
    pub mcc: String,
}

impl Acceptor {
    /// Returns a merchant id as recorded: fewer than 15 ASCII digits are padded with zeros on the left. Any other id
    /// stays as sent.
    pub(super) fn padded_mid(mid: &str) -> String {
        if mid.bytes().all(|byte| byte.is_ascii_digit()) { format!("{mid:0>15}") } else { mid.to_owned() }
    }

    /// Returns the acceptor of fees: the card network itself.
    pub fn of_network() -> Self {
        Self {
            mid: Self::padded_mid("0"),
            name: "Card network".to_owned(),
            city: String::new(),
            state: String::new(),
            postal_code: String::new(),
            country_code: "GBR".to_owned(),
            mcc: "6012".to_owned(),
        }
    }
}

impl AcceptorInput {
    /// Checks a country code: three letters.
    pub fn parse_country(text: &str) -> Result<String, Flaw> {
        if text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_alphabetic()) {
            Ok(text.to_owned())
        } else {
            Err(Flaw::format("must be a country code of three letters, such as GBR"))
        }
    }

    /// Checks a merchant category code: four digits.
    pub fn parse_mcc(text: &str) -> Result<String, Flaw> {
        if text.len() == 4 && text.bytes().all(|byte| byte.is_ascii_digit()) {
            Ok(text.to_owned())
        } else {
            Err(Flaw::format("must be a merchant category code of four digits"))
        }
    }

    /// Fills absent values with defaults.
    pub fn completed(&self) -> Acceptor {
        fn or<const MAX: usize>(sent: Option<&Text<0, MAX>>, default: &str) -> String {
            sent.map_or(default, Text::as_str).to_owned()
        }
        Acceptor {
            mid: Acceptor::padded_mid(self.mid.as_str()),
            name: or(self.name.as_ref(), "Sandbox Merchant"),
            city: or(self.city.as_ref(), "London"),
            state: or(self.state.as_ref(), ""),
            postal_code: or(self.postal_code.as_ref(), "EC1A 1BB"),
            country_code: self.country_code.clone().unwrap_or_else(|| "GBR".to_owned()),
            mcc: self.mcc.clone().unwrap_or_else(|| "5999".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_digits_are_padded() {
        assert_eq!(Acceptor::padded_mid("11111"), "000000000011111");
        assert_eq!(Acceptor::padded_mid("1234567890123456"), "1234567890123456");
        assert_eq!(Acceptor::padded_mid("M-1"), "M-1");
        assert_eq!(Acceptor::padded_mid("١٢٣"), "١٢٣");
    }
}
