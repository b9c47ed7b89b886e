//! Column types for values of the domain.

use super::backend::sql::{DaySql, IdSql, TimeSql};
use super::backend::{Db, RawValue, read_text};
use super::names::Name;
use chrono::{DateTime, NaiveDate, Utc};
use diesel::backend::Backend;
use diesel::deserialize::{self, FromSql, FromSqlRow};
use diesel::expression::AsExpression;
use diesel::serialize::{self, Output, ToSql};
use diesel::sql_types::{Binary, Text};
use florin_domain::ids::AccountId;
use florin_domain::money;
use uuid::Uuid;

/// An id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, AsExpression, FromSqlRow)]
#[diesel(sql_type = IdSql)]
pub(crate) struct Id(pub(crate) Uuid);

/// A time, in whole microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, AsExpression, FromSqlRow)]
#[diesel(sql_type = TimeSql)]
pub(crate) struct Time(pub(crate) DateTime<Utc>);

/// A date.
#[derive(Clone, Copy, Debug, PartialEq, Eq, AsExpression, FromSqlRow)]
#[diesel(sql_type = DaySql)]
pub(crate) struct Day(pub(crate) NaiveDate);

/// The id of an account.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, AsExpression, FromSqlRow)]
#[diesel(sql_type = Text)]
pub(crate) struct Account(pub(crate) AccountId);

/// A currency, by its code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, AsExpression, FromSqlRow)]
#[diesel(sql_type = Text)]
pub(crate) struct Currency(pub(crate) money::Currency);

/// Bytes.
#[derive(Clone, Debug, PartialEq, Eq, AsExpression, FromSqlRow)]
#[diesel(sql_type = Binary)]
pub(crate) struct Bytes(pub(crate) Vec<u8>);

/// An exchange rate, as a decimal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, AsExpression, FromSqlRow)]
#[diesel(sql_type = Text)]
pub(crate) struct Exchange(pub(crate) money::Rate);

/// A member of an enumeration, stored by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, AsExpression, FromSqlRow)]
#[diesel(sql_type = Text)]
pub(crate) struct Named<T: Name>(pub(crate) T);

impl<DB: Backend> ToSql<Text, DB> for Account
where
    str: ToSql<Text, DB>,
{
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, DB>) -> serialize::Result {
        self.0.as_str().to_sql(out)
    }
}

impl FromSql<Text, Db> for Account {
    fn from_sql(value: RawValue<'_>) -> deserialize::Result<Self> {
        read_text(value, |text| Ok(Self(AccountId::parse(text).map_err(|_| format!("`{text}` is not an account id"))?)))
    }
}

impl<DB: Backend> ToSql<Binary, DB> for Bytes
where
    [u8]: ToSql<Binary, DB>,
{
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, DB>) -> serialize::Result {
        self.0.as_slice().to_sql(out)
    }
}

impl FromSql<Binary, Db> for Bytes {
    fn from_sql(value: RawValue<'_>) -> deserialize::Result<Self> {
        <Vec<u8> as FromSql<Binary, Db>>::from_sql(value).map(Self)
    }
}

impl<DB: Backend> ToSql<Text, DB> for Currency
where
    str: ToSql<Text, DB>,
{
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, DB>) -> serialize::Result {
        let code: &'static str = self.0.code();
        code.to_sql(out)
    }
}

impl FromSql<Text, Db> for Currency {
    fn from_sql(value: RawValue<'_>) -> deserialize::Result<Self> {
        read_text(value, |text| {
            Ok(Self(money::Currency::parse(text).map_err(|_| format!("`{text}` is not a currency"))?))
        })
    }
}

impl<T: Name, DB: Backend> ToSql<Text, DB> for Named<T>
where
    str: ToSql<Text, DB>,
{
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, DB>) -> serialize::Result {
        let name: &'static str = self.0.name();
        name.to_sql(out)
    }
}

impl<T: Name> FromSql<Text, Db> for Named<T> {
    fn from_sql(value: RawValue<'_>) -> deserialize::Result<Self> {
        read_text(value, |text| Ok(Self(T::named(text).ok_or_else(|| format!("unknown value `{text}`"))?)))
    }
}

impl FromSql<Text, Db> for Exchange {
    fn from_sql(value: RawValue<'_>) -> deserialize::Result<Self> {
        read_text(value, |text| {
            Ok(Self(money::Rate::parse(text).map_err(|_| format!("`{text}` is not an exchange rate"))?))
        })
    }
}
