//! Currencies of ISO 4217.

use crate::fault::Flaw;
use std::fmt;

/// A currency of ISO 4217 that is in use, and for which the standard defines a number of decimals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Currency {
    iso: iso_currency::Currency,
    exponent: u32,
}

impl Currency {
    /// Parses an alphabetic code such as `GBP`. Any other form is `invalid_format`. An unknown or
    /// withdrawn code, or the code of a fund, a metal or a test, is `invalid_value`.
    pub fn parse(code: &str) -> Result<Self, Flaw> {
        if code.len() != 3 || !code.bytes().all(|byte| byte.is_ascii_uppercase()) {
            return Err(Flaw::format("must be a currency code of three capital letters, such as GBP"));
        }
        let unknown = || Flaw::value(format!("must be an ISO 4217 currency in use (got {code})"));
        let iso = iso_currency::Currency::from_code(code).ok_or_else(unknown)?;
        if iso.is_superseded().is_some() || iso.is_fund() || iso.is_special() {
            return Err(unknown());
        }
        let exponent = iso.exponent().map(u32::from).ok_or_else(unknown)?;
        Ok(Self { iso, exponent })
    }

    /// All currencies, in the order of their codes.
    pub fn all() -> impl Iterator<Item = Self> {
        let letters = || b'A'..=b'Z';
        let codes =
            letters().flat_map(move |one| letters().flat_map(move |two| letters().map(move |three| [one, two, three])));
        codes.filter_map(|code| Self::parse(str::from_utf8(&code).ok()?).ok())
    }

    /// The alphabetic code.
    pub fn code(self) -> &'static str {
        self.iso.code()
    }

    /// The ISO 4217 numeric code, three digits.
    pub fn numeric(self) -> String {
        format!("{:03}", self.iso.numeric())
    }

    /// Number of decimal digits of its minor unit: 0 for JPY, 2 for GBP, 3 for BHD.
    pub const fn exponent(self) -> u32 {
        self.exponent
    }
}

impl fmt::Display for Currency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault::FlawCode;

    #[test]
    fn knows_exponents_and_numeric_codes() {
        for (code, exponent, numeric) in [("GBP", 2, "826"), ("EUR", 2, "978"), ("JPY", 0, "392"), ("BHD", 3, "048")] {
            let currency = Currency::parse(code).unwrap();
            assert_eq!((currency.exponent(), currency.numeric().as_str()), (exponent, numeric), "{code}");
        }
    }

    #[test]
    fn all_currencies_are_listed_by_code() {
        let all: Vec<_> = Currency::all().map(Currency::code).collect();
        assert!(all.is_sorted() && all.len() > 140, "{}", all.len());
        assert!(["BHD", "GBP", "JPY"].iter().all(|code| all.contains(code)) && !all.contains(&"XAU"));
    }

    #[test]
    fn rejects_codes_that_are_not_currencies() {
        for code in ["XXX", "XTS", "XAU", "HRK", "ZZZ"] {
            assert_eq!(Currency::parse(code).unwrap_err().code, FlawCode::InvalidValue, "{code}");
        }
        for code in ["gbp", "GB", "GBPP", "", "£££"] {
            assert_eq!(Currency::parse(code).unwrap_err().code, FlawCode::InvalidFormat, "{code}");
        }
    }
}
