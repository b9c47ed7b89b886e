//! Declarations of path and query parameters.

use super::body::text_of;
use super::member::{TextValue, plain_text};
use crate::extract::query::Query;
use actix_web::HttpRequest;
use florin_domain::fault::{Faults, Flaw};
use percent_encoding::percent_decode_str;
use std::borrow::Cow;
use utoipa::openapi::path::{ParameterBuilder, ParameterIn};
use utoipa::openapi::schema::{KnownFormat, ObjectBuilder, SchemaFormat, Type};
use utoipa::openapi::{RefOr, Required, Schema};

/// A set of declared parameters.
pub(crate) trait Parameters: Sized {
    /// Reads all parameters of the set. Returns `None` if faults were recorded.
    fn read(request: &HttpRequest, query: &Query, faults: &mut Faults) -> Option<Self>;
}

/// A type that a parameter can have.
pub(crate) trait Parameter: Sized {
    /// Whether the parameter is required.
    const REQUIRED: bool;
    /// Whether the parameter may be repeated. A repetition may have `[]` after the name.
    const REPEATED: bool = false;

    /// Reads the parameter from its text. `None`: it was not sent.
    fn read(sent: Option<&str>) -> Result<Self, Flaw>;

    /// Returns the schema.
    fn schema() -> RefOr<Schema>;
}

impl<T: TextValue> Parameter for T {
    const REQUIRED: bool = true;

    fn read(sent: Option<&str>) -> Result<Self, Flaw> {
        T::parse(sent.ok_or_else(Flaw::required)?)
    }

    fn schema() -> RefOr<Schema> {
        T::schema().into()
    }
}

impl<T: TextValue> Parameter for Option<T> {
    const REQUIRED: bool = false;

    fn read(sent: Option<&str>) -> Result<Self, Flaw> {
        sent.map(T::parse).transpose()
    }

    fn schema() -> RefOr<Schema> {
        T::schema().into()
    }
}

/// The pattern of a UUID, without anchors.
const UUID: &str = "[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}";

/// Values separated by commas. The list is empty if the parameter was not sent.
impl<T: TextValue> Parameter for Vec<T> {
    const REQUIRED: bool = false;

    fn read(sent: Option<&str>) -> Result<Self, Flaw> {
        sent.into_iter().flat_map(|text| text.split(',')).map(T::parse).collect()
    }

    fn schema() -> RefOr<Schema> {
        let schema = T::schema();
        let item = match (&schema.pattern, &schema.format) {
            (Some(pattern), _) => pattern.trim_start_matches('^').trim_end_matches('$').to_owned(),
            (None, Some(SchemaFormat::KnownFormat(KnownFormat::Uuid))) => UUID.to_owned(),
            (None, _) => "[^,]+".to_owned(),
        };
        plain_text().pattern(Some(format!("^{item}(,{item})*$"))).build().into()
    }
}

/// Values separated by commas. The parameter may also be repeated, with or without `[]` after its name.
pub(crate) struct CommaSeparated<T>(pub(crate) Vec<T>);

impl<T: TextValue> Parameter for CommaSeparated<T> {
    const REQUIRED: bool = false;
    const REPEATED: bool = true;

    fn read(sent: Option<&str>) -> Result<Self, Flaw> {
        <Vec<T> as Parameter>::read(sent).map(Self)
    }

    fn schema() -> RefOr<Schema> {
        <Vec<T> as Parameter>::schema()
    }
}

/// `true` or `false`. A missing parameter is `false`.
impl Parameter for bool {
    const REQUIRED: bool = false;

    fn read(sent: Option<&str>) -> Result<Self, Flaw> {
        match sent {
            None | Some("false") => Ok(false),
            Some("true") => Ok(true),
            Some(_) => Err(Flaw::value("must be one of true, false")),
        }
    }

    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new().schema_type(Type::Boolean).build().into()
    }
}

/// The part of a request that contains a parameter.
#[derive(Clone, Copy)]
pub(crate) enum Part {
    Path,
    Query,
}

