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

impl fmt::Display for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.minor.is_negative() { "-" } else { "" };
        let units = self.minor.0.unsigned_abs();
        match self.currency.exponent() {
            0 => write!(f, "{sign}{units}"),
            digits => {
                let scale = 10_u64.pow(digits);
                let width = digits as usize;
                write!(f, "{sign}{}.{:0width$}", units / scale, units % scale)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
