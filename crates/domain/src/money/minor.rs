//! Amounts in minor units.

use super::Currency;
use std::fmt;

/// A signed amount in minor units of a currency known from the context (pence for GBP, yen for JPY).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Minor(pub i64);

impl Minor {
    /// An amount of zero.
    pub const ZERO: Self = Self(0);

    /// The sum, or `None` if it overflows 64 bits.
    pub fn plus(self, other: Self) -> Option<Self> {
        self.0.checked_add(other.0).map(Self)
    }

    /// The difference, or `None` if it overflows 64 bits.
    pub fn minus(self, other: Self) -> Option<Self> {
        self.0.checked_sub(other.0).map(Self)
    }

    /// The negated amount, or `None` if it overflows 64 bits.
    pub fn negated(self) -> Option<Self> {
        self.0.checked_neg().map(Self)
    }

    /// Whether it is below zero.
    pub const fn is_negative(self) -> bool {
        self.0 < 0
    }

    /// Whether it is zero.
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// This amount in its currency, for printing.
    pub const fn of(self, currency: Currency) -> Money {
        Money { minor: self, currency }
    }
}

/// An amount with its currency. It prints as a decimal with exactly the decimals of the currency: GBP `10.00`, JPY
/// `10`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Money {
    /// The amount in minor units.
    pub minor: Minor,
    /// Its currency.
    pub currency: Currency,
}

impl Money {
    /// Writes the amount at the end of the buffer, and returns it as text. In long lists, this is faster than
    /// `Display`.
    pub fn text(self, buffer: &mut [u8; 24]) -> &str {
        let decimals = self.currency.exponent();
        let mut units = self.minor.0.unsigned_abs();
        let (mut begin, mut digits) = (buffer.len(), 0);
        // At least one digit is before the point.
        while units > 0 || digits <= decimals {
            if digits == decimals && decimals > 0 {
                begin -= 1;
                buffer[begin] = b'.';
            }
            begin -= 1;
            buffer[begin] = b'0' + u8::try_from(units % 10).unwrap_or_default();
            units /= 10;
            digits += 1;
        }
        if self.minor.is_negative() {
            begin -= 1;
            buffer[begin] = b'-';
        }
        // The bytes are ASCII.
        str::from_utf8(&buffer[begin..]).unwrap_or_default()
    }
}

impl fmt::Display for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text(&mut [0; 24]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn print(minor: i64, code: &str) -> String {
        Minor(minor).of(Currency::parse(code).unwrap()).to_string()
    }

    #[test]
    fn prints_the_minor_digits_of_the_currency() {
        assert_eq!(print(1000, "GBP"), "10.00");
        assert_eq!(print(-5, "GBP"), "-0.05");
        assert_eq!(print(0, "GBP"), "0.00");
        assert_eq!(print(10, "JPY"), "10");
        assert_eq!(print(-10, "JPY"), "-10");
        assert_eq!(print(10_000, "BHD"), "10.000");
        assert_eq!(print(i64::MIN, "GBP"), "-92233720368547758.08");
        assert_eq!(print(i64::MAX, "BHD"), "9223372036854775.807");
    }

    proptest! {
        #[test]
        fn prints_the_digits_of_the_minor_units(
            minor in prop_oneof![any::<i64>(), -20_000..20_000_i64],
            currency in prop::sample::select(Currency::all().collect::<Vec<_>>()),
        ) {
            let printed = Minor(minor).of(currency).to_string();
            let (whole, decimals) = printed.split_once('.').unwrap_or((printed.as_str(), ""));
            prop_assert_eq!(decimals.len(), currency.exponent() as usize);
            prop_assert_eq!(format!("{whole}{decimals}").parse::<i64>(), Ok(minor));
            let major = whole.trim_start_matches('-');
            prop_assert!(major == "0" || !major.starts_with('0'), "{printed}");
        }
    }
}
