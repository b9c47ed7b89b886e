//! One rule of the modulus table.

use super::{Digits, G, H};

/// The way in which a rule computes and checks a sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Method {
    /// Adds up the products. The sum must be a multiple of this number (10 or 11).
    Modulus(i32),
    /// Adds up the digits of the products. The sum must be a multiple of 10.
    DoubleAlternate,
}

/// A rule for a range of sort codes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Rule {
    from: u32,
    to: u32,
    method: Method,
    weights: [i32; 14],
    /// The number of the exception in the specification. 0: none.
    pub(super) exception: u8,
}

impl Rule {
    /// Parses a line of the table.
    pub(super) fn parse(line: &str) -> Option<Self> {
        let mut words = line.split_whitespace();
        let (from, to) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
        let method = match words.next()? {
            "MOD10" => Method::Modulus(10),
            "MOD11" => Method::Modulus(11),
            "DBLAL" => Method::DoubleAlternate,
            _ => return None,
        };
        let mut weights = [0; 14];
        for weight in &mut weights {
            *weight = words.next()?.parse().ok().filter(|weight: &i32| weight.abs() < 1000)?;
        }
        let exception = words.next().map_or(Some(0), |word| word.parse().ok())?;
        words.next().is_none().then_some(Self { from, to, method, weights, exception })
    }

    pub(super) const fn covers(&self, sort_code: u32) -> bool {
        self.from <= sort_code && sort_code <= self.to
    }

    /// Exception 6: returns whether the account is in a foreign currency and can't be checked.
    pub(super) const fn is_foreign_currency(&self, digits: &Digits) -> bool {
        self.exception == 6 && 4 <= digits[6] && digits[6] <= 8 && digits[G] == digits[H]
    }

    /// Exception 3: returns whether the second check is skipped.
    pub(super) const fn is_waived(&self, digits: &Digits) -> bool {
        self.exception == 3 && matches!(digits[8], 6 | 9)
    }

    pub(super) fn passes(&self, digits: &Digits) -> bool {
        let weights = self.weights(digits);
        let products = weights.iter().zip(digits).map(|(weight, digit)| weight * i32::from(*digit));
        let (sum, modulus): (i32, i32) = match self.method {
            Method::Modulus(modulus) => (products.sum(), modulus),
            Method::DoubleAlternate => (products.map(|product| product / 10 + product % 10).sum(), 10),
        };
        let (g, h) = (i32::from(digits[G]), i32::from(digits[H]));
        match (self.exception, self.method) {
            (1, _) => (sum + 27) % modulus == 0,
            (4, _) => sum % modulus == g * 10 + h,
            (5, Method::Modulus(_)) => check_digit(sum, modulus) == Some(g),
            (5, Method::DoubleAlternate) => check_digit(sum, modulus) == Some(h),
            _ => sum % modulus == 0,
        }
    }

    /// Returns the weights of the rule, or the weights that its exception prescribes for these digits.
    fn weights(&self, digits: &Digits) -> [i32; 14] {
        let (a, b, g) = (digits[6], digits[7], digits[G]);
        let mut weights = self.weights;
        let drop_sort_code = match self.exception {
            2 if a != 0 && g != 9 => return [0, 0, 1, 2, 5, 3, 6, 4, 8, 7, 10, 9, 3, 1],
            2 if a != 0 => return [0, 0, 0, 0, 0, 0, 0, 0, 8, 7, 10, 9, 3, 1],
            7 => g == 9,
            10 => matches!((a, b), (0 | 9, 9)) && g == 9,
            _ => false,
        };
        if drop_sort_code {
            weights[..8].fill(0);
        }
        weights
    }
}

/// Returns the check digit of a sum. With modulus 11, a remainder of 1 would need the digit 10, so there is none.
const fn check_digit(sum: i32, modulus: i32) -> Option<i32> {
    match sum % modulus {
        0 => Some(0),
        1 if modulus == 11 => None,
        remainder => Some(modulus - remainder),
    }
}
