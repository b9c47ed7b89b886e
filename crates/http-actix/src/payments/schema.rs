//! Payments in the interface document, from the table of their members: as they are sent, and as they are shown.

use super::columns::of_object;
use super::read_json::{MAX_EMAILS, MAX_ROWS};
use utoipa::openapi::schema::{AdditionalProperties, ArrayBuilder, Object, ObjectBuilder, Schema, SchemaType, Type};
use utoipa::openapi::{KnownFormat, RefOr, SchemaFormat};
use utoipa::{PartialSchema, ToSchema};

/// Payments to be put into a batch.
pub(crate) struct PaymentsBody;
/// Who is paid, as it is shown.
pub(crate) struct RecipientShape;

/// Whether a schema is of what is sent (nothing must be there, nothing unknown may) or of what is shown (all is there).
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Sent,
    Shown,
}

impl PartialSchema for PaymentsBody {
    fn schema() -> RefOr<Schema> {
        let budget = ObjectBuilder::new()
            .schema_type(nullable(Type::String))
            .format(Some(SchemaFormat::KnownFormat(KnownFormat::Uuid)))
            .description(Some("The budget that pays for rows which name none."));
        let rows = ArrayBuilder::new()
            .items(RefOr::T(object("", Way::Sent)))
            .max_items(Some(MAX_ROWS))
            .description(Some("The payments. What is wrong with a value becomes an alert."));
        ObjectBuilder::new()
            .description(Some("Payments to be put into a batch."))
            .property("defaultFundingBudgetId", budget)
            .property("rows", rows)
            .required("rows")
            .additional_properties(Some(AdditionalProperties::FreeForm(false)))
            .build()
            .into()
    }
}

impl ToSchema for PaymentsBody {
    fn name() -> std::borrow::Cow<'static, str> {
        "UploadPaymentsRequest".into()
    }
}

impl PartialSchema for RecipientShape {
    fn schema() -> RefOr<Schema> {
        object("recipient.", Way::Shown).into()
    }
}

impl ToSchema for RecipientShape {
    fn name() -> std::borrow::Cow<'static, str> {
        "PaymentRecipient".into()
    }
}

fn nullable(kind: Type) -> SchemaType {
    SchemaType::from_iter([kind, Type::Null])
}

fn text(meaning: &str) -> Object {
    ObjectBuilder::new().schema_type(nullable(Type::String)).description(Some(meaning)).build()
}

/// The object of the columns that begin with `prefix`.
fn object(prefix: &str, way: Way) -> Schema {
    let mut properties: Vec<(&str, Schema)> =
        of_object(prefix).map(|(name, column)| (name, text(column.meaning).into())).collect();
    match prefix {
        "" => properties.push(("recipient", object("recipient.", way))),
        "recipient." => {
            properties.push(("subscribedEmails", emails(way)));
            properties.push(("address", object("recipient.address.", way)));
            properties.push(("bankAddress", object("recipient.bankAddress.", way)));
        }
        _ => {}
    }
    let meaning = match prefix {
        "" => "A payment as it is typed.",
        "recipient." => "Who is paid.",
        "recipient.address." => "Where the recipient lives.",
        _ => "Where the recipient's bank is.",
    };
    // The row itself, and the recipient where it is shown, are never null.
    let never_null = prefix.is_empty() || (prefix == "recipient." && way == Way::Shown);
    built(properties, meaning, !never_null, way)
}

fn emails(way: Way) -> Schema {
    let properties = vec![("name", text("Their name.").into()), ("email", text("Their address.").into())];
    let item = built(properties, "Who is told by e-mail.", false, way);
    let array = ArrayBuilder::new().items(RefOr::T(item)).description(Some("Who is told by e-mail."));
    let array = match way {
        Way::Sent => array.schema_type(nullable(Type::Array)).max_items(Some(MAX_EMAILS)),
        Way::Shown => array,
    };
    array.build().into()
}

fn built(properties: Vec<(&str, Schema)>, meaning: &str, may_be_null: bool, way: Way) -> Schema {
    let kind = if may_be_null { nullable(Type::Object) } else { SchemaType::new(Type::Object) };
    let mut builder = ObjectBuilder::new().schema_type(kind).description(Some(meaning));
    for (name, schema) in properties {
        builder = builder.property(name, schema);
        if way == Way::Shown {
            builder = builder.required(name);
        }
    }
    if way == Way::Sent {
        builder = builder.additional_properties(Some(AdditionalProperties::FreeForm(false)));
    }
    builder.build().into()
}
