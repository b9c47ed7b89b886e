//! The JSON format of column values in an export, and JSON in columns.

use super::errors::{Outcome, corrupt};
use super::names::Name;
use super::types::{Account, Bytes, Currency, Day, Exchange, Id, Named, Time};
use chrono::{DateTime, NaiveDate, SecondsFormat, Utc};
use florin_domain::ids::AccountId;
use florin_domain::money;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use uuid::Uuid;

/// Implements the JSON form of types that are written as texts.
macro_rules! as_text {
    ($($type:ident: $write:expr, $read:expr;)*) => {$(
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let write: fn(&Self) -> String = $write;
                serializer.serialize_str(&write(self))
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = String::deserialize(deserializer)?;
                let read: fn(&str) -> Option<Self> = $read;
                read(&text).ok_or_else(|| {
                    de::Error::custom(format!(concat!("`{}` is not a valid ", stringify!($type)), text))
                })
            }
        }
    )*};
}

as_text! {
    Id: |id| id.0.hyphenated().to_string(), |text| Uuid::try_parse(text).ok().map(Self);
    Time: |time| time.0.to_rfc3339_opts(SecondsFormat::Micros, true), |text| time(text).map(Self);
    Day: |day| day.0.to_string(), |text| text.parse::<NaiveDate>().ok().map(Self);
    Account: |account| account.0.as_str().to_owned(), |text| AccountId::parse(text).ok().map(Self);
    Currency: |currency| currency.0.code().to_owned(), |text| money::Currency::parse(text).ok().map(Self);
    Exchange: |rate| rate.0.to_string(), |text| money::Rate::parse(text).ok().map(Self);
    Bytes: |bytes| florin_store_contract::export::hexadecimal(&bytes.0), |text| bytes(text.as_bytes()).map(Self);
}

/// Reads a time to the microsecond. Rejects more digits instead of cutting them off.
fn time(text: &str) -> Option<DateTime<Utc>> {
    let time = DateTime::parse_from_rfc3339(text).ok()?.to_utc();
    (time.timestamp_subsec_nanos() % 1000 == 0).then_some(time)
}

impl<T: Name> Serialize for Named<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.name())
    }
}

impl<'de, T: Name> Deserialize<'de> for Named<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        T::named(&text).map(Self).ok_or_else(|| de::Error::custom(format!("`{text}` is not one of the expected names")))
    }
}

/// Reads the JSON in a column. `Corrupt`: it has another form than the values of this column.
pub(crate) fn column<T: DeserializeOwned>(name: &str, text: &str) -> Outcome<T> {
    serde_json::from_str(text).map_err(|error| corrupt(format!("`{name}`: {}", reason(&error))))
}

/// Returns the message of an error without its line and column, which are places in the value and not in the file.
pub(crate) fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let location = format!(" at line {} column {}", error.line(), error.column());
    match text.strip_suffix(&location) {
        Some(message) => message.to_owned(),
        None => text,
    }
}

/// Reads bytes from hexadecimal digits.
pub(crate) fn bytes(digits: &[u8]) -> Option<Vec<u8>> {
    let pair = |pair: &[u8]| match pair {
        [high, low] => Some(digit(*high)? << 4 | digit(*low)?),
        _ => None,
    };
    digits.chunks(2).map(pair).collect()
}

fn digit(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    }
}
