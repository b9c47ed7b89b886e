//! Ids, times and dates as native types of PostgreSQL.

use super::body::types::{Day, Exchange, Id, Time};
use chrono::{DateTime, NaiveDate, Utc};
use diesel::deserialize::{self, FromSql};
use diesel::pg::{Pg, PgValue};
use diesel::serialize::{self, IsNull, Output, ToSql};
use diesel::sql_types::{BigInt, Date, Text, Timestamptz, Uuid as UuidSql};
use std::io::Write;
use uuid::Uuid;

/// Implements `ToSql` and `FromSql` for a newtype by delegating to its inner type.
macro_rules! delegate_sql {
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

delegate_sql! {
    Id(Uuid) as UuidSql,
    Day(NaiveDate) as Date,
}

/// PostgreSQL's epoch, 2000-01-01, in microseconds since the Unix epoch.
const EPOCH: i64 = 946_684_800_000_000;

impl ToSql<Timestamptz, Pg> for Time {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
        <DateTime<Utc> as ToSql<Timestamptz, Pg>>::to_sql(&self.0, out)
    }
}

/// Reads the microseconds directly, because Diesel's conversion takes longer than decoding the rest of a row.
impl FromSql<Timestamptz, Pg> for Time {
    fn from_sql(value: PgValue<'_>) -> deserialize::Result<Self> {
        let micros = <i64 as FromSql<BigInt, Pg>>::from_sql(value)?.checked_add(EPOCH);
        Ok(Self(micros.and_then(DateTime::from_timestamp_micros).ok_or("a time is out of range")?))
    }
}

impl ToSql<Text, Pg> for Exchange {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
        write!(out, "{}", self.0)?;
        Ok(IsNull::No)
    }
}
