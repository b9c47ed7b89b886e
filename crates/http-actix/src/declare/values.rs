//! Types of members and parameters: texts, numbers, and optional members of changes.

use super::member::{FieldType, Schemas, TextValue, plain_text};
use crate::json::{Place, Reading, Value};
use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use florin_domain::access::Environment;
use florin_domain::activity::{ActivitySearch, ActivityStatus, ActivityType};
use florin_domain::address::PostcodeQuery;
use florin_domain::batch::{AlertCode, AlertKind, Direction, PaymentBatchStatus, PaymentStatus};
use florin_domain::budget::{BudgetFeature, BudgetStatus, CreditScheme, TransferInstruction, TransferReference};
use florin_domain::card::{
    AcceptorInput, CardName, CardOwnerKind, CardSearch, CardState, ControlledCountry, DisputeOutcome, DisputeReason,
    DisputeStatus, EntryMode, Fallback, FulfillmentStatus, MccRange, Network, Pin, SecurityCode, ThreeDSecure,
    WalletTokenState,
};
use florin_domain::fault::Flaw;
use florin_domain::ids::{
    AccountId, BudgetId, CardId, CheckoutId, DisputeId, EventId, LimitId, MfaSessionId, NetworkId, OrderId,
    PaymentBatchId, PersonId, PersonaId, SnapshotId, TransactionToken, WebhookId,
};
use florin_domain::merchant::{CheckoutStatus, CheckoutType};
use florin_domain::mfa::MfaProviderName;
use florin_domain::money::Currency;
use florin_domain::people::{EmailAddress, PersonStatus, Role};
use florin_domain::text::Text;
use florin_domain::webhook::DeliveryStatus;
use florin_domain::world::{parse_duration, parse_time};
use utoipa::openapi::schema::{KnownFormat, Object, ObjectBuilder, SchemaFormat, Type};
use utoipa::openapi::{RefOr, Schema};

/// Implements [`TextValue`] for types whose values have names.
macro_rules! named {
    ($($type:ty: $all:expr, $name:expr;)+) => {$(
        impl $crate::declare::TextValue for $type {
            fn parse(text: &str) -> Result<Self, florin_domain::fault::Flaw> {
                $crate::declare::parse_name(text, &$all, $name)
            }

            fn schema() -> utoipa::openapi::schema::Object {
                $crate::declare::names_schema(&$all, $name)
            }
        }
    )+};
}

pub(crate) use named;

named! {
    ActivityStatus: *ActivityStatus::ALL, ActivityStatus::as_str;
    ActivityType: *ActivityType::ALL, ActivityType::as_str;
    AlertCode: *AlertCode::ALL, AlertCode::as_str;
    AlertKind: AlertKind::ALL, AlertKind::as_str;
    BudgetFeature: BudgetFeature::ALL, BudgetFeature::as_str;
    BudgetStatus: BudgetStatus::ALL, BudgetStatus::as_str;
    CardOwnerKind: CardOwnerKind::ALL, CardOwnerKind::as_str;
    CardState: CardState::ALL, CardState::as_str;
    CheckoutStatus: CheckoutStatus::ALL, CheckoutStatus::as_str;
    CheckoutType: CheckoutType::ALL, CheckoutType::as_str;
    CreditScheme: CreditScheme::ALL, CreditScheme::as_str;
    DeliveryStatus: DeliveryStatus::ALL, DeliveryStatus::as_str;
    Direction: Direction::ALL, Direction::as_str;
    DisputeOutcome: DisputeOutcome::ALL, DisputeOutcome::as_str;
    DisputeReason: DisputeReason::ALL, DisputeReason::as_str;
    DisputeStatus: DisputeStatus::ALL, DisputeStatus::as_str;
    EntryMode: EntryMode::ALL, EntryMode::as_str;
    Fallback: Fallback::ALL, Fallback::as_str;
    FulfillmentStatus: FulfillmentStatus::ALL, FulfillmentStatus::as_str;
    Network: Network::ALL, Network::as_str;
    PersonStatus: PersonStatus::ALL, PersonStatus::as_str;
    Role: Role::ALL, Role::as_str;
    PaymentBatchStatus: PaymentBatchStatus::ALL, PaymentBatchStatus::as_str;
    PaymentStatus: PaymentStatus::ALL, PaymentStatus::as_str;
    ThreeDSecure: ThreeDSecure::ALL, ThreeDSecure::as_str;
    WalletTokenState: WalletTokenState::ALL, WalletTokenState::as_str;
}

