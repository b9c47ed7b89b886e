//! Exact decimals as callers write them.

use super::{Currency, Minor};
use crate::fault::{Flaw, FlawCode};
use bigdecimal::{BigDecimal, ToPrimitive};
use std::str::FromStr;

/// A non-negative amount as a caller wrote it: exact, at most 1,000,000,000 major units, before its currency is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecimalAmount {
    /// The value; `None` if it is finer than the minor unit of any currency.
    value: Option<BigDecimal>,
}

/// Maximum number of decimals of an ISO 4217 currency.
const MAX_DECIMALS: i64 = 4;
/// Number of digits before the point of the largest amount.
const MAX_WHOLE_DIGITS: i64 = 10;

impl DecimalAmount {
    /// The largest amount in one request, in major units, inclusive.
    pub const MAX: i64 = 1_000_000_000;

    /// Zero: the amount of a message without an amount.
    pub fn zero() -> Self {
        Self { value: Some(BigDecimal::from(0)) }
    }

    /// Parses the text of a JSON number, such as `10.00` or `1e1`. The caller has checked it against RFC 8259.
    pub fn from_json_number(literal: &str) -> Result<Self, Flaw> {
        if literal.starts_with('-') {
            return Err(Flaw::range("must not be negative"));
        }
        let (mantissa, exponent) = literal.split_once(['e', 'E']).unwrap_or((literal, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        Self::assemble(whole, fraction, saturating_exponent(exponent))
    }

    /// Parses a decimal string: `^[0-9]{1,15}(\.[0-9]{1,4})?$`, else `invalid_format`.
    pub fn from_decimal_string(text: &str) -> Result<Self, Flaw> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
        let digits =
            |part: &str, max: usize| (1..=max).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
        if !digits(whole, 15) || !digits(fraction, 4) {
            return Err(Flaw::format("must be a decimal such as \"10.00\""));
        }
        Self::assemble(whole, fraction, 0)
    }

    /// The value `whole.fraction x 10^exponent`. Bounds are checked on the digits first, so that an exponent in the
    /// millions costs nothing.
    fn assemble(whole: &str, fraction: &str, exponent: i64) -> Result<Self, Flaw> {
        let digits = [whole, fraction].concat();
        let significant = digits.trim_start_matches('0');
        let leading = to_i64(digits.len()) - to_i64(significant.len());
        let significant = significant.trim_end_matches('0');
        if significant.is_empty() {
            return Ok(Self { value: Some(BigDecimal::from(0)) });
        }
        // The value is 0.d1d2d3… x 10^point.
        let point = (to_i64(whole.len()) - leading).saturating_add(exponent);
        let decimals = to_i64(significant.len()).saturating_sub(point);
        let too_large = || Flaw::range("must be at most 1000000000");
        if point > MAX_WHOLE_DIGITS {
            return Err(too_large());
        }
        if decimals > MAX_DECIMALS {
            // A value with ten digits before the point and further ones after it is above 1,000,000,000.
            return if point == MAX_WHOLE_DIGITS { Err(too_large()) } else { Ok(Self { value: None }) };
        }
        let value = BigDecimal::from_str(&format!("{significant}e{}", point - to_i64(significant.len())))
            .map_err(|_| Flaw::format("must be a decimal number"))?;
        if value > Self::MAX {
            return Err(too_large());
        }
        Ok(Self { value: Some(value) })
    }

    /// Whether it is zero.
    pub fn is_zero(&self) -> bool {
        self.value.as_ref().is_some_and(|value| *value == 0)
    }

    /// Refuses an amount of zero.
    pub fn positive(self) -> Result<Self, Flaw> {
        if self.is_zero() { Err(Flaw::range("must be greater than 0")) } else { Ok(self) }
    }

    /// Converts the amount to minor units exactly. A value with more decimals than the currency has is
    /// `too_many_decimals`; it is never rounded.
    pub fn to_minor(&self, currency: Currency) -> Result<Minor, Flaw> {
        let too_fine = || {
            let message = match currency.exponent() {
                0 => format!("must have no decimals for {currency}"),
                digits => format!("must have at most {digits} decimals for {currency}"),
            };
            Flaw::new(FlawCode::TooManyDecimals, message)
        };
        let value = self.value.as_ref().ok_or_else(too_fine)?;
        let scaled = value * BigDecimal::from(10_i64.pow(currency.exponent()));
        if !scaled.is_integer() {
            return Err(too_fine());
        }
        scaled.to_i64().map(Minor).ok_or_else(|| Flaw::range("must be at most 1000000000"))
    }
}

fn to_i64(length: usize) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX)
}

