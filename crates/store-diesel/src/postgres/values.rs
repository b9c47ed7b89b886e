//! How ids, times and dates are kept in PostgreSQL: in its own types.

use super::body::types::{Day, Exchange, Id, Time};
use chrono::{DateTime, NaiveDate, Utc};
use diesel::deserialize::{self, FromSql};
use diesel::pg::{Pg, PgValue};
use diesel::serialize::{self, IsNull, Output, ToSql};
use diesel::sql_types::{Date, Text, Timestamptz, Uuid as UuidSql};
use std::io::Write;
use uuid::Uuid;

/// Reads a text where it lies, without a copy.
#[allow(clippy::needless_pass_by_value, reason = "as every backend has it")]
pub(crate) fn read_text<T>(
    value: PgValue<'_>,
    read: impl FnOnce(&str) -> deserialize::Result<T>,
) -> deserialize::Result<T> {
    read(str::from_utf8(value.as_bytes())?)
}

/// Keeps a value as Diesel keeps what is in it.
macro_rules! kept {
    ($($name:ident($inner:ty) as $sql:ty,)*) => {$(
        impl ToSql<$sql, Pg> for $name {
            fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
                <$inner as ToSql<$sql, Pg>>::to_sql(&self.0, out)
            }
        }

        impl FromSql<$sql, Pg> for $name {
            fn from_sql(value: PgValue<'_>) -> deserialize::Result<Self> {
                <$inner as FromSql<$sql, Pg>>::from_sql(value).map(Self)
            }
        }
    )*};
}

kept! {
    Id(Uuid) as UuidSql,
    Time(DateTime<Utc>) as Timestamptz,
    Day(NaiveDate) as Date,
}

impl ToSql<Text, Pg> for Exchange {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
        write!(out, "{}", self.0)?;
        Ok(IsNull::No)
    }
}
