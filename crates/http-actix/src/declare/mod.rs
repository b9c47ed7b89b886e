//! Declarations of requests. A declaration defines how a body or parameters are read, their OpenAPI schema and their
//! documentation.
//!
//! - `body!` declares a JSON body, and `parameters!` the parameters of a path or query.
//! - The type of a member determines how the member is read, and its schema: [`FieldType`] in bodies, [`Parameter`] in
//!   paths and queries, and [`TextValue`] for values that are written as text in both.
//! - `values`, `amounts`, `lists`, `controls`, `events` and `merchant` contain these types. `common` contains the
//!   parameters that many operations have.

mod amounts;
mod body;
mod common;
mod controls;
mod events;
mod lists;
mod member;
mod merchant;
mod parameters;
#[cfg(test)]
pub(crate) mod pattern_tests;
mod values;

pub(crate) use amounts::{
    MerchantDecimalText, PositiveDecimalText, PositiveNumber, ZeroOrMoreDecimalText, ZeroOrMoreNumber,
};
pub(crate) use body::{Member, body, body_schema, is_required, read};
pub(crate) use common::{
    AccountOrBodyParameter, AccountParameter, DryRunParameter, FromTime, IdempotencyKeyHeader, LastEventIdHeader,
    OptionalAccountParameter, PageParameters, ToTime,
};
pub(crate) use controls::ControlsBody;
pub(crate) use events::{TypeId, TypeName};
pub(crate) use lists::Items;
pub(crate) use member::{FieldType, Schemas, Slot, TextValue, missing_body, plain_text};
pub(crate) use merchant::{
    AccountNumberText, BackgroundColour, Fixed, IbanText, NotNull, PageUrl, PrimaryColour, SortCodeText,
};
pub(crate) use parameters::{CommaSeparated, Parameters, Part, parameter, parameters};
pub(crate) use values::{
    Clearable, CountryCode, Lenient, MerchantCategory, MfaProvider, OnlyTrue, OtherBudget, WholeNumber, named,
    names_schema, of_format, parse_name,
};
