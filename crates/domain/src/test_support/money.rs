//! Amounts in the notation of tests.

use crate::ledger::Balances;
use crate::money::{Currency, DecimalAmount, Minor, Money, Quotes, Rate};

/// Returns the currency with a code such as `GBP`.
pub fn currency(code: &str) -> Currency {
    Currency::parse(code).unwrap()
}

/// Returns an amount as a caller sends it, such as `2.40`.
pub fn decimal(text: &str) -> DecimalAmount {
    DecimalAmount::from_json_number(text).unwrap()
}

/// Returns an amount with its currency, from a text such as `250.00 GBP` or `-4.00 GBP`.
pub fn money(text: &str) -> Money {
    let Some((amount, code)) = text.split_once(' ') else { panic!("{text:?} must be an amount such as 250.00 GBP") };
    let currency = currency(code);
    let minor = decimal(amount.trim_start_matches('-')).to_minor(currency).unwrap();
    let minor = if amount.starts_with('-') { minor.negated().unwrap() } else { minor };
    minor.of(currency)
}

/// Returns the minor units of an amount such as `250.00 GBP`.
pub fn minor(text: &str) -> Minor {
    money(text).minor
}

/// Returns balances with this available amount. Nothing is held or reserved.
pub fn balances(available: &str) -> Balances {
    Balances::new(minor(available), Minor::ZERO, Minor::ZERO).unwrap()
}

/// Returns the rate from a merchant's currency to GBP.
pub fn quotes(from: &str, rate: &str) -> Quotes {
    Quotes { from: currency(from), rates: vec![(currency("GBP"), Rate::parse(rate).unwrap())] }
}

/// Formats an amount as scenarios report it, such as `250.00 GBP`.
pub(super) fn shown(minor: Minor, currency: Currency) -> String {
    format!("{} {currency}", minor.of(currency))
}
