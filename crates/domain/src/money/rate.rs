//! Exchange rates.

use super::{Currency, Minor};
use crate::fault::Flaw;
use std::fmt;

/// An exchange rate: the number of units of one currency that one unit of another buys.
///
/// An exact decimal above zero with at most 12 significant digits. The context names the two currencies. Rates are in
/// major units: 0.8 GBP for 1 USD.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rate {
    /// The value is `digits / 10^scale`. The last digit is not zero unless `scale` is zero.
    digits: u64,
    scale: u32,
}

impl Rate {
    /// A rate of 1.
    pub const ONE: Self = Self { digits: 1, scale: 0 };
    /// Number of significant digits of a cross rate, rounded half even.
    pub const CROSS_DIGITS: u32 = 10;
    /// Maximum number of significant digits.
    const MAX_DIGITS: u32 = 12;
    /// Maximum number of digits after the point.
    const MAX_SCALE: u32 = 24;

    /// Parses a plain decimal such as `0.7874`. Any other text is `invalid_format`; zero or too many digits is
    /// `out_of_range`.
    pub fn parse(text: &str) -> Result<Self, Flaw> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
        let plain = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        if !plain(whole) || !plain(fraction) {
            return Err(Flaw::format("must be a decimal such as 0.7874"));
        }
        let range = || Flaw::range("must be greater than 0, with at most 12 significant digits");
        let fraction = fraction.trim_end_matches('0');
        let scale = u32::try_from(fraction.len()).map_err(|_| range())?;
        let digits = [whole, fraction].concat().parse().map_err(|_| range())?;
        Self::new(digits, scale).ok_or_else(range)
    }

    fn new(mut digits: u64, mut scale: u32) -> Option<Self> {
        while scale > 0 && digits.is_multiple_of(10) && digits > 0 {
            (digits, scale) = (digits / 10, scale - 1);
        }
        let fits = digits > 0 && digits < 10_u64.pow(Self::MAX_DIGITS) && scale <= Self::MAX_SCALE;
        fits.then_some(Self { digits, scale })
    }

    /// The rate between two currencies, from the rates of a third currency into each: `to / from`, rounded half even to
    /// [`Self::CROSS_DIGITS`] significant digits. `None` if it has too many digits on one side of the point.
    pub fn cross(from: Self, to: Self) -> Option<Self> {
        // One of these shifts gives the quotient the right number of digits; all numbers stay below 10^36.
        for shift in -12..=24_i32 {
            let factor = |applies: bool| if applies { 10_i128.pow(shift.unsigned_abs()) } else { 1 };
            let dividend = i128::from(to.digits) * factor(shift > 0);
            let divisor = i128::from(from.digits) * factor(shift < 0);
            if dividend / divisor < 10_i128.pow(Self::CROSS_DIGITS - 1) {
                continue;
            }
            let digits = u64::try_from(half_even(dividend, divisor)).ok()?;
            let scale = i64::from(shift) + i64::from(to.scale) - i64::from(from.scale);
            if let Ok(scale) = u32::try_from(scale) {
                return Self::new(digits, scale);
            }
            let power = u32::try_from(-scale).ok().and_then(|power| 10_u64.checked_pow(power))?;
            return Self::new(digits.checked_mul(power)?, 0);
        }
        None
    }

    /// Converts an amount to another currency, rounded half even to its minor unit. `None` if it overflows 64 bits.
    pub fn convert(self, amount: Minor, from: Currency, to: Currency) -> Option<Minor> {
        let product = i128::from(amount.0) * i128::from(self.digits);
        let (up, down) = (to.exponent(), from.exponent() + self.scale);
        let converted = match down.checked_sub(up) {
            Some(down) => half_even(product, 10_i128.checked_pow(down)?),
            None => product.checked_mul(10_i128.checked_pow(up - down)?)?,
        };
        i64::try_from(converted).ok().map(Minor)
    }
}

/// The quotient, rounded half even to an integer. The divisor is above zero.
fn half_even(dividend: i128, divisor: i128) -> i128 {
    let (quotient, rest) = (dividend.div_euclid(divisor), dividend.rem_euclid(divisor));
    let rounding = match (rest * 2).cmp(&divisor) {
        std::cmp::Ordering::Less => 0,
        std::cmp::Ordering::Equal => quotient.rem_euclid(2),
        std::cmp::Ordering::Greater => 1,
    };
    quotient + rounding
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.scale as usize;
        let digits = format!("{:0>width$}", self.digits, width = width + 1);
        let (whole, fraction) = digits.split_at(digits.len() - width);
        if fraction.is_empty() { f.write_str(whole) } else { write!(f, "{whole}.{fraction}") }
    }
}

/// Exchange rates from a merchant's currency.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quotes {
    /// The merchant's currency.
    pub from: Currency,
    /// Other currencies, each with the rate into it.
    pub rates: Vec<(Currency, Rate)>,
}

impl Quotes {
    /// The rate into a currency, if known.
    pub fn rate_to(&self, to: Currency) -> Option<Rate> {
        if to == self.from {
            return Some(Rate::ONE);
        }
        self.rates.iter().find(|(known, _)| *known == to).map(|(_, rate)| *rate)
    }
}

#[cfg(test)]
#[path = "rate_tests.rs"]
mod tests;