impl Part {
    /// Reads one parameter. Returns `None` if a fault was recorded.
    pub(crate) fn read<T: Parameter>(
        self,
        name: &str,
        request: &HttpRequest,
        query: &Query,
        faults: &mut Faults,
    ) -> Option<T> {
        let read = self.sent(name, T::REPEATED, request, query).and_then(|sent| T::read(sent.as_deref()));
        read.map_err(|flaw| self.fault(name, flaw, faults)).ok()
    }

    /// Returns the text of a parameter. `None`: it was not sent.
    fn sent<'a>(
        self,
        name: &str,
        may_be_repeated: bool,
        request: &'a HttpRequest,
        query: &'a Query,
    ) -> Result<Option<Cow<'a, str>>, Flaw> {
        match self {
            Self::Path => decoded(request.match_info().query(name)).map(Some),
            Self::Query if may_be_repeated => query.all(name).map(|sent| sent.map(Cow::Owned)),
            Self::Query => query.one(name).map(|sent| sent.map(Cow::Borrowed)),
        }
    }

    fn fault(self, name: &str, flaw: Flaw, faults: &mut Faults) {
        let part = match self {
            Self::Path => "path",
            Self::Query => "query",
        };
        faults.push(flaw.at(format!("{part}.{name}")));
    }
}

/// Decodes the percent-encoding of a path segment.
fn decoded(segment: &str) -> Result<Cow<'_, str>, Flaw> {
    percent_decode_str(segment).decode_utf8().map_err(|_| Flaw::format("must be UTF-8"))
}

/// Returns the declaration of a parameter for the OpenAPI document.
pub(crate) fn parameter<T: Parameter>(part: Part, name: &str, docs: &[&str]) -> utoipa::openapi::path::Parameter {
    declared((part, name), T::REQUIRED, docs, T::schema())
}

/// Does what [`parameter`] does. It is not generic, so it is compiled once for all parameters.
fn declared(
    (part, name): (Part, &str),
    is_required: bool,
    docs: &[&str],
    schema: RefOr<Schema>,
) -> utoipa::openapi::path::Parameter {
    let place = match part {
        Part::Path => ParameterIn::Path,
        Part::Query => ParameterIn::Query,
    };
    ParameterBuilder::new()
        .name(name)
        .parameter_in(place)
        .required(if is_required { Required::True } else { Required::False })
        .description(Some(text_of(docs)))
        .schema(Some(schema))
        .build()
}

/// Declares a set of parameters: the reader, the schemas and the documentation of each.
///
/// A parameter is declared as `"name" => field: Type` in `Path` or `Query`. Its type determines how it is read, whether
/// it is required, and its schema. Its doc comment is its description.
macro_rules! parameters {
    (
        $(#[doc = $about:literal])+
        pub(crate) struct $set:ident in $part:ident {$(
            $(#[doc = $doc:literal])+
            $name:literal => $field:ident: $type:ty,
        )+}
    ) => {
        $(#[doc = $about])+
        pub(crate) struct $set {$(
            $(#[doc = $doc])+
            pub(crate) $field: $type,
        )+}

        impl $crate::declare::Parameters for $set {
            fn read(
                request: &actix_web::HttpRequest,
                query: &$crate::extract::query::Query,
                faults: &mut florin_domain::fault::Faults,
            ) -> Option<Self> {
                $(let $field = $crate::declare::Part::$part.read($name, request, query, faults);)+
                Some(Self { $($field: $field?,)+ })
            }
        }

        impl utoipa::IntoParams for $set {
            fn into_params(
                _: impl Fn() -> Option<utoipa::openapi::path::ParameterIn>,
            ) -> Vec<utoipa::openapi::path::Parameter> {
                use $crate::declare::{Part, parameter};
                vec![$(parameter::<$type>(Part::$part, $name, &[$($doc),+]),)+]
            }
        }
    };
}

pub(crate) use parameters;
