//! The modulus check: whether a UK sort code and an account number can belong together (Vocalink, "Validating Account
//! Numbers"). A pair that passes need not exist; a pair that fails can't exist.

mod rule;
#[cfg(test)]
mod tests;

use rule::Rule;
use std::collections::BTreeMap;

/// The weights and substitutes for checking pairs of sort code and account number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModulusTable {
    rules: Vec<Rule>,
    /// For exception 5: sort codes, each with the sort code that is checked instead.
    substitutes: BTreeMap<u32, u32>,
}

/// An invalid line of a modulus table.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line} of the modulus table is invalid: {text}")]
pub struct ModulusTableError {
    /// Its line number, from 1.
    pub line: usize,
    /// The line.
    pub text: String,
}

/// The digits of sort code and account number: the positions `u` to `z` and `a` to `h` of the specification.
pub(super) type Digits = [u8; 14];

const G: usize = 12;
const H: usize = 13;

impl ModulusTable {
    /// Returns the built-in table: a few ranges, enough to test the check.
    pub fn built_in() -> Result<Self, ModulusTableError> {
        Self::parse(include_str!("modulus/weights.txt"), include_str!("modulus/substitutes.txt"))
    }

    /// Parses the two files in the format of Vocalink (`valacdos.txt`, `scsubtab.txt`). Skips blank lines and lines
    /// that begin with `#`.
    pub fn parse(weights: &str, substitutes: &str) -> Result<Self, ModulusTableError> {
        let rules = lines(weights, Rule::parse)?;
        let pair = |line: &str| {
            let (given, checked) = line.split_once(char::is_whitespace)?;
            Some((given.parse().ok()?, checked.trim().parse().ok()?))
        };
        Ok(Self { rules, substitutes: lines(substitutes, pair)?.into_iter().collect() })
    }

    /// Returns whether a sort code of six digits and an account number of eight digits match. A sort code outside all
    /// ranges matches. Texts with other characters or lengths do not match.
    pub fn fits(&self, sort_code: &str, account_number: &str) -> bool {
        let Some(digits) = digits(sort_code, account_number) else { return false };
        let code = number(&digits);
        // A range has one or two rules, on adjacent lines.
        let mut rules = self.rules.iter().filter(|rule| rule.covers(code));
        let Some(first) = rules.next() else { return true };
        if first.is_foreign_currency(&digits) {
            return true;
        }
        let passed = self.passes(first, &digits);
        let Some(second) = rules.next() else {
            return passed || (first.exception == 14 && Self::passes_shifted(first, &digits));
        };
        match (first.exception, second.exception) {
            (2, 9) | (10, 11) | (12, 13) => passed || self.passes(second, &digits),
            _ if second.is_waived(&digits) => passed,
            _ => passed && self.passes(second, &digits),
        }
    }

    /// Checks the digits with a rule. Exceptions 8 and 9 replace their sort code by a fixed one, exception 5 by its
    /// substitute if it has one.
    fn passes(&self, rule: &Rule, digits: &Digits) -> bool {
        let checked_as = match rule.exception {
            5 => self.substitutes.get(&number(digits)).copied(),
            8 => Some(90_126),
            9 => Some(309_634),
            _ => None,
        };
        let mut digits = *digits;
        if let Some(code) = checked_as {
            let mut rest = code;
            for place in digits[..6].iter_mut().rev() {
                *place = u8::try_from(rest % 10).unwrap_or_default();
                rest /= 10;
            }
        }
        rule.passes(&digits)
    }

    /// Exception 14: checks the account number again with its digits shifted by one place, if its last digit is 0, 1 or
    /// 9.
    fn passes_shifted(rule: &Rule, digits: &Digits) -> bool {
        if !matches!(digits[H], 0 | 1 | 9) {
            return false;
        }
        let mut shifted = *digits;
        shifted.copy_within(6..H, 7);
        shifted[6] = 0;
        rule.passes(&shifted)
    }
}

fn lines<T>(text: &str, parse: impl Fn(&str) -> Option<T>) -> Result<Vec<T>, ModulusTableError> {
    let content =
        text.lines().map(str::trim).enumerate().filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let read = |(number, line): (usize, &str)| {
        parse(line).ok_or_else(|| ModulusTableError { line: number + 1, text: line.to_owned() })
    };
    content.map(read).collect()
}

fn digits(sort_code: &str, account_number: &str) -> Option<Digits> {
    let text = sort_code.bytes().chain(account_number.bytes());
    let found: Vec<u8> = text.filter(u8::is_ascii_digit).map(|byte| byte - b'0').collect();
    if (sort_code.len(), account_number.len()) == (6, 8) { found.try_into().ok() } else { None }
}

/// Returns the sort code as a number.
fn number(digits: &Digits) -> u32 {
    digits[..6].iter().fold(0, |number, digit| number * 10 + u32::from(*digit))
}
