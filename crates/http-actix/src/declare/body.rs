//! Declarations of request bodies.

use super::member::{FieldType, missing_body};
use crate::json::{Context, Document, NotJson, Place, Reading};
use florin_domain::fault::Faults;
use serde_json::Value as Example;
use utoipa::openapi::schema::{AdditionalProperties, ObjectBuilder};
use utoipa::openapi::{RefOr, Schema};

/// Reads a body and records all faults, with missing members last. Returns `None` if there were faults.
pub(crate) fn read<T: FieldType>(
    body: Option<&Document>,
    context: Context,
    faults: &mut Faults,
) -> Result<Option<T>, NotJson> {
    let Some(body) = body else {
        faults.push(missing_body().at("body"));
        return Ok(None);
    };
    let mut reading = Reading::new(context, faults);
    let read = T::read(body.root(), &Place::Body, &mut reading);
    reading.finish()?;
    Ok(read)
}

/// A member of a declared body, for the OpenAPI document. It is data: code that builds the schema of each body would be
/// much larger.
pub(crate) struct Member {
    pub(crate) name: &'static str,
    /// The lines of its doc comment.
    pub(crate) docs: &'static [&'static str],
    pub(crate) schema: fn() -> RefOr<Schema>,
    pub(crate) is_required: fn() -> bool,
    pub(crate) example: Option<fn() -> Example>,
}

/// Whether a member of this type is required.
pub(crate) fn is_required<T: FieldType>() -> bool {
    T::missing().is_none()
}

/// Returns the schema of a body. `count` is the number of members that must be sent, if it is declared.
pub(crate) fn body_schema(about: &[&str], members: &[Member], count: Option<usize>) -> RefOr<Schema> {
    let mut object = ObjectBuilder::new()
        .description(Some(text_of(about)))
        .additional_properties(Some(AdditionalProperties::FreeForm(false)))
        .min_properties(count)
        .max_properties(count);
    for member in members {
        let example = member.example.map(|example| example());
        object = object.property(member.name, described((member.schema)(), member.docs, example));
        if (member.is_required)() {
            object = object.required(member.name);
        }
    }
    object.build().into()
}

/// Returns the text of a doc comment.
pub(super) fn text_of(docs: &[&str]) -> String {
    docs.iter().map(|line| line.trim()).collect::<Vec<_>>().join("\n")
}

/// Adds a member's description and example, as declared, to the schema of the member.
fn described(schema: RefOr<Schema>, docs: &[&str], example: Option<Example>) -> RefOr<Schema> {
    let text = Some(text_of(docs)).filter(|text| !text.is_empty());
    match schema {
        RefOr::Ref(mut reference) => {
            reference.description = text.unwrap_or_default();
            RefOr::Ref(reference)
        }
        RefOr::T(Schema::Object(mut object)) => {
            (object.description, object.example) = (text, example);
            object.into()
        }
        RefOr::T(Schema::Array(mut array)) => {
            (array.description, array.example) = (text, example);
            RefOr::T(Schema::Array(array))
        }
        RefOr::T(Schema::OneOf(mut choice)) => {
            (choice.description, choice.example) = (text, example);
            RefOr::T(Schema::OneOf(choice))
        }
        other @ RefOr::T(_) => other,
    }
}

