//! How the members of a body are read, and their schemas.

use crate::json::{Place, Reading, Value};
use florin_domain::fault::{Flaw, FlawCode};
use utoipa::openapi::schema::{Object, ObjectBuilder, SchemaType, Type};
use utoipa::openapi::{OneOfBuilder, RefOr, Schema};

/// Schemas by name, as the OpenAPI document lists them.
pub(crate) type Schemas = Vec<(String, RefOr<Schema>)>;

/// A type that a member of a body can have.
pub(crate) trait FieldType: Sized {
    /// Reads a value that is not null. Returns `None` if faults were recorded.
    fn read(value: Value<'_>, place: &Place<'_>, reading: &mut Reading<'_>) -> Option<Self>;

    /// Returns the value of a missing or null member, or `None` if the member is required.
    fn missing() -> Option<Self> {
        None
    }

    /// Returns the value of a null member, if null has another meaning than a missing member. Otherwise returns `None`.
    fn null() -> Option<Self> {
        None
    }

    /// Returns the flaw of a null member, if the member may be missing but not null. Otherwise returns `None`.
    fn null_flaw() -> Option<Flaw> {
        None
    }

    /// Returns the schema, or a reference to it.
    fn schema() -> RefOr<Schema>;

    /// Adds the named schemas that [`Self::schema`] refers to.
    fn schemas(_: &mut Schemas) {}
}

/// A value that is written as text, in bodies and in parameters.
pub(crate) trait TextValue: Sized {
    /// Reads the text.
    fn parse(text: &str) -> Result<Self, Flaw>;

    /// Returns the schema of the text.
    fn schema() -> Object;
}

impl<T: TextValue> FieldType for T {
    fn read(value: Value<'_>, place: &Place<'_>, reading: &mut Reading<'_>) -> Option<Self> {
        let text = reading.string(value, place)?;
        reading.keep(place, T::parse(&text))
    }

    fn schema() -> RefOr<Schema> {
        <T as TextValue>::schema().into()
    }
}

impl FieldType for bool {
    fn read(value: Value<'_>, place: &Place<'_>, reading: &mut Reading<'_>) -> Option<Self> {
        let read = value.bool();
        if read.is_none() {
            reading.wrong_type(value, place, "true or false");
        }
        read
    }

    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new().schema_type(Type::Boolean).build().into()
    }
}

/// An optional member. Null has the same meaning as a missing member.
impl<T: FieldType> FieldType for Option<T> {
    fn read(value: Value<'_>, place: &Place<'_>, reading: &mut Reading<'_>) -> Option<Self> {
        T::read(value, place, reading).map(Some)
    }

    fn missing() -> Option<Self> {
        Some(None)
    }

    fn schema() -> RefOr<Schema> {
        nullable(T::schema())
    }

    fn schemas(schemas: &mut Schemas) {
        T::schemas(schemas);
    }
}

/// A list. Its schema has no limits; a wrapper type such as `Items` can declare them.
impl<T: FieldType> FieldType for Vec<T> {
    fn read(value: Value<'_>, place: &Place<'_>, reading: &mut Reading<'_>) -> Option<Self> {
        let mut items = Some(Vec::new());
        reading.array(value, place, usize::MAX, |reading, item, place| match T::read(item, place, reading) {
            Some(item) => {
                if let Some(items) = &mut items {
                    items.push(item);
                }
            }
            None => items = None,
        })?;
        items
    }

    fn schema() -> RefOr<Schema> {
        utoipa::openapi::schema::ArrayBuilder::new().items(T::schema()).build().into()
    }

    fn schemas(schemas: &mut Schemas) {
        T::schemas(schemas);
    }
}

/// The state of a member while its object is read.
pub(crate) enum Slot<T> {
    /// Not found yet, or null.
    Missing,
    /// Found. `None`: faults were recorded.
    Found(Option<T>),
}

impl<T: FieldType> Slot<T> {
    /// Reads the value of the member.
    pub(crate) fn read(value: Value<'_>, place: &Place<'_>, reading: &mut Reading<'_>) -> Self {
        if !value.is_null() {
            return Self::Found(T::read(value, place, reading));
        }
        if let Some(flaw) = T::null_flaw() {
            reading.fault(place, flaw);
            return Self::Found(None);
        }
        T::null().map_or(Self::Missing, |null| Self::Found(Some(null)))
    }

    /// Returns the member's value at the end of its object. A missing required member is a fault.
    pub(crate) fn end(self, name: &str, object: &Place<'_>, reading: &mut Reading<'_>) -> Option<T> {
        match self {
            Self::Found(value) => value,
            Self::Missing => {
                let value = T::missing();
                if value.is_none() {
                    reading.fault(&object.member(name), Flaw::required());
                }
                value
            }
        }
    }
}

/// Returns the schema of a text. Callers add limits to it.
pub(crate) fn plain_text() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::String)
}

/// Returns the flaw of a missing body.
pub(crate) fn missing_body() -> Flaw {
    Flaw::new(FlawCode::Required, "is required: send a JSON body")
}

/// Extends a schema to accept null.
fn nullable(schema: RefOr<Schema>) -> RefOr<Schema> {
    let or_null = |kind: SchemaType| match kind {
        SchemaType::Type(kind) => SchemaType::from_iter([kind, Type::Null]),
        other => other,
    };
    match schema {
        RefOr::T(Schema::Object(mut object)) => {
            object.schema_type = or_null(object.schema_type);
            object.into()
        }
        RefOr::T(Schema::Array(mut array)) => {
            array.schema_type = or_null(array.schema_type);
            RefOr::T(Schema::Array(array))
        }
        other => OneOfBuilder::new().item(other).item(ObjectBuilder::new().schema_type(Type::Null)).into(),
    }
}
