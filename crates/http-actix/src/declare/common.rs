//! Parameters that many operations have.

use super::member::{TextValue, plain_text};
use super::parameters::parameters;
use chrono::{DateTime, NaiveDateTime, TimeDelta, Utc};
use florin_domain::fault::Flaw;
use florin_domain::ids::AccountId;
use florin_domain::page::PageRequest;
use utoipa::IntoParams;
use utoipa::openapi::Required;
use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::schema::{KnownFormat, Object, ObjectBuilder, SchemaFormat, SchemaType, Type};

parameters! {
    /// The account of a request.
    pub(crate) struct AccountParameter in Query {
        /// The id of the account.
        "accountId" => id: AccountId,
    }
}

parameters! {
    /// The account of a request whose body may name it instead.
    pub(crate) struct AccountOrBodyParameter in Query {
        /// The id of the account. Required unless the body has `accountId`.
        "accountId" => id: Option<AccountId>,
    }
}

parameters! {
    /// The optional account of a request about subscriptions.
    pub(crate) struct OptionalAccountParameter in Query {
        /// Only subscriptions of this account. Default: of all accounts that the API key can access. If the key can
        /// access all accounts of its client, operations on one subscription also find it if it has no account.
        "accountId" => id: Option<AccountId>,
    }
}

parameters! {
    /// The page of a list.
    pub(crate) struct PageParameters in Query {
        /// Maximum number of items to return. Default: 100.
        "limit" => limit: Option<Limit>,
        /// Number of items to skip. Default: 0.
        "offset" => offset: Option<Offset>,
    }
}

parameters! {
    /// Whether a request is a dry run.
    pub(crate) struct DryRunParameter in Query {
        /// If `true`, return what would happen and write nothing. Florin extension, sandbox only.
        "dryRun" => dry_run: bool,
    }
}

/// The header `Idempotency-Key` in the OpenAPI document. `extract::headers` reads it. `MAX_LENGTH` is in characters.
pub(crate) struct IdempotencyKeyHeader<const MAX_LENGTH: usize = 255>;

impl<const MAX_LENGTH: usize> IntoParams for IdempotencyKeyHeader<MAX_LENGTH> {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let schema = ObjectBuilder::new()
            .schema_type(SchemaType::from_iter([Type::String, Type::Null]))
            .min_length(Some(1))
            .max_length(Some(MAX_LENGTH))
            .pattern(Some("^[!-~]+$"));
        let about =
            "Makes retries safe: all requests under one key take effect once, and repeats get the first response.";
        let header = ParameterBuilder::new().name("Idempotency-Key").parameter_in(ParameterIn::Header);
        vec![header.required(Required::False).description(Some(about)).schema(Some(schema.build())).build()]
    }
}

/// The header `Last-Event-ID` in the OpenAPI document. `extract::headers` reads it.
pub(crate) struct LastEventIdHeader;

impl IntoParams for LastEventIdHeader {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let format = SchemaFormat::KnownFormat(KnownFormat::Uuid);
        let schema = ObjectBuilder::new().schema_type(SchemaType::from_iter([Type::String, Type::Null]));
        let about = "The id of the last event that was received. The stream continues after it.";
        let header = ParameterBuilder::new().name("Last-Event-ID").parameter_in(ParameterIn::Header);
        let schema = schema.format(Some(format)).build();
        vec![header.required(Required::False).description(Some(about)).schema(Some(schema)).build()]
    }
}

impl From<PageParameters> for PageRequest {
    fn from(PageParameters { limit, offset }: PageParameters) -> Self {
        let default = Self::default();
        Self {
            limit: limit.map_or(default.limit, |limit| limit.0),
            offset: offset.map_or(default.offset, |offset| offset.0),
        }
    }
}

/// Maximum number of items of a page.
pub(crate) struct Limit(i64);
/// Number of items before a page.
pub(crate) struct Offset(i64);

impl TextValue for Limit {
    fn parse(text: &str) -> Result<Self, Flaw> {
        let number = integer(text)?.filter(|number| (1..=PageRequest::MAX_LIMIT).contains(number));
        number.map(Self).ok_or_else(|| Flaw::range(format!("must be between 1 and {}", PageRequest::MAX_LIMIT)))
    }

    fn schema() -> Object {
        integer_schema().minimum(Some(1)).maximum(Some(PageRequest::MAX_LIMIT)).build()
    }
}

impl TextValue for Offset {
    fn parse(text: &str) -> Result<Self, Flaw> {
        integer(text)?.map(Self).ok_or_else(|| Flaw::range("must be at least 0"))
    }

    fn schema() -> Object {
        integer_schema().minimum(Some(0)).build()
    }
}

fn integer_schema() -> ObjectBuilder {
    let format = SchemaFormat::KnownFormat(KnownFormat::Int64);
    ObjectBuilder::new().schema_type(Type::Integer).format(Some(format))
}

/// Reads a whole number. Returns `None` if it is negative.
fn integer(text: &str) -> Result<Option<i64>, Flaw> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(Flaw::format("must be a whole number"));
    }
    let number = text.parse().map_err(|_| Flaw::format("must fit in 64 bits"))?;
    Ok((!text.starts_with('-')).then_some(number))
}

/// The start of a period: the start of the given second.
pub(crate) struct FromTime(pub(crate) DateTime<Utc>);
/// The end of a period: the end of the given second. Responses show times in whole seconds, so the whole second is part
/// of the period.
pub(crate) struct ToTime(pub(crate) DateTime<Utc>);

