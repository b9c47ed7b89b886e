//! Reads rows from JSON.

use super::body::column_values::{Column, ColumnValues};
use super::body::json_values::reason;
use serde::Deserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::fmt;

/// The lists to which the values of a row are appended, one for each column.
type Lists = [Box<dyn ColumnValues>];

/// Reads a row: appends the value of each column to its list. A row without a column is accepted if the column is
/// nullable. Errors name the column. After an error, the lists have different lengths.
pub(super) fn read(
    json: &str,
    (names, columns): (&'static [&'static str], &'static [Column]),
    lists: &mut Lists,
) -> serde_json::Result<()> {
    let mut deserializer = serde_json::Deserializer::from_str(json);
    deserializer.deserialize_map(Members { names, columns, lists })?;
    deserializer.end()
}

struct Members<'l> {
    names: &'static [&'static str],
    columns: &'static [Column],
    lists: &'l mut Lists,
}

impl<'de> Visitor<'de> for Members<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a row")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        let mut found = vec![false; self.lists.len()];
        while let Some(name) = members.next_key::<String>()? {
            let mut known = self.names.iter().zip(self.lists.iter_mut()).zip(&mut found);
            let member = known.find(|((known, _), _)| **known == name);
            let Some(((&known, list), found)) = member else { return Err(A::Error::unknown_field(&name, self.names)) };
            if std::mem::replace(found, true) {
                return Err(A::Error::duplicate_field(known));
            }
            let value = members.next_value::<&RawValue>()?.get();
            list.read(value).map_err(|error| A::Error::custom(format_args!("`{known}`: {}", reason(&error))))?;
        }
        for (((&name, column), list), found) in self.names.iter().zip(self.columns).zip(self.lists).zip(found) {
            match (found, column.is_nullable) {
                (true, _) => {}
                (false, true) => list.read("null").map_err(A::Error::custom)?,
                (false, false) => return Err(A::Error::missing_field(name)),
            }
        }
        Ok(())
    }
}