/// Declares a body, or an object inside one: the reader, the schema and the documentation of every member.
///
/// A member is declared as `"nameInJson" => field: Type`. Its type determines how it is read, whether it is required
/// (all types except `Option` are), and its schema. Its doc comment is its description. `#[example(…)]` adds an
/// example, in JSON. `#[properties(1)]` on the struct adds to the schema that exactly one member must be sent; the
/// operation checks it.
macro_rules! body {
    (
        $(#[doc = $about:literal])+
        $(#[properties($count:literal)])?
        pub(crate) struct $body:ident as $schema:literal {$(
            $(#[doc = $doc:literal])*
            $(#[example($($example:tt)+)])?
            $name:literal => $field:ident: $type:ty,
        )+}
    ) => {
        $(#[doc = $about])+
        pub(crate) struct $body {$(
            $(#[doc = $doc])*
            pub(crate) $field: $type,
        )+}

        impl $crate::declare::FieldType for $body {
            fn read(
                value: $crate::json::Value<'_>,
                place: &$crate::json::Place<'_>,
                reading: &mut $crate::json::Reading<'_>,
            ) -> Option<Self> {
                $(let mut $field = $crate::declare::Slot::<$type>::Missing;)+
                reading.object(value, place, &[$($name),+], |reading, name, value, place| {
                    match name {
                        $($name => $field = $crate::declare::Slot::read(value, place, reading),)+
                        _ => return false,
                    }
                    true
                })?;
                $(let $field = $field.end($name, place, reading);)+
                Some(Self { $($field: $field?,)+ })
            }

            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
                utoipa::openapi::Ref::from_schema_name($schema).into()
            }

            fn schemas(schemas: &mut Vec<(String, utoipa::openapi::RefOr<utoipa::openapi::Schema>)>) {
                schemas.push(($schema.to_owned(), <Self as utoipa::PartialSchema>::schema()));
                $(<$type as $crate::declare::FieldType>::schemas(schemas);)+
            }
        }

        impl utoipa::PartialSchema for $body {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
                const MEMBERS: &[$crate::declare::Member] = &[$($crate::declare::Member {
                    name: $name,
                    docs: &[$($doc),*],
                    schema: <$type as $crate::declare::FieldType>::schema,
                    is_required: $crate::declare::is_required::<$type>,
                    example: $crate::declare::body!(@example $($($example)+)?),
                }),+];
                $crate::declare::body_schema(&[$($about),+], MEMBERS, $crate::declare::body!(@count $($count)?))
            }
        }

        impl utoipa::ToSchema for $body {
            fn name() -> std::borrow::Cow<'static, str> {
                $schema.into()
            }

            fn schemas(schemas: &mut Vec<(String, utoipa::openapi::RefOr<utoipa::openapi::Schema>)>) {
                $(<$type as $crate::declare::FieldType>::schemas(schemas);)+
            }
        }
    };
    (@example) => { None };
    (@example $($example:tt)+) => { Some(|| serde_json::json!($($example)+)) };
    (@count) => { None };
    (@count $count:literal) => { Some($count) };
}

pub(crate) use body;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declare::{Lenient, PositiveNumber};
    use florin_domain::access::Environment;
    use florin_domain::fault::FlawCode::{
        self, DuplicateField, InvalidType, OutOfRange, Required, TooLong, UnknownField,
    };
    use florin_domain::text::Text;
    use serde_json::json;
    use utoipa::PartialSchema;

    body! {
        /// A parcel.
        pub(crate) struct Parcel as "ParcelRequest" {
            /// The value of the parcel.
            #[example(10.00)]
            "amount" => amount: PositiveNumber,
            "isFinal" => is_final: Option<bool>,
            /// The contents,
            /// in two lines.
            "inner" => inner: Inner,
            "labels" => labels: Option<Vec<Text<1, 3>>>,
            "maybe" => maybe: Lenient<bool>,
        }
    }

    body! {
        /// The contents of the parcel.
        pub(crate) struct Inner as "InnerRequest" {
            "name" => name: Text<1, 3>,
            "more" => more: Option<Innermost>,
        }
    }

    body! {
        /// A detail of the contents.
        #[properties(1)]
        pub(crate) struct Innermost as "InnermostRequest" {
            "flag" => flag: bool,
        }
    }

    const CONTEXT: Context = Context { environment: Environment::Sandbox, budget: None };

    fn parcel(body: &str) -> (Option<Parcel>, Vec<(String, FlawCode)>) {
        let document = Document::parse(body.as_bytes().to_vec()).unwrap();
        let mut faults = Faults::default();
        let read = read(Some(&document), CONTEXT, &mut faults).unwrap();
        (read, faults.into_vec().into_iter().map(|fault| (fault.path, fault.flaw.code)).collect())
    }

    fn faults_of(body: &str) -> Vec<(String, FlawCode)> {
        parcel(body).1
    }

    #[test]
    fn a_valid_body_is_read_as_declared() {
        let (read, faults) =
            parcel(r#"{"amount": 1, "isFinal": null, "inner": {"name": "äöü"}, "labels": ["a", "b"]}"#);
        assert_eq!(faults, []);
        let read = read.unwrap();
        assert_eq!((read.is_final, read.inner.name.as_str()), (None, "äöü"));
        assert_eq!(read.labels.unwrap().len(), 2);
        assert!(!read.amount.0.is_zero() && read.inner.more.is_none_or(|more| more.flag));
        assert!(matches!(read.maybe, Lenient::Missing));
    }

    #[test]
    fn all_faults_are_reported_at_once() {
        let faults = faults_of(
            r#"{"amount": "1", "isFinal": 1, "amount": 2, "inner": {"name": "abcd", "x": 1},
                "y": {"z": 1, "z": 2, "z": 3}, "labels": ["a", 1, {"a": 1, "a": 2}, "abcd"], "maybe": 0}"#,
        );
        let expected = [
            ("body.amount", InvalidType),
            ("body.isFinal", InvalidType),
            ("body.amount", DuplicateField),
            ("body.inner.name", TooLong),
            ("body.inner.x", UnknownField),
            ("body.y", UnknownField),
            ("body.y.z", DuplicateField),
            ("body.labels[1]", InvalidType),
            ("body.labels[2].a", DuplicateField),
            ("body.labels[2]", InvalidType),
            ("body.labels[3]", TooLong),
            ("body.maybe", InvalidType),
        ];
        assert_eq!(faults, expected.map(|(path, code)| (path.to_owned(), code)));
        let deep = faults_of(r#"{"inner": {"name": "a", "more": {}}, "amount": 0}"#);
        let expected = [("body.inner.more.flag", Required), ("body.amount", OutOfRange)];
        assert_eq!(deep, expected.map(|(path, code)| (path.to_owned(), code)));
        assert_eq!(faults_of("{}").len(), 2);
        assert_eq!(faults_of("null"), [("body".to_owned(), InvalidType)]);
        assert_eq!(faults_of(r#"[{"a": 1, "a": 1}]"#).len(), 2);
    }

    #[test]
    fn misspelt_members_get_suggestions() {
        let message_of = |name: &str, before: usize| {
            let unknown: Vec<_> = (0..before).map(|number| format!("\"{number}\": 0, ")).collect();
            let body = format!("{{{}\"inner\": {{\"name\": \"a\", {name:?}: 0}}, \"amount\": 1}}", unknown.concat());
            let document = Document::parse(body.into_bytes()).unwrap();
            let mut faults = Faults::default();
            read::<Parcel>(Some(&document), CONTEXT, &mut faults).unwrap();
            let last = faults.into_vec().pop().unwrap();
            assert_eq!((last.path, last.flaw.code), (format!("body.inner.{name}"), UnknownField));
            last.flaw.message
        };
        for (name, message) in [
            ("nmae", "unknown field; did you mean \"name\"?"),
            ("More", "unknown field; did you mean \"more\"?"),
            ("amount", "unknown field"),
            ("x", "unknown field"),
        ] {
            assert_eq!(message_of(name, 0), message);
        }
        assert!(message_of("nmae", 99).ends_with("did you mean \"name\"?"));
        assert_eq!(message_of("nmae", 100), "unknown field", "the search is limited");
    }

    #[test]
    fn an_invalid_lenient_member_does_not_prevent_reading_the_body() {
        let (read, faults) = parcel(r#"{"amount": 1, "inner": {"name": "a"}, "maybe": 5}"#);
        assert_eq!(faults.len(), 1);
        assert!(matches!(read.unwrap().maybe, Lenient::Faulty));
    }

    #[test]
    fn a_missing_body_and_invalid_member_names_are_refused() {
        let mut faults = Faults::default();
        assert!(read::<Inner>(None, CONTEXT, &mut faults).unwrap().is_none());
        assert_eq!(faults.into_vec()[0].path, "body");
        for text in [r#"{"\ud800": 1}"#, r#"{"x": [{"\ud800": 1}]}"#] {
            let document = Document::parse(text.as_bytes().to_vec()).unwrap();
            assert!(read::<Inner>(Some(&document), CONTEXT, &mut Faults::default()).is_err(), "{text}");
        }
    }

    #[test]
    fn at_most_1000_faults_are_reported() {
        let members: Vec<_> = (0..100_000).map(|number| format!("\"m{number}\":0")).collect();
        assert_eq!(faults_of(&format!("{{{}}}", members.join(","))).len(), Faults::MAX);
    }

    #[test]
    fn the_schema_matches_the_declaration() {
        let schema = serde_json::to_value(<Parcel as PartialSchema>::schema()).unwrap();
        let expected = json!({
            "type": "object",
            "description": "A parcel.",
            "required": ["amount", "inner"],
            "additionalProperties": false,
            "properties": {
                "amount": {"type": "number", "exclusiveMinimum": 0, "maximum": 1_000_000_000,
                    "example": 10.0, "description": "The value of the parcel."},
                "isFinal": {"type": ["boolean", "null"]},
                "inner": {"$ref": "#/components/schemas/InnerRequest", "description": "The contents,\nin two lines."},
                "labels": {"type": ["array", "null"], "items": {"type": "string", "minLength": 1, "maxLength": 3}},
                "maybe": {"type": ["boolean", "null"]}
            }
        });
        assert_eq!(schema, expected);
        let mut schemas = Vec::new();
        <Parcel as utoipa::ToSchema>::schemas(&mut schemas);
        let names: Vec<_> = schemas.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["InnerRequest", "InnermostRequest"]);
        assert_eq!(serde_json::to_value(&schemas[1].1).unwrap()["maxProperties"], 1);
    }
}