impl TextValue for FromTime {
    fn parse(text: &str) -> Result<Self, Flaw> {
        read_time(text).map(Self)
    }

    fn schema() -> Object {
        time_schema()
    }
}

impl TextValue for ToTime {
    fn parse(text: &str) -> Result<Self, Flaw> {
        read_time(text).map(|time| Self(time + TimeDelta::microseconds(999_999)))
    }

    fn schema() -> Object {
        time_schema()
    }
}

fn time_schema() -> Object {
    let pattern = "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$";
    plain_text().format(Some(SchemaFormat::KnownFormat(KnownFormat::DateTime))).pattern(Some(pattern)).build()
}

/// Reads a time in the form `2026-09-01T12:00:00Z`.
fn read_time(text: &str) -> Result<DateTime<Utc>, Flaw> {
    let wrong = || Flaw::format("must be a UTC time such as 2026-09-01T12:00:00Z");
    let time = NaiveDateTime::parse_from_str(text, "%Y-%m-%dT%H:%M:%SZ").map_err(|_| wrong())?;
    // The parser also accepts signs, spaces and short numbers.
    if time.format("%Y-%m-%dT%H:%M:%SZ").to_string() == text && text.len() == 20 {
        Ok(time.and_utc())
    } else {
        Err(wrong())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declare::{Parameters, parameters};
    use crate::extract::query::Query;
    use actix_web::test::TestRequest;
    use florin_domain::batch::{Direction, PaymentStatus};
    use florin_domain::fault::{Faults, FlawCode};

    parameters! {
        /// Parameters of every kind.
        pub(crate) struct AnyParameters in Query {
            /// Statuses.
            "statuses" => statuses: Vec<PaymentStatus>,
            /// Order.
            "sort" => direction: Option<Direction>,
            /// A switch.
            "includeHidden" => include_hidden: bool,
            /// First second.
            "from" => from: Option<FromTime>,
            /// Last second.
            "to" => to: Option<ToTime>,
            /// Page size.
            "limit" => limit: Option<Limit>,
            /// Offset.
            "offset" => offset: Option<Offset>,
        }
    }

    fn read(query: &str) -> Result<AnyParameters, Vec<(String, FlawCode)>> {
        let (request, mut faults) = (TestRequest::default().to_http_request(), Faults::default());
        let read = AnyParameters::read(&request, &Query::parse(query), &mut faults);
        read.ok_or_else(|| faults.into_vec().into_iter().map(|fault| (fault.path, fault.flaw.code)).collect())
    }

    #[test]
    fn valid_values_are_read() {
        let query = "statuses=created,failed&from=2026-09-01T12:00:00Z&to=2026-09-01T12:00:00Z&limit=007";
        let read = read(query).unwrap();
        assert_eq!(read.statuses, [PaymentStatus::Created, PaymentStatus::Failed]);
        let (from, to) = (read.from.unwrap().0, read.to.unwrap().0);
        assert_eq!(
            (from.to_rfc3339(), to - from),
            ("2026-09-01T12:00:00+00:00".into(), TimeDelta::microseconds(999_999))
        );
        assert!(read.direction.is_none() && !read.include_hidden);
        assert_eq!((read.limit.unwrap().0, read.offset.is_none()), (7, true));
    }

    #[test]
    fn invalid_values_are_faults() {
        for (query, path, code) in [
            ("statuses=Created", "query.statuses", FlawCode::InvalidValue),
            ("statuses=created,", "query.statuses", FlawCode::InvalidValue),
            ("statuses=", "query.statuses", FlawCode::Required),
            ("sort=ASC", "query.sort", FlawCode::InvalidValue),
            ("includeHidden=1", "query.includeHidden", FlawCode::InvalidValue),
            ("from=2026-09-01", "query.from", FlawCode::InvalidFormat),
            ("from=2026-9-01T12:00:00Z", "query.from", FlawCode::InvalidFormat),
            ("to=2026-02-30T12:00:00Z", "query.to", FlawCode::InvalidFormat),
            ("to=%2B2026-02-03T12:00:00Z", "query.to", FlawCode::InvalidFormat),
            ("to=2026-02-03T12:00:00%2B00:00", "query.to", FlawCode::InvalidFormat),
            ("sort=asc&sort=asc", "query.sort", FlawCode::DuplicateParameter),
            ("limit=0", "query.limit", FlawCode::OutOfRange),
            ("limit=1001", "query.limit", FlawCode::OutOfRange),
            ("limit=-1", "query.limit", FlawCode::OutOfRange),
            ("limit=9223372036854775808", "query.limit", FlawCode::InvalidFormat),
            ("limit=%2B1", "query.limit", FlawCode::InvalidFormat),
            ("limit=1.0", "query.limit", FlawCode::InvalidFormat),
            ("limit=+1", "query.limit", FlawCode::InvalidFormat),
            ("limit=-", "query.limit", FlawCode::InvalidFormat),
            ("limit=%D9%A1", "query.limit", FlawCode::InvalidFormat),
            ("limit=%FF", "query.limit", FlawCode::InvalidFormat),
            ("limit=", "query.limit", FlawCode::Required),
            ("limit", "query.limit", FlawCode::Required),
            ("offset=-0", "query.offset", FlawCode::OutOfRange),
        ] {
            assert_eq!(read(query).err(), Some(vec![(path.to_owned(), code)]), "{query}");
        }
        assert_eq!(read("limit=0&offset=x&sort=up").err().map(|faults| faults.len()), Some(3));
    }
}
