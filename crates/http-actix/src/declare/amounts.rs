//! Amounts in bodies: JSON numbers in card messages, decimal strings elsewhere. Neither is ever converted to a float.

use super::member::{FieldType, TextValue, plain_text};
use crate::json::{Place, Reading, Value};
use florin_domain::fault::Flaw;
use florin_domain::money::DecimalAmount;
use utoipa::openapi::schema::{Object, ObjectBuilder, Type};
use utoipa::openapi::{RefOr, Schema};

/// A JSON number of zero or more.
pub(crate) struct ZeroOrMoreNumber(pub(crate) DecimalAmount);
/// A JSON number above zero.
pub(crate) struct PositiveNumber(pub(crate) DecimalAmount);
/// A decimal string above zero.
pub(crate) struct PositiveDecimalText(pub(crate) DecimalAmount);
/// The decimal string of an amount that merchants accept, from 0.01 to 1000000.00. The operation checks the range.
pub(crate) struct MerchantDecimalText(pub(crate) DecimalAmount);

/// A decimal string of zero or more.
pub(crate) struct ZeroOrMoreDecimalText(pub(crate) DecimalAmount);

impl FieldType for ZeroOrMoreNumber {
    fn read(value: Value<'_>, place: &Place<'_>, reading: &mut Reading<'_>) -> Option<Self> {
        number(value, place, reading, Ok).map(Self)
    }

    fn schema() -> RefOr<Schema> {
        number_schema().minimum(Some(0)).build().into()
    }
}

impl FieldType for PositiveNumber {
    fn read(value: Value<'_>, place: &Place<'_>, reading: &mut Reading<'_>) -> Option<Self> {
        number(value, place, reading, DecimalAmount::positive).map(Self)
    }

    fn schema() -> RefOr<Schema> {
        number_schema().exclusive_minimum(Some(0)).build().into()
    }
}

impl TextValue for PositiveDecimalText {
    fn parse(text: &str) -> Result<Self, Flaw> {
        DecimalAmount::from_decimal_string(text)?.positive().map(Self)
    }

    fn schema() -> Object {
        // Matches amounts above zero, up to the maximum. It uses no look-ahead, which most validators do not
        // support.
        let pattern = "^(0{0,5}[1-9][0-9]{0,8}(\\.[0-9]{1,4})?|0{0,5}10{9}(\\.0{1,4})?|\
            0{1,15}\\.([1-9][0-9]{0,3}|0[1-9][0-9]{0,2}|00[1-9][0-9]?|000[1-9]))$";
        plain_text().pattern(Some(pattern)).build()
    }
}

impl TextValue for MerchantDecimalText {
    fn parse(text: &str) -> Result<Self, Flaw> {
        PositiveDecimalText::parse(text).map(|amount| Self(amount.0))
    }

    fn schema() -> Object {
        // The currencies of merchants have two decimals. More decimals may follow if they are zeros.
        let pattern = "^(0{0,9}[1-9][0-9]{0,5}(\\.[0-9]{1,2}0{0,2})?|0{0,8}10{6}(\\.0{1,4})?|\
            0{1,15}\\.([1-9][0-9]?0{0,2}|0[1-9]0{0,2}))$";
        plain_text().pattern(Some(pattern)).build()
    }
}

impl TextValue for ZeroOrMoreDecimalText {
    fn parse(text: &str) -> Result<Self, Flaw> {
        DecimalAmount::from_decimal_string(text).map(Self)
    }

    fn schema() -> Object {
        // Matches amounts up to the maximum.
        plain_text().pattern(Some("^(0{0,6}[0-9]{1,9}(\\.[0-9]{1,4})?|0{0,5}10{9}(\\.0{1,4})?)$")).build()
    }
}

/// Reads a JSON number from its literal text, so that no digit is lost.
fn number(
    value: Value<'_>,
    place: &Place<'_>,
    reading: &mut Reading<'_>,
    check: fn(DecimalAmount) -> Result<DecimalAmount, Flaw>,
) -> Option<DecimalAmount> {
    let Some(literal) = value.number() else {
        reading.wrong_type(value, place, "a number");
        return None;
    };
    reading.keep(place, DecimalAmount::from_json_number(literal).and_then(check))
}

fn number_schema() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::Number).maximum(Some(DecimalAmount::MAX))
}