/// Returns the value with this name. The flaw for any other name lists all names.
pub(crate) fn parse_name<T: Copy>(name: &str, all: &[T], as_str: fn(T) -> &'static str) -> Result<T, Flaw> {
    let known = all.iter().copied().find(|candidate| as_str(*candidate) == name);
    known.ok_or_else(|| unknown_name(&names(all, as_str)))
}

fn unknown_name(names: &[&str]) -> Flaw {
    Flaw::value(format!("must be one of {}", names.join(", ")))
}

/// Returns the schema of a value with one of these names.
pub(crate) fn names_schema<T: Copy>(all: &[T], as_str: fn(T) -> &'static str) -> Object {
    schema_of(&names(all, as_str))
}

fn schema_of(names: &[&str]) -> Object {
    let escaped =
        ['.', '{', '}'].iter().fold(names.join("|"), |names, special| names.replace(*special, &format!("\\{special}")));
    let pattern = format!("^({escaped})$");
    plain_text().pattern(Some(pattern)).build()
}

fn names<T: Copy>(all: &[T], as_str: fn(T) -> &'static str) -> Vec<&'static str> {
    all.iter().map(|value| as_str(*value)).collect()
}

/// Implements [`TextValue`] for types, with a parser and a schema for each.
macro_rules! texts {
    ($($type:ty: $parse:expr, $schema:expr;)+) => {$(
        impl $crate::declare::TextValue for $type {
            fn parse(text: &str) -> Result<Self, florin_domain::fault::Flaw> {
                $parse(text)
            }

            fn schema() -> utoipa::openapi::schema::Object {
                $schema.build()
            }
        }
    )+};
}

pub(super) use texts;

/// A country code: ISO 3166 alpha-3.
pub(crate) struct CountryCode(pub(crate) String);
/// A merchant category code: ISO 18245.
pub(crate) struct MerchantCategory(pub(crate) String);

texts! {
    ActivitySearch: Self::parse, plain_text().min_length(Some(1)).max_length(Some(Self::MAX));
    BudgetId: Self::parse, of_format(KnownFormat::Uuid);
    CheckoutId: Self::parse, of_format(KnownFormat::Uuid);
    DisputeId: Self::parse, of_format(KnownFormat::Uuid);
    EventId: Self::parse, of_format(KnownFormat::Uuid);
    WebhookId: Self::parse, of_format(KnownFormat::Uuid);
    CardId: Self::parse, of_format(KnownFormat::Uuid);
    LimitId: Self::parse, of_format(KnownFormat::Uuid);
    MfaSessionId: Self::parse, of_format(KnownFormat::Uuid);
    NetworkId: Self::parse, of_format(KnownFormat::Uuid);
    OrderId: Self::parse, of_format(KnownFormat::Uuid);
    PersonaId: Self::parse, of_format(KnownFormat::Uuid);
    PaymentBatchId: Self::parse, of_format(KnownFormat::Uuid);
    PersonId: Self::parse, of_format(KnownFormat::Uuid);
    SnapshotId: Self::parse, of_format(KnownFormat::Uuid);
    TransactionToken: Self::parse, of_format(KnownFormat::Uuid);
    AccountId: Self::parse, plain_text().min_length(Some(1)).max_length(Some(Self::MAX));
    Currency: Self::parse, plain_text().pattern(Some("^[A-Z]{3}$"));
    CardName: Self::parse, plain_text().min_length(Some(1)).max_length(Some(255));
    CardSearch: Self::parse, plain_text().min_length(Some(1)).max_length(Some(100));
    CountryCode: country, plain_text().pattern(Some("^[A-Za-z]{3}$"));
    ControlledCountry: Self::parse, plain_text().pattern(Some(any_of(Self::CODES)));
    MccRange: Self::parse, plain_text().pattern(Some("^[0-9]{4}(-[0-9]{4})?$"));
    Pin: Self::parse, plain_text().pattern(Some("^[0-9]{4}$"));
    SecurityCode: Self::parse, plain_text().pattern(Some("^[0-9]{3,4}$"));
    MerchantCategory: category, plain_text().pattern(Some("^[0-9]{4}$"));
    EmailAddress: Self::parse, plain_text().pattern(Some(EMAIL)).max_length(Some(Self::MAX));
    TransferReference: Self::parse, plain_text().pattern(Some("^[ A-Za-z0-9\\-,./:?()]{1,18}$"));
    NaiveDate: date, of_format(KnownFormat::Date);
    DateTime<Utc>: parse_time, of_format(KnownFormat::DateTime).pattern(Some(TIME));
    TimeDelta: parse_duration, plain_text().pattern(Some(DURATION));
    PostcodeQuery: Self::parse, plain_text().pattern(Some("^[\\t\\n\\f\\r ]*([A-Za-z0-9][\\t\\n\\f\\r ]*){5,7}$"));
}

impl<const MIN: usize, const MAX: usize> TextValue for Text<MIN, MAX> {
    fn parse(text: &str) -> Result<Self, Flaw> {
        Self::parse(text)
    }

    fn schema() -> Object {
        plain_text().min_length((MIN > 0).then_some(MIN)).max_length(Some(MAX)).build()
    }
}

/// Returns the pattern of a text that is one of these codes.
pub(super) fn any_of(codes: &[&str]) -> String {
    format!("^({})$", codes.join("|"))
}

/// Returns the schema of a text in a known format.
pub(crate) fn of_format(format: KnownFormat) -> ObjectBuilder {
    plain_text().format(Some(SchemaFormat::KnownFormat(format)))
}

fn country(text: &str) -> Result<CountryCode, Flaw> {
    AcceptorInput::parse_country(text).map(CountryCode)
}

fn category(text: &str) -> Result<MerchantCategory, Flaw> {
    AcceptorInput::parse_mcc(text).map(MerchantCategory)
}

/// Reads a date in the form `2026-09-01`.
fn date(text: &str) -> Result<NaiveDate, Flaw> {
    let wrong = || Flaw::format("must be a date such as 2026-09-01");
    let date = NaiveDate::parse_from_str(text, "%Y-%m-%d").map_err(|_| wrong())?;
    // The parser also accepts signs, spaces and short numbers.
    if text.len() == 10 && date.to_string() == text { Ok(date) } else { Err(wrong()) }
}

/// The pattern of an email address: one `@`, neither white space nor control characters.
const EMAIL: &str = "^[^\\s\\x00-\\x1f\\x7f-\\x9f@]+@[^\\s\\x00-\\x1f\\x7f-\\x9f@]+$";
/// The pattern of a time that a clock can be set to, in whole seconds.
const TIME: &str = "^20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$";
/// The pattern of a duration above zero and below the maximum, without leading zeros.
const DURATION: &str = "^P([1-9][0-9]{0,3}D|\
    ([1-9][0-9]{0,3}D)?T([1-9][0-9]{0,3}H([1-9][0-9]{0,3}M)?([1-9][0-9]{0,3}S)?|\
    [1-9][0-9]{0,3}M([1-9][0-9]{0,3}S)?|[1-9][0-9]{0,3}S))$";

/// A whole JSON number from `MIN` to `MAX`. A fraction of zeros is accepted, because some clients send `48.0`.
pub(crate) struct WholeNumber<const MIN: i64, const MAX: i64>(pub(crate) i64);

impl<const MIN: i64, const MAX: i64> FieldType for WholeNumber<MIN, MAX> {
    fn read(value: Value<'_>, place: &Place<'_>, reading: &mut Reading<'_>) -> Option<Self> {
        let Some(literal) = value.number() else {
            reading.wrong_type(value, place, "a number");
            return None;
        };
        let literal = literal.split_once('.').map_or(literal, |(whole, fraction)| {
            if fraction.bytes().all(|digit| digit == b'0') { whole } else { literal }
        });
        let digits = literal.strip_prefix('-').unwrap_or(literal);
        if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            reading.fault(place, Flaw::format("must be a whole number"));
            return None;
        }
        let number = literal.parse().ok().filter(|number| (MIN..=MAX).contains(number));
        let number = number.ok_or_else(|| Flaw::range(format!("must be between {MIN} and {MAX}")));
        reading.keep(place, number).map(Self)
    }

    fn schema() -> RefOr<Schema> {
        let format = SchemaFormat::KnownFormat(KnownFormat::Int32);
        let schema = ObjectBuilder::new().schema_type(Type::Integer).format(Some(format));
        schema.minimum(Some(MIN)).maximum(Some(MAX)).build().into()
    }
}

