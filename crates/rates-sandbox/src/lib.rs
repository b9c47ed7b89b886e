//! The exchange rates of the sandbox: a fixed table, so that tests know what to expect.
//!
//! The table has the rates for one euro. A rate between two other currencies is computed through the euro with
//! [`Rate::cross`], rounded half even to ten significant digits.

use async_trait::async_trait;
use florin_domain::money::{Currency, Quotes, Rate};
use florin_ports::{ExchangeRates, RatesUnavailable};

/// The value of one euro in each currency.
const TABLE: [(&str, &str); 20] = [
    ("EUR", "1"),
    ("AED", "3.97"),
    ("AUD", "1.65"),
    ("BHD", "0.407"),
    ("CAD", "1.48"),
    ("CHF", "0.95"),
    ("CZK", "25.2"),
    ("DKK", "7.46"),
    ("GBP", "0.85"),
    ("HKD", "8.45"),
    ("INR", "90.5"),
    ("JPY", "163.2"),
    ("KWD", "0.332"),
    ("NOK", "11.6"),
    ("NZD", "1.79"),
    ("PLN", "4.3"),
    ("SEK", "11.4"),
    ("SGD", "1.45"),
    ("USD", "1.08"),
    ("ZAR", "19.8"),
];

/// The rates of the fixed table.
#[derive(Clone, Debug)]
pub struct FixedRates {
    per_euro: Vec<(Currency, Rate)>,
}

impl FixedRates {
    /// Reads the built-in table.
    pub fn new() -> Self {
        let read = |(code, rate): (&str, &str)| Some((Currency::parse(code).ok()?, Rate::parse(rate).ok()?));
        Self { per_euro: TABLE.into_iter().filter_map(read).collect() }
    }

    fn of(&self, currency: Currency) -> Option<Rate> {
        self.per_euro.iter().find(|(known, _)| *known == currency).map(|(_, rate)| *rate)
    }
}

impl Default for FixedRates {
    fn default() -> Self {
        Self::new()
    }
}

#[async_trait]
impl ExchangeRates for FixedRates {
    async fn quotes(&self, from: Currency) -> Result<Option<Quotes>, RatesUnavailable> {
        let Some(per_euro) = self.of(from) else { return Ok(None) };
        let others = self.per_euro.iter().filter(|(currency, _)| *currency != from);
        let rates = others.filter_map(|(currency, rate)| Some((*currency, Rate::cross(per_euro, *rate)?))).collect();
        Ok(Some(Quotes { from, rates }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use florin_domain::money::Minor;

    fn currency(code: &str) -> Currency {
        Currency::parse(code).unwrap()
    }

    #[test]
    fn every_row_of_the_table_is_valid() {
        assert_eq!(FixedRates::new().per_euro.len(), TABLE.len());
    }

    #[tokio::test]
    async fn cross_rates_are_computed_through_the_euro() {
        let rates = FixedRates::new();
        for (from, to, expected) in [
            ("USD", "GBP", "0.787037037"),
            ("EUR", "GBP", "0.85"),
            ("GBP", "EUR", "1.176470588"),
            ("JPY", "GBP", "0.005208333333"),
            ("BHD", "GBP", "2.088452088"),
            ("USD", "JPY", "151.1111111"),
        ] {
            let quotes = rates.quotes(currency(from)).await.unwrap().unwrap();
            assert_eq!(quotes.rate_to(currency(to)).unwrap().to_string(), expected, "{from} {to}");
        }
        assert_eq!(rates.quotes(currency("ISK")).await, Ok(None));
    }

    #[tokio::test]
    async fn every_pair_of_currencies_has_a_rate() {
        let rates = FixedRates::new();
        for (from, _) in TABLE {
            let quotes = rates.quotes(currency(from)).await.unwrap().unwrap();
            for (to, _) in TABLE {
                let rate = quotes.rate_to(currency(to)).unwrap();
                assert!(
                    rate.convert(Minor(1_000_000), currency(from), currency(to)).unwrap() > Minor(0),
                    "{from} {to}"
                );
            }
        }
    }
}
