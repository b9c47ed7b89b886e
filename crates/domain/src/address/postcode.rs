//! UK postcodes (contract 4).

use crate::fault::Flaw;
use std::fmt;

/// A postcode in the format of the UK, in capitals and without a space: `SW1A1AA`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct UkPostcode(String);

/// A postcode to look up: 5 to 7 letters and digits, not necessarily in the format of the UK.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PostcodeQuery {
    /// It has the format of the UK, so a provider may have addresses for it.
    Uk(UkPostcode),
    /// It has another format, so it has no addresses, and no provider is called.
    Other,
}

impl PostcodeQuery {
    /// Parses a query: removes ASCII whitespace, converts to upper case, and requires 5 to 7 ASCII letters and digits.
    pub fn parse(text: &str) -> Result<Self, Flaw> {
        let folded: String =
            text.chars().filter(|c| !c.is_ascii_whitespace()).map(|c| c.to_ascii_uppercase()).collect();
        if !(5..=7).contains(&folded.len()) || !folded.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            return Err(Flaw::format("must be a UK postcode of 5 to 7 letters and digits"));
        }
        Ok(if has_uk_shape(&folded) { Self::Uk(UkPostcode(folded)) } else { Self::Other })
    }
}

impl UkPostcode {
    /// Parses a postcode in the format of the UK.
    pub fn parse(text: &str) -> Result<Self, Flaw> {
        match PostcodeQuery::parse(text)? {
            PostcodeQuery::Uk(postcode) => Ok(postcode),
            PostcodeQuery::Other => Err(Flaw::format("must have the form of a UK postcode, such as SW1A1AA")),
        }
    }

    /// Returns the postcode, without a space.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for UkPostcode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Returns whether a postcode has a format of BS 7666: A9, A99, A9A, AA9, AA99 or AA9A, then 9AA; or is GIR 0AA.
fn has_uk_shape(folded: &str) -> bool {
    if folded == "GIR0AA" {
        return true;
    }
    let shape: String = folded.chars().map(|c| if c.is_ascii_digit() { '9' } else { 'A' }).collect();
    let Some(outward) = shape.strip_suffix("9AA") else { return false };
    matches!(outward, "A9" | "A99" | "A9A" | "AA9" | "AA99" | "AA9A")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault::FlawCode;

    #[test]
    fn folds_case_and_white_space() {
        assert_eq!(UkPostcode::parse(" sw1a\t1aa ").unwrap().as_str(), "SW1A1AA");
        assert_eq!(UkPostcode::parse("m11ae").unwrap().as_str(), "M11AE");
    }

    #[test]
    fn well_formed_postcodes_need_not_be_uk_postcodes() {
        for other in ["12345", "ABCDE", "A1B2C3D", "1AA1AA"] {
            assert_eq!(PostcodeQuery::parse(other).unwrap(), PostcodeQuery::Other, "{other}");
        }
        for wrong in ["", "AB1", "SW1A1AAA", "SW1A-1AA", "SW1A１AA", "ÄB12CD"] {
            assert_eq!(PostcodeQuery::parse(wrong).unwrap_err().code, FlawCode::InvalidFormat, "{wrong}");
        }
    }
}
