//! Sums of amounts.

use super::{Currency, Minor};
use std::fmt;

/// A sum of amounts in minor units, wide enough for any number of amounts that can be stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Total(pub i128);

impl Total {
    /// A sum of zero.
    pub const ZERO: Self = Self(0);

    /// The sum of two totals. It saturates.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// The difference of two totals. It saturates.
    #[must_use]
    pub const fn minus(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// This sum in its currency, for printing.
    pub const fn of(self, currency: Currency) -> TotalMoney {
        TotalMoney { total: self, currency }
    }
}

impl From<Minor> for Total {
    fn from(minor: Minor) -> Self {
        Self(i128::from(minor.0))
    }
}

impl std::iter::Sum for Total {
    fn sum<I: Iterator<Item = Self>>(totals: I) -> Self {
        totals.fold(Self::ZERO, Self::plus)
    }
}

/// A sum with its currency. It prints like [`super::Money`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TotalMoney {
    /// The sum in minor units.
    pub total: Total,
    /// Its currency.
    pub currency: Currency,
}

impl fmt::Display for TotalMoney {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.total.0 < 0 { "-" } else { "" };
        let units = self.total.0.unsigned_abs();
        match self.currency.exponent() {
            0 => write!(f, "{sign}{units}"),
            digits => {
                let scale = 10_u128.pow(digits);
                let width = digits as usize;
                write!(f, "{sign}{}.{:0width$}", units / scale, units % scale)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_like_amounts_beyond_64_bits() {
        for (code, minor) in [("GBP", -5), ("GBP", 1_000), ("JPY", -10), ("BHD", i64::MIN), ("GBP", i64::MAX)] {
            let currency = Currency::parse(code).unwrap();
            assert_eq!(Total::from(Minor(minor)).of(currency).to_string(), Minor(minor).of(currency).to_string());
        }
        let wide = [Total::from(Minor(i64::MAX)); 2].into_iter().sum::<Total>();
        assert_eq!(wide.of(Currency::parse("GBP").unwrap()).to_string(), "184467440737095516.14");
    }
}
