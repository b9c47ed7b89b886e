//! Texts of SQLite.

use diesel::deserialize;
use diesel::sqlite::SqliteValue;

/// Reads a text in place, without a copy.
pub(crate) fn read_text<T>(
    mut value: SqliteValue<'_, '_, '_>,
    read: impl FnOnce(&str) -> deserialize::Result<T>,
) -> deserialize::Result<T> {
    read(value.read_text())
}