/// The name of an MFA provider that exists in this environment.
pub(crate) struct MfaProvider(pub(crate) MfaProviderName);

impl FieldType for MfaProvider {
    fn read(value: Value<'_>, place: &Place<'_>, reading: &mut Reading<'_>) -> Option<Self> {
        let name = reading.string(value, place)?;
        let provider = MfaProviderName::parse(&name, reading.context.environment);
        let message = match reading.context.environment {
            Environment::Sandbox => "must be one of totp, sandbox, fx-mfa-service",
            Environment::Production => "must be one of totp, fx-mfa-service",
        };
        reading.keep(place, provider.ok_or_else(|| Flaw::value(message))).map(Self)
    }

    fn schema() -> RefOr<Schema> {
        plain_text().pattern(Some("^(totp|sandbox|fx-mfa-service)$")).build().into()
    }
}

/// A budget other than the one in the path.
pub(crate) struct OtherBudget(pub(crate) BudgetId);

impl FieldType for OtherBudget {
    fn read(value: Value<'_>, place: &Place<'_>, reading: &mut Reading<'_>) -> Option<Self> {
        let to = <BudgetId as FieldType>::read(value, place, reading)?;
        let other = reading.context.budget.map_or(Ok(to), |from| TransferInstruction::check_ends(from, to));
        reading.keep(place, other).map(Self)
    }

