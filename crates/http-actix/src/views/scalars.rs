//! Times, amounts and exchange rates in responses. [`Time`], [`Amount`] and [`Sum`] are written directly into the
//! response, without intermediate strings.

use chrono::{DateTime, Datelike, NaiveTime, SecondsFormat, Timelike, Utc};
use florin_domain::money::{Money, Rate, Total, TotalMoney};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

/// A time in UTC with whole seconds: `2026-09-01T12:00:00Z`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Time(pub(crate) DateTime<Utc>);

impl Time {
    /// Returns midnight of the same day.
    pub(super) fn midnight(self) -> Self {
        Self(self.0.date_naive().and_time(NaiveTime::MIN).and_utc())
    }

    /// Formats the time. Returns `None` if the year is not from 0 to 9999. Chrono's formatter would take as
    /// long as all other members of a row together.
    fn text(self) -> Option<[u8; 20]> {
        let time = self.0.naive_utc();
        let year = u32::try_from(time.year()).ok().filter(|year| *year <= 9999)?;
        let mut text = *b"0000-00-00T00:00:00Z";
        // chrono represents a leap second as 59 seconds and at least 1,000,000,000 nanoseconds; it is written as second
        // 60.
        let second = time.second() + time.nanosecond() / 1_000_000_000;
        // An offset in the text, and the number whose two digits are written there.
        let pairs = [
            (0, year / 100),
            (2, year % 100),
            (5, time.month()),
            (8, time.day()),
            (11, time.hour()),
            (14, time.minute()),
            (17, second),
        ];
        for (at, number) in pairs {
            text[at] = digit(number / 10);
            text[at + 1] = digit(number % 10);
        }
        Some(text)
    }
}

fn digit(number: u32) -> u8 {
    b'0' + u8::try_from(number % 10).unwrap_or_default()
}

impl Serialize for Time {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.text().as_ref().and_then(|text| str::from_utf8(text).ok()) {
            Some(text) => serializer.serialize_str(text),
            None => serializer.serialize_str(&self.0.to_rfc3339_opts(SecondsFormat::Secs, true)),
        }
    }
}

/// An amount, written as a string: a decimal with exactly the digits of its currency.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Amount(pub(crate) Money);

impl Serialize for Amount {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.text(&mut [0; 24]))
    }
}

/// A sum of amounts, written like an [`Amount`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sum(pub(crate) TotalMoney);

impl Serialize for Sum {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

/// An amount or a sum, written as a JSON number: a decimal with exactly the digits of its currency.
#[derive(Clone, Copy, Debug)]
pub(super) struct Number(pub(super) TotalMoney);

impl From<Money> for Number {
    fn from(money: Money) -> Self {
        Self(Total::from(money.minor).of(money.currency))
    }
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // Don't use a double, which would be rounded. The text of an amount is already a valid JSON number.
        let number = RawValue::from_string(self.0.to_string()).map_err(serde::ser::Error::custom)?;
        number.serialize(serializer)
    }
}

/// An exchange rate, written as a JSON number with all its digits.
#[derive(Clone, Copy, Debug)]
pub(super) struct ExchangeRateView(pub(super) Rate);

impl Serialize for ExchangeRateView {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0 == Rate::ONE {
            return serializer.serialize_u32(1);
        }
        // Don't use a double, which would be rounded. The text of a decimal is already a valid JSON number.
        let number = RawValue::from_string(self.0.to_string()).map_err(serde::ser::Error::custom)?;
        number.serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use florin_domain::money::{Currency, Minor};
    use proptest::prelude::*;

    fn written(time: DateTime<Utc>) -> String {
        serde_json::to_value(Time(time)).unwrap().as_str().unwrap().to_owned()
    }

    fn by_chrono(time: DateTime<Utc>) -> String {
        time.to_rfc3339_opts(SecondsFormat::Secs, true)
    }

    proptest! {
        #[test]
        fn times_are_formatted_like_chrono_does(
            seconds in DateTime::<Utc>::MIN_UTC.timestamp()..=DateTime::<Utc>::MAX_UTC.timestamp(),
            nanos in 0..2_000_000_000_u32,
        ) {
            if let Some(time) = DateTime::from_timestamp(seconds, nanos) {
                prop_assert_eq!(written(time), by_chrono(time));
            }
        }

        #[test]
        fn recent_times_are_formatted_like_chrono_does(micros in 0..4_102_444_800_000_000_i64) {
            let time = DateTime::from_timestamp_micros(micros).unwrap();
            prop_assert_eq!(written(time), by_chrono(time));
            prop_assert_eq!(Time(time).text().map(|text| text.to_vec()), Some(by_chrono(time).into_bytes()));
        }
    }

    proptest! {
        #[test]
        fn amounts_are_written_as_they_are_displayed(
            minor in any::<i64>(),
            code in prop::sample::select(vec!["JPY", "GBP", "BHD"]),
        ) {
            let money = Minor(minor).of(Currency::parse(code).unwrap());
            prop_assert_eq!(serde_json::to_value(Amount(money)).unwrap(), money.to_string());
        }
    }

    #[test]
    fn extreme_times_are_written() {
        for text in [
            "0000-01-01T00:00:00Z",
            "9999-12-31T23:59:59Z",
            "+10000-01-01T00:00:00Z",
            "-0001-12-31T23:59:59Z",
            "2016-12-31T23:59:60Z",
            "2024-02-29T12:00:00Z",
        ] {
            assert_eq!(written(text.parse().unwrap()), text);
        }
    }

    #[test]
    fn amounts_have_the_digits_of_their_currency() {
        let amount = |minor, code| serde_json::to_string(&Amount(Minor(minor).of(Currency::parse(code).unwrap())));
        assert_eq!(amount(-1005, "GBP").unwrap(), r#""-10.05""#);
        assert_eq!(amount(10, "JPY").unwrap(), r#""10""#);
        assert_eq!(amount(0, "JPY").unwrap(), r#""0""#);
        assert_eq!(amount(5, "BHD").unwrap(), r#""0.005""#);
        assert_eq!(amount(i64::MIN, "GBP").unwrap(), r#""-92233720368547758.08""#);
        let number =
            |minor, code| serde_json::to_string(&Number::from(Minor(minor).of(Currency::parse(code).unwrap())));
        assert_eq!(number(i64::MIN, "GBP").unwrap(), "-92233720368547758.08");
        assert_eq!(number(-5, "BHD").unwrap(), "-0.005");
        assert_eq!(number(10, "JPY").unwrap(), "10");
    }
}
