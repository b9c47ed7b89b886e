//! Money of the model: integers of minor units, and the rates that the sandbox documents.

use serde_json::Value;

/// A currency of a card or of a merchant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Currency {
    Gbp,
    Jpy,
    Eur,
    Usd,
    Inr,
}

use Currency::{Eur, Gbp, Inr, Jpy, Usd};

impl Currency {
    /// The currencies that budgets of the model hold.
    pub(super) const HELD: [Self; 3] = [Gbp, Jpy, Eur];

    pub(super) const fn code(self) -> &'static str {
        match self {
            Gbp => "GBP",
            Jpy => "JPY",
            Eur => "EUR",
            Usd => "USD",
            Inr => "INR",
        }
    }

    pub(super) const fn digits(self) -> u32 {
        if matches!(self, Jpy) { 0 } else { 2 }
    }

    /// Returns the minor units of one major unit.
    pub(super) const fn unit(self) -> i64 {
        10_i64.pow(self.digits())
    }

    /// Returns the value of one euro, in thousandths of the currency's major unit.
    const fn per_euro(self) -> i128 {
        match self {
            Gbp => 850,
            Jpy => 163_200,
            Eur => 1000,
            Usd => 1080,
            Inr => 90_500,
        }
    }

    /// Formats an amount with exactly the currency's number of decimals.
    pub(super) fn format(self, minor: i64) -> String {
        let sign = if minor < 0 { "-" } else { "" };
        let (whole, rest) = (minor.abs() / self.unit(), minor.abs() % self.unit());
        if self.digits() == 0 { format!("{sign}{whole}") } else { format!("{sign}{whole}.{rest:02}") }
    }

    /// Returns an amount as a JSON number.
    pub(super) fn number(self, minor: i64) -> Value {
        serde_json::from_str(&self.format(minor)).unwrap()
    }

    /// Returns an amount with one decimal more than the currency has.
    pub(super) fn too_fine(self, minor: i64) -> Value {
        let dot = if self.digits() == 0 { "." } else { "" };
        serde_json::from_str(&format!("{}{dot}1", self.format(minor))).unwrap()
    }

    /// Reads an amount from a string or a number of JSON.
    pub(super) fn read(self, value: &Value) -> i64 {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let (whole, rest) = text.split_once('.').unwrap_or((&text, ""));
        let digits = usize::try_from(self.digits()).unwrap();
        let rest = rest.trim_end_matches('0');
        assert!(rest.len() <= digits, "{text} has more decimals than {self:?}");
        let minor: i64 = format!("{whole}{rest:0<digits$}").parse().unwrap_or_else(|error| panic!("{text}: {error}"));
        assert!(value.is_number() || self.format(minor) == text, "{text} is not the format of {self:?}");
        minor
    }
}

/// Divides, and rounds to the nearest integer; halves to the even one.
fn half_even(top: i128, bottom: i128) -> i128 {
    let (whole, rest) = (top.div_euclid(bottom), top.rem_euclid(bottom));
    match (rest * 2).cmp(&bottom) {
        std::cmp::Ordering::Greater => whole + 1,
        std::cmp::Ordering::Equal => whole + whole % 2,
        std::cmp::Ordering::Less => whole,
    }
}

/// Returns a rate of ten significant digits, and how many of them are decimals.
fn rate(from: Currency, to: Currency) -> (i128, u32) {
    let mut decimals = 0;
    loop {
        let digits = half_even(to.per_euro() * 10_i128.pow(decimals), from.per_euro());
        if digits >= 1_000_000_000 {
            return (digits, decimals);
        }
        decimals += 1;
    }
}

/// Converts an amount at the sandbox's rate, rounded half even to the minor unit.
pub(super) fn convert(minor: i64, from: Currency, to: Currency) -> i64 {
    if from == to {
        return minor;
    }
    let (rate, decimals) = rate(from, to);
    let top = i128::from(minor) * rate * 10_i128.pow(to.digits());
    i64::try_from(half_even(top, 10_i128.pow(decimals + from.digits()))).unwrap()
}

/// Returns the largest part of an amount that, when converted, does not exceed a limit.
pub(super) fn max_within(minor: i64, (from, to): (Currency, Currency), limit: i64) -> i64 {
    let (mut fits, mut exceeds) = (0, minor + 1);
    while exceeds - fits > 1 {
        let middle = fits + (exceeds - fits) / 2;
        if convert(middle, from, to) > limit { exceeds = middle } else { fits = middle }
    }
    fits
}