    fn schema() -> RefOr<Schema> {
        <BudgetId as FieldType>::schema()
    }
}

/// The value `true`, for a member whose presence requests an action.
pub(crate) struct OnlyTrue;

impl FieldType for OnlyTrue {
    fn read(value: Value<'_>, place: &Place<'_>, reading: &mut Reading<'_>) -> Option<Self> {
        if bool::read(value, place, reading)? {
            return Some(Self);
        }
        reading.fault(place, Flaw::value("must be true, or left out"));
        None
    }

    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new().schema_type(Type::Boolean).enum_values(Some([true])).build().into()
    }
}

/// An optional member of a change. If it is missing, the value is kept; null removes the value.
pub(crate) enum Clearable<T> {
    Missing,
    Null,
    Value(T),
}

impl<T> Clearable<T> {
    /// Returns the change. `None`: the value is kept. `Some(None)`: the value is removed.
    #[expect(clippy::option_option, reason = "null and a missing member differ")]
    pub(crate) fn changed(self) -> Option<Option<T>> {
        match self {
            Self::Missing => None,
            Self::Null => Some(None),
            Self::Value(value) => Some(Some(value)),
        }
    }
}

impl<T: FieldType> FieldType for Clearable<T> {
    fn read(value: Value<'_>, place: &Place<'_>, reading: &mut Reading<'_>) -> Option<Self> {
        T::read(value, place, reading).map(Self::Value)
    }

