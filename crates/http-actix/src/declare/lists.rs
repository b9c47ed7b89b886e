//! Lists with a minimum and a maximum number of items.

use super::member::{FieldType, Schemas};
use crate::json::{Place, Reading, Value};
use florin_domain::fault::Flaw;
use utoipa::openapi::schema::ArrayBuilder;
use utoipa::openapi::{RefOr, Schema};

/// A list of `MIN` to `MAX` items.
pub(crate) struct Items<T, const MIN: usize, const MAX: usize>(pub(crate) Vec<T>);

impl<T: FieldType, const MIN: usize, const MAX: usize> FieldType for Items<T, MIN, MAX> {
    fn read(value: Value<'_>, place: &Place<'_>, reading: &mut Reading<'_>) -> Option<Self> {
        let (mut items, mut count) = (Vec::new(), 0);
        reading.array(value, place, MAX, |reading, item, place| {
            count += 1;
            items.extend(T::read(item, place, reading));
        })?;
        if count < MIN {
            let items = if MIN == 1 { "item" } else { "items" };
            reading.fault(place, Flaw::range(format!("must have at least {MIN} {items} (got {count})")));
            return None;
        }
        (items.len() == count).then_some(Self(items))
    }

    fn schema() -> RefOr<Schema> {
        ArrayBuilder::new().items(T::schema()).min_items((MIN > 0).then_some(MIN)).max_items(Some(MAX)).into()
    }

    fn schemas(schemas: &mut Schemas) {
        T::schemas(schemas);
    }
}
