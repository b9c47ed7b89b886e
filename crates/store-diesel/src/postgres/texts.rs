//! Texts of PostgreSQL.

use diesel::deserialize;
use diesel::pg::PgValue;

/// Reads a text in place, without a copy.
#[allow(clippy::needless_pass_by_value, reason = "the signature is the same for every backend")]
pub(crate) fn read_text<T>(
    value: PgValue<'_>,
    read: impl FnOnce(&str) -> deserialize::Result<T>,
) -> deserialize::Result<T> {
    read(str::from_utf8(value.as_bytes())?)
}
