//! Schemas of payments in requests and responses, generated from the table of columns.

use super::columns::of_object;
use super::json_upload::{JsonUpload, MAX_EMAILS, MAX_ROWS};
use florin_domain::batch::max_text_length;
use utoipa::openapi::schema::{AdditionalProperties, ArrayBuilder, Object, ObjectBuilder, Schema, SchemaType, Type};
use utoipa::openapi::{KnownFormat, RefOr, SchemaFormat};
use utoipa::{PartialSchema, ToSchema};

/// The recipient of a payment in responses.
pub(crate) struct RecipientShape;

/// Whether a schema describes requests (all members optional, unknown ones refused) or responses (all members present).
#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Request,
    Response,
}

/// Returns the schema of an upload.
pub(super) fn payments() -> RefOr<Schema> {
    let budget = ObjectBuilder::new()
        .schema_type(nullable(Type::String))
        .format(Some(SchemaFormat::KnownFormat(KnownFormat::Uuid)))
        .description(Some("The budget that pays rows without a budget of their own."));
    let rows = ArrayBuilder::new()
        .items(RefOr::T(payment_object("", Direction::Request)))
        .max_items(Some(MAX_ROWS))
        .description(Some("The payments. Invalid values become alerts."));
    ObjectBuilder::new()
        .description(Some("Payments to upload."))
        .property("defaultFundingBudgetId", budget)
        .property("rows", rows)
        .required("rows")
        .additional_properties(Some(AdditionalProperties::FreeForm(false)))
        .build()
        .into()
}

impl PartialSchema for JsonUpload {
    fn schema() -> RefOr<Schema> {
        payments()
    }
}

impl ToSchema for JsonUpload {
    fn name() -> std::borrow::Cow<'static, str> {
        "UploadPaymentsRequest".into()
    }
}

impl PartialSchema for RecipientShape {
    fn schema() -> RefOr<Schema> {
        payment_object("recipient.", Direction::Response).into()
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

/// Returns the schema of a text. Its maximum length is only in the description, because a longer text is stored and
/// becomes an alert.
fn text_schema(place: &str, meaning: &str, direction: Direction) -> Object {
    let limit = max_text_length(place).filter(|_| direction == Direction::Request);
    let limit = limit.map_or_else(String::new, |max| format!(" At most {max} characters; a longer text is an alert."));
    ObjectBuilder::new().schema_type(nullable(Type::String)).description(Some(format!("{meaning}{limit}"))).build()
}

/// Returns the schema of the object that contains the columns whose names begin with `prefix`.
fn payment_object(prefix: &str, direction: Direction) -> Schema {
    let mut properties: Vec<(&str, Schema)> = of_object(prefix)
        .map(|(name, column)| (name, text_schema(column.name, column.meaning, direction).into()))
        .collect();
    match prefix {
        "" => properties.push(("recipient", payment_object("recipient.", direction))),
        "recipient." => {
            properties.push(("subscribedEmails", emails_schema(direction)));
            properties.push(("address", payment_object("recipient.address.", direction)));
            properties.push(("bankAddress", payment_object("recipient.bankAddress.", direction)));
        }
        _ => {}
    }
    let meaning = match prefix {
        "" => "A payment.",
        "recipient." => "The recipient.",
        "recipient.address." => "The recipient's address.",
        _ => "The address of the recipient's bank.",
    };
    // The row itself is never null, and neither is the recipient in a response.
    let never_null = prefix.is_empty() || (prefix == "recipient." && direction == Direction::Response);
    let title = match (prefix, direction) {
        ("", _) => "PaymentRequest",
        ("recipient.", Direction::Request) => "PaymentRecipientRequest",
        ("recipient.", Direction::Response) => return object_schema(properties, None, meaning, !never_null, direction),
        ("recipient.address.", Direction::Request) => "RecipientAddressRequest",
        ("recipient.address.", Direction::Response) => "RecipientAddress",
        (_, Direction::Request) => "BankAddressRequest",
        (_, Direction::Response) => "BankAddress",
    };
    object_schema(properties, Some(title), meaning, !never_null, direction)
}

fn emails_schema(direction: Direction) -> Schema {
    let name = text_schema("recipient.subscribedEmails.name", "Name.", direction);
    let email = text_schema("recipient.subscribedEmails.email", "E-mail address.", direction);
    let properties = vec![("name", name.into()), ("email", email.into())];
    let title = match direction {
        Direction::Request => "EmailSubscriberRequest",
        Direction::Response => "EmailSubscriber",
    };
    let item = object_schema(properties, Some(title), "An e-mail subscriber.", false, direction);
    let array = ArrayBuilder::new().items(RefOr::T(item)).description(Some("E-mail subscribers."));
    let array = match direction {
        Direction::Request => array.schema_type(nullable(Type::Array)).max_items(Some(MAX_EMAILS)),
        Direction::Response => array,
    };
    array.build().into()
}

/// Returns the schema of an object. The OpenAPI document lists an object with a title under this title.
fn object_schema(
    properties: Vec<(&str, Schema)>,
    title: Option<&str>,
    meaning: &str,
    may_be_null: bool,
    direction: Direction,
) -> Schema {
    let kind = if may_be_null { nullable(Type::Object) } else { SchemaType::new(Type::Object) };
    let mut builder = ObjectBuilder::new().schema_type(kind).title(title).description(Some(meaning));
    for (name, schema) in properties {
        builder = builder.property(name, schema);
        if direction == Direction::Response {
            builder = builder.required(name);
        }
    }
    if direction == Direction::Request {
        builder = builder.additional_properties(Some(AdditionalProperties::FreeForm(false)));
    }
    builder.build().into()
}
