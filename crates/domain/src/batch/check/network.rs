//! Currencies, references and fees of the payment networks.

use crate::batch::PaymentNetwork;
use crate::money::{Currency, Minor};

use PaymentNetwork::{Bacs, Chaps, FasterPayments, Sepa, Swift};

impl PaymentNetwork {
    /// Parses the name of a network.
    pub(super) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|network| network.as_str() == name)
    }

    /// Returns the only currency that the network supports; `None` if it supports all.
    pub(super) const fn only_currency(self) -> Option<&'static str> {
        match self {
            FasterPayments | Bacs | Chaps => Some("GBP"),
            Sepa => Some("EUR"),
            Swift => None,
        }
    }

    /// Returns whether the network only reaches UK accounts with a sort code and account number.
    pub(super) const fn is_british(self) -> bool {
        matches!(self, FasterPayments | Bacs | Chaps)
    }

    /// Maximum length of a reference, in characters.
    pub(super) const fn longest_reference(self) -> usize {
        match self {
            FasterPayments | Bacs => 18,
            Chaps | Sepa | Swift => 140,
        }
    }

    /// Returns whether a reference may contain this character. SEPA, Swift and CHAPS allow a Latin character set; Bacs
    /// and Faster Payments allow a smaller one.
    pub(super) const fn allows_in_reference(self, character: char) -> bool {
        let common = character.is_ascii_alphanumeric() || matches!(character, ' ' | '.' | '/' | '-');
        common
            || match self {
                FasterPayments | Bacs => character == '&',
                Chaps | Sepa | Swift => matches!(character, '?' | ':' | '(' | ')' | ',' | '\'' | '+'),
            }
    }

    /// Returns the fee of a payment. For Swift it is 5 major units, such as 5.00 GBP, or 500 in currencies without
    /// decimals, such as 500 JPY. Other networks are free.
    pub(super) const fn fee(self, currency: Currency) -> Minor {
        match (self, currency.exponent()) {
            (Swift, 0) => Minor(500),
            (Swift, exponent) => Minor(5 * 10_i64.pow(exponent)),
            (FasterPayments | Bacs | Chaps | Sepa, _) => Minor::ZERO,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fees_follow_the_decimals_of_the_currency() {
        for (code, fee) in [("GBP", "5.00"), ("JPY", "500"), ("BHD", "5.000")] {
            let currency = Currency::parse(code).unwrap();
            assert_eq!(Swift.fee(currency).of(currency).to_string(), fee);
            assert_eq!(Sepa.fee(currency), Minor::ZERO);
        }
    }
}