    fn missing() -> Option<Self> {
        Some(Self::Missing)
    }

    fn null() -> Option<Self> {
        Some(Self::Null)
    }

    fn schema() -> RefOr<Schema> {
        <Option<T> as FieldType>::schema()
    }

    fn schemas(schemas: &mut Schemas) {
        T::schemas(schemas);
    }
}

/// An optional member that does not prevent the reading of its object if it has faults.
pub(crate) enum Lenient<T> {
    Missing,
    /// Faults were recorded.
    Faulty,
    Valid(T),
}

impl<T> Lenient<T> {
    /// Whether a value was sent, valid or not.
    pub(crate) const fn is_sent(&self) -> bool {
        !matches!(self, Self::Missing)
    }

    /// Returns the value if it is valid.
    pub(crate) fn valid(self) -> Option<T> {
        match self {
            Self::Valid(value) => Some(value),
            Self::Missing | Self::Faulty => None,
        }
    }
}

impl<T: FieldType> FieldType for Lenient<T> {
    fn read(value: Value<'_>, place: &Place<'_>, reading: &mut Reading<'_>) -> Option<Self> {
        Some(T::read(value, place, reading).map_or(Self::Faulty, Self::Valid))
    }

    fn missing() -> Option<Self> {
        Some(Self::Missing)
    }

    fn schema() -> RefOr<Schema> {
        <Option<T> as FieldType>::schema()
    }

    fn schemas(schemas: &mut Schemas) {
        T::schemas(schemas);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Context;
    use florin_domain::fault::{Faults, FlawCode};

    fn read<T: FieldType>(text: &str) -> Result<T, FlawCode> {
        let (context, mut faults) = (Context { environment: Environment::Production, budget: None }, Faults::default());
        let mut reading = Reading::new(context, &mut faults);
        let read = T::read(Value::parse(text).unwrap(), &Place::Body, &mut reading);
        read.ok_or_else(|| faults.into_vec()[0].flaw.code)
    }

    #[test]
    fn whole_numbers_may_have_a_fraction_of_zeros() {
        let number = |text: &str| read::<WholeNumber<1, 10>>(text).map(|number| number.0);
        assert_eq!((number("10"), number("10.0"), number("1.000")), (Ok(10), Ok(10), Ok(1)));
        for wrong in ["0", "11", "-1", "99999999999999999999"] {
            assert_eq!(number(wrong), Err(FlawCode::OutOfRange), "{wrong}");
        }
        for wrong in ["1.5", "1e1"] {
            assert_eq!(number(wrong), Err(FlawCode::InvalidFormat), "{wrong}");
        }
        assert_eq!(number("\"1\""), Err(FlawCode::InvalidType));
    }

    #[test]
    fn dates_have_one_spelling() {
        let day = |text: &str| read::<NaiveDate>(&format!("\"{text}\"")).map(|day| day.to_string());
        assert_eq!(day("2028-02-29"), Ok("2028-02-29".to_owned()));
        for wrong in ["2027-02-29", "2027-2-09", "+2027-02-9", "2027-02-09T00:00:00Z", ""] {
            assert_eq!(day(wrong), Err(FlawCode::InvalidFormat), "{wrong}");
        }
    }

    #[test]
    fn names_are_case_sensitive_and_listed_in_the_message() {
        assert_eq!(<Network as TextValue>::parse("VISA"), Ok(Network::Visa));
        let flaw = <CheckoutStatus as TextValue>::parse("active").unwrap_err();
        assert_eq!(flaw.message, "must be one of ACTIVE, DEACTIVATED");
        assert!(read::<MfaProvider>("\"sandbox\"").is_err());
        assert!(read::<MfaProvider>("\"totp\"").is_ok());
    }
}