/// Parses the exponent of a JSON number. An exponent beyond 64 bits saturates.
fn saturating_exponent(text: &str) -> i64 {
    let (negative, digits) = match text.as_bytes().first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    };
    // A quarter of the range leaves room for adding lengths.
    let size = digits.parse::<i64>().unwrap_or(i64::MAX).min(i64::MAX / 4);
    if negative { -size } else { size }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn gbp() -> Currency {
        Currency::parse("GBP").unwrap()
    }

    fn minor(literal: &str) -> Result<i64, FlawCode> {
        DecimalAmount::from_json_number(literal)
            .and_then(|amount| amount.to_minor(gbp()))
            .map(|minor| minor.0)
            .map_err(|flaw| flaw.code)
    }

    #[test]
    fn equal_values_are_equal_whatever_their_spelling() {
        for (literal, expected) in [
            ("10", 1000),
            ("10.00", 1000),
            ("10.000", 1000),
            ("1e1", 1000),
            ("1E+1", 1000),
            ("100e-1", 1000),
            ("0.1", 10),
            ("0.01", 1),
            ("0", 0),
            ("0.000000000000000000", 0),
            ("0e999999999999999999999", 0),
            ("1000000000", 100_000_000_000),
            ("1000000000.0000000", 100_000_000_000),
            ("999999999.99", 99_999_999_999),
            ("0.0000000001e10", 100),
        ] {
            assert_eq!(minor(literal), Ok(expected), "{literal}");
        }
    }

    #[test]
    fn amounts_out_of_range_or_with_too_many_decimals_are_refused() {
        for (literal, code) in [
            ("-1", FlawCode::OutOfRange),
            ("-0", FlawCode::OutOfRange),
            ("-0.0", FlawCode::OutOfRange),
            ("1000000000.01", FlawCode::OutOfRange),
            ("1000000000.000000001", FlawCode::OutOfRange),
            ("1e1000000", FlawCode::OutOfRange),
            ("1e99999999999999999999", FlawCode::OutOfRange),
            ("10.001", FlawCode::TooManyDecimals),
            ("1e-1000000", FlawCode::TooManyDecimals),
            ("1e-99999999999999999999", FlawCode::TooManyDecimals),
            ("0.00001", FlawCode::TooManyDecimals),
        ] {
            assert_eq!(minor(literal), Err(code), "{literal}");
        }
    }

    #[test]
    fn strings_have_a_stricter_grammar_than_numbers() {
        for good in ["0", "10.00", "000000000000001", "1.2345"] {
            assert!(DecimalAmount::from_decimal_string(good).is_ok(), "{good}");
        }
        for bad in ["", "-1", "+1", "1.", ".5", "1e1", "1_000", " 1", "1.23456", "1234567890123456", "١"] {
            assert_eq!(DecimalAmount::from_decimal_string(bad).unwrap_err().code, FlawCode::InvalidFormat, "{bad}");
        }
        let large = DecimalAmount::from_decimal_string("1000000000.0001");
        assert_eq!(large.unwrap_err().code, FlawCode::OutOfRange);
    }

    proptest! {
        #[test]
        fn display_and_parse_round_trip(units in 0_i64..=100_000_000_000) {
            let printed = Minor(units).of(gbp()).to_string();
            prop_assert_eq!(minor(&printed), Ok(units));
            let text = DecimalAmount::from_decimal_string(&printed).unwrap();
            prop_assert_eq!(text.to_minor(gbp()), Ok(Minor(units)));
        }

        #[test]
        fn no_number_panics(literal in "-?(0|[1-9][0-9]{0,30})(\\.[0-9]{1,30})?([eE][+-]?[0-9]{1,25})?") {
            let _ = minor(&literal);
        }
    }
}
