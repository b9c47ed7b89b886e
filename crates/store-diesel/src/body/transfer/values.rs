//! How columns are written in an export.

use super::body::types::{Day, Id, Time};
use chrono::{DateTime, NaiveDate, SecondsFormat, Utc};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use uuid::Uuid;

/// Writes and reads a type as text.
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
                read(&text).ok_or_else(|| de::Error::custom(format!(concat!("`{}` is no ", stringify!($type)), text)))
            }
        }
    )*};
}

as_text! {
    Id: |id| id.0.hyphenated().to_string(), |text| Uuid::try_parse(text).ok().map(Self);
    Time: |time| time.0.to_rfc3339_opts(SecondsFormat::Micros, true), |text| time(text).map(Self);
    Day: |day| day.0.to_string(), |text| text.parse::<NaiveDate>().ok().map(Self);
}

/// To the microsecond: nothing is cut off.
fn time(text: &str) -> Option<DateTime<Utc>> {
    let time = DateTime::parse_from_rfc3339(text).ok()?.to_utc();
    (time.timestamp_subsec_nanos() % 1000 == 0).then_some(time)
}

/// Bytes as hexadecimal digits.
pub(super) mod hexadecimal {
    use super::{Deserialize, Deserializer, Serializer, de};

    pub(crate) fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&crate::transfer::hexadecimal(bytes))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
        let text = String::deserialize(deserializer)?;
        bytes(text.as_bytes()).ok_or_else(|| de::Error::custom("bytes are wanted, as hexadecimal digits"))
    }

    fn bytes(digits: &[u8]) -> Option<Vec<u8>> {
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
}
